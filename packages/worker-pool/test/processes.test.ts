import { expect, test } from 'vitest';
import { runChild } from './support/child.ts';

test.each([
  ['idle', 'idle'],
  ['idleSync', 'idleSync'],
  ['unused', 'unused'],
  ['forgotten', '2,4,6'],
  ['closed', '5\nclosed'],
  ['destroyed', 'PoolClosedError\ndestroyed'],
  ['aborted', 'TimeoutError'],
])('a process ends by itself, and not before its tasks (%s)', async (story, printed) => {
  expect(await runChild('pool.mjs', story)).toEqual({ code: 0, signal: undefined, printed });
});

// The error ends the loop that takes results.
test('a listener of drain that throws stops nothing', async () => {
  const { printed } = await runChild('pool.mjs', 'listenerOfDrain');
  expect(printed.split('\n').toSorted()).toEqual(['1', '2', 'thrown by a listener']);
});

// The error comes before what the worker had begun is settled, and before it is replaced.
test('a listener of workerExit that throws stops nothing', async () => {
  const { printed } = await runChild('pool.mjs', 'listenerOfExit');
  expect(printed.split('\n').toSorted()).toEqual(['2', 'WorkerDiedError', 'thrown by a listener']);
});

test('a task is run again when the buffer has room left', async () => {
  expect(await runChild('pool.mjs', 'fullAgain', '1000')).toMatchObject({ code: 0, printed: 'again\nall' });
});

// What it is sent as anew needs room that other tasks have taken meanwhile: the pool's thread blocks for ever.
test('a task is run again when the buffer is full of others', async () => {
  expect(await runChild('pool.mjs', 'fullAgain', '1028')).toMatchObject({ code: 0, printed: 'again\nall' });
}, 20_000);

// The error is nobody's: every task stays open.
test('a pool that can receive no more results rejects all, and ends', async () => {
  const { code, printed } = await runChild('pool.mjs', 'broken');
  const rejected = 'PoolClosedError the buffer is broken';
  expect({ code, printed }).toEqual({ code: 0, printed: ['1', rejected, rejected, rejected, 'PoolClosedError', 'no worker, 0 replaced'].join('\n') });
});
