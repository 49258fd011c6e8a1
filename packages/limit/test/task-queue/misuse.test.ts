// Wrong arguments and wrong calls. They throw or reject, and change nothing.

import { Arena, HandleError, MisuseError, Region, Semaphore } from '@sluice/core';
import { expect, test } from 'vitest';
import { createLimit, TaskQueue, type TaskQueueHandle } from '../../src/index.ts';

const arena = Arena.create({ maxPages: 64, policy: { buckets: 8 } });
const queue = TaskQueue.create({ arena, concurrency: 1 });

test.each([
  ['options that are no object', 2, 'The options must be an object'],
  ['an unknown option', { queueClass: Array }, 'Unknown option "queueClass"'],
  ['a concurrency of 0', { concurrency: 0 }, 'Expected `concurrency` to be a number from 1 and up'],
  [
    'a concurrency that is undefined',
    { concurrency: undefined },
    'Expected `concurrency` to be a number from 1 and up',
  ],
  ['an intervalCap of 0', { intervalCap: 0 }, 'Expected `intervalCap` to be a number from 1 and up, got `0`'],
  ['an intervalCap that is undefined', { intervalCap: undefined }, 'Expected `intervalCap` to be a number from 1'],
  ['a negative interval', { interval: -1 }, 'Expected `interval` to be a finite number >= 0, got `-1`'],
  ['an endless interval', { interval: Infinity }, 'Expected `interval` to be a finite number >= 0'],
  [
    'strict without an interval',
    { strict: true, intervalCap: 1 },
    'The `strict` option requires a non-zero `interval`',
  ],
  ['strict without a cap', { strict: true, interval: 1 }, 'The `strict` option requires a finite `intervalCap`'],
  ['a timeout of 0', { timeout: 0 }, 'Expected `timeout` to be a positive finite number, got `0`'],
  ['an autoStart that is no boolean', { autoStart: 1 }, 'autoStart must be a boolean: received 1'],
])('create() refuses %s', (_, options, says) => {
  const before = Arena.default().inspect().used;
  expect(() => TaskQueue.create(options as never)).toThrow(TypeError);
  expect(() => TaskQueue.create(options as never)).toThrow(says);
  expect(Arena.default().inspect().used).toBe(before);
});

test.each([
  ['nothing', undefined, 'received undefined'],
  ['the handle of a limit', createLimit(1, { arena }).handle, 'received kind "sluice.limit"'],
  ['a handle without a limit', { kind: 'sluice.task-queue' }, 'received undefined'],
  [
    'a limit over a semaphore',
    { ...queue.handle, limit: createLimit(Semaphore.create(1, { arena })).handle },
    'its limit has no size',
  ],
  [
    'a bell of another arena',
    { ...queue.handle, bell: Semaphore.create(0).handle },
    'its parts lie in different arenas',
  ],
  [
    'a word that is too short',
    { ...queue.handle, paused: Region.create(4, { arena }).handle },
    'its state has 4 bytes',
  ],
])('from() refuses %s', (_, handle, says) => {
  expect(() => TaskQueue.from(handle as TaskQueueHandle)).toThrow(HandleError);
  expect(() => TaskQueue.from(handle as TaskQueueHandle)).toThrow(says);
});

test.each([
  ['a value that is no function', [1], 'The callback must be a function: received 1'],
  ['options that are no object', [() => 1, 5], 'The options must be an object'],
  ['an unknown option', [() => 1, { delay: 1 }], 'Unknown option "delay"'],
  ['a priority that is no number', [() => 1, { priority: NaN }], 'priority must be a number: received NaN'],
  ['an id that is no string', [() => 1, { id: 1 }], 'id must be a string: received 1'],
  ['a timeout of 0', [() => 1, { timeout: 0 }], 'Expected `timeout` to be a positive finite number'],
  ['a signal that is none', [() => 1, { signal: {} }], 'The signal must be an AbortSignal'],
])('add() refuses %s', async (_, args, says) => {
  await expect((queue.add as (...args: unknown[]) => Promise<unknown>)(...args)).rejects.toThrow(says);
  expect([queue.size, queue.pending]).toEqual([0, 0]);
});

test('unknown events, priorities that are no numbers and wrong timeouts are refused', () => {
  expect(() => queue.on('done' as never, () => undefined)).toThrow('A task queue has no event "done"');
  expect(() => queue.on('add', 1 as never)).toThrow('The callback must be a function');
  expect(() => queue.setPriority('1', NaN)).toThrow('priority must be a number');
  expect(() => (queue.timeout = -1)).toThrow('Expected `timeout` to be a positive finite number');
  expect(() => (queue.concurrency = 0)).toThrow('Expected `concurrency`');
  expect([queue.timeout, queue.concurrency]).toEqual([undefined, 1]);
});

test('free() refuses a queue with running or waiting tasks, and later calls refuse a freed one', async () => {
  const used = TaskQueue.create({ arena, concurrency: 1, name: 'used' });
  let end: () => void = () => undefined;
  const running = used.add(() => new Promise<void>((resolve) => (end = resolve)));
  expect(() => used.free()).toThrow(MisuseError);
  used.pause();
  const waiting = used.add(() => 1);
  end();
  await running;
  expect(() => used.free()).toThrow("TaskQueue 'used' cannot be freed: 1 tasks wait.");
  used.start();
  await waiting;
  used.free();
  expect(() => used.concurrency).toThrow(MisuseError);
  expect(() => used.size).toThrow(MisuseError);
  await expect(used.add(() => 1)).rejects.toThrow(MisuseError);
  expect(() => used.free()).toThrow(MisuseError);
});
