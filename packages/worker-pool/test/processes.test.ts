import { oneIn } from '@sluice/harness';
import { describe, expect, test } from 'vitest';
import { runChild } from './support/child.ts';

test.each([
  ['idle', 'idle'],
  ['idleSync', 'idleSync'],
  ['unused', 'unused'],
  ['forgotten', '2,4,6'],
  ['closed', '5\nclosed'],
  ['destroyed', 'PoolClosedError\ndestroyed'],
  ['aborted', 'TimeoutError'],
])('a process exits by itself after its tasks (%s)', async (story, printed) => {
  expect(await runChild('pool.mjs', story)).toEqual({ code: 0, signal: undefined, printed });
});

// Fails if the error ends the loop that takes results.
test('the pool continues after a listener of drain has thrown', async () => {
  const { printed } = await runChild('pool.mjs', 'listenerOfDrain');
  expect(printed.split('\n').toSorted()).toEqual(['1', '2', 'thrown by a listener']);
});

// Fails if the listener's error comes before the worker's tasks are settled and the worker is replaced.
test('the pool continues after a listener of workerExit has thrown', async () => {
  const { printed } = await runChild('pool.mjs', 'listenerOfExit');
  expect(printed.split('\n').toSorted()).toEqual(['2', 'WorkerDiedError', 'thrown by a listener']);
});

test('a task runs again while the buffer has room', async () => {
  expect(await runChild('pool.mjs', 'fullAgain', '1000')).toMatchObject({ code: 0, printed: 'again\nall' });
});

// The retry needs room that other tasks have taken in the meantime. Fails if the pool's thread blocks until there is
// room.
test('a task runs again while the buffer is full of other tasks', async () => {
  expect(await runChild('pool.mjs', 'fullAgain', '1028')).toMatchObject({ code: 0, printed: 'again\nall' });
});

// Fails if the error rejects no task. Then every task stays pending.
test('a pool that can receive no more results rejects all tasks and ends', async () => {
  const { code, printed } = await runChild('pool.mjs', 'broken');
  const rejected = 'PoolClosedError the buffer is broken';
  expect({ code, printed }).toEqual({
    code: 0,
    printed: ['1', rejected, rejected, rejected, 'PoolClosedError', 'no worker, 0 replaced'].join('\n'),
  });
});

const MODES = ['async', 'sync'] as const;
const linesOf = (printed: string): number => printed.split('\n').filter((line) => line.startsWith('line')).length;

describe.each(oneIn(2, MODES))('tasks of workers that wait %s', (atomics) => {
  // Few lines: Node.js itself may lose output to a pipe at `process.exit`.
  test.each(['end', 'close', 'destroy', 'exit', 'worn'])(
    'have printed everything when their process ends (%s)',
    async (end) => {
      const { code, printed } = await runChild('pool.mjs', 'prints', end, atomics);
      expect({ code, lines: linesOf(printed) }).toEqual({ code: 0, lines: 100 });
    },
  );

  test('have printed everything when their process ends, although its thread was blocked', async () => {
    const { code, printed } = await runChild('pool.mjs', 'printsBlocked', atomics);
    expect({ code, lines: linesOf(printed) }).toEqual({ code: 0, lines: 50 });
  });

  // Fails if unread output keeps the process alive although nothing reads it any more.
  test('do not keep their process alive if the program has closed the stream of their output', async () => {
    expect(await runChild('pool.mjs', 'printsUnread', atomics)).toMatchObject({ code: 0, printed: 'all done' });
  });

  test.each(['end', 'close'])('have delivered their messages when the process ends (%s)', async (end) => {
    expect(await runChild('pool.mjs', 'posts', end, atomics)).toMatchObject({
      code: 0,
      printed: '{"message":200,"port":200,"channel":200}',
    });
  });

  test('have delivered their messages to parentPort when destroy() resolves', async () => {
    expect(await runChild('pool.mjs', 'posts', 'destroy', atomics)).toMatchObject({
      code: 0,
      printed: expect.stringContaining('"message":200') as string,
    });
  });
});

// Fails if the pool waits for corked output.
test('a process exits although a task has corked its output', async () =>
  expect(await runChild('pool.mjs', 'printsCorked')).toMatchObject({ code: 0, signal: undefined }));
