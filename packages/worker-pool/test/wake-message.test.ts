// Receiving results while the pool's thread sleeps until a message: with a real buffer, and a wake-up on a real word.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Arena, Region } from '@sluice/core';
import { BLOCK_LINE } from '@sluice/core/format';
import { contextOf } from '@sluice/core/internal';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { WakeMessage } from '../src/shared/wake-message.ts';
import { SharedMemories } from '../src/clone/shared-memories.ts';
import { TaskCodec } from '../src/clone/task-codec.ts';
import type { Memory } from '../src/shared/memory.ts';
import { Results } from '../src/tasks/results.ts';
import { packResult } from '../src/messages/wire.ts';

const LONGEST = 1000;
const undo: (() => void)[] = [];

afterEach(() => {
  for (const one of undo.splice(0)) one();
});

/** The clock stands still: after some ms of work, the thread would handle the rest in a later turn. */
function makeResults(onResult?: () => void, clock: () => number = () => 0, cores = 2) {
  const arena = Arena.create({ maxPages: 16 });
  const buffer = BoundedBuffer.create<Uint8Array>({ arena, codec: 'bytes', ringBytes: 4096 });
  const region = Region.create(4, { arena });
  const wakeMessage = new WakeMessage(contextOf(arena).words, region.handle.address + BLOCK_LINE);
  const codec = new TaskCodec(new SharedMemories([arena.handle.memory]));
  const received: unknown[] = [];
  const failures: unknown[] = [];
  const events = {
    onResult: (_: unknown, read: () => unknown) => {
      received.push(read());
      onResult?.();
    },
    onFailure: (failure: unknown) => void failures.push(failure),
  };
  const results = new Results(
    { results: buffer, slotTable: { wakeMessage } } as unknown as Memory,
    codec,
    events,
    clock,
    cores,
  );
  undo.push(() => results.close());
  /** What a worker does, but for the message. Returns whether it must send one. */
  const put = (value: number, ended = 0): boolean => {
    const bytes = packResult({ slot: 0, flags: 0, began: 0, ended }, value, codec, LONGEST);
    if (bytes === undefined || !buffer.tryPush(bytes)) throw new Error('The buffer did not take the result.');
    return wakeMessage.claim();
  };
  return { buffer, results, received, failures, put };
}

/** Whether the handle of the buffer leads nowhere. */
function isFreed({ handle }: BoundedBuffer<Uint8Array>): boolean {
  try {
    BoundedBuffer.from(handle);
    return false;
  } catch (failure) {
    expect(failure).toMatchObject({ code: 'SLUICE_HANDLE' });
    return true;
  }
}

test('the first result after a sleep wakes the thread, and those that follow do not', () => {
  const { results, received, put } = makeResults();
  results.start();
  expect([put(1), put(2), put(3)]).toEqual([true, false, false]);
  expect(received).toEqual([]);
  results.receive();
  expect(received).toEqual([1, 2, 3]);
  expect(put(4)).toBe(true);
});

test('a result that is put in while others are handled is handled with them, without a message', () => {
  const rings: boolean[] = [];
  const { results, received, put } = makeResults(() => {
    if (received.length < 3) rings.push(put(received.length + 1));
  });
  results.start();
  put(1);
  results.receive();
  expect(received).toEqual([1, 2, 3]);
  expect(rings).toEqual([false, false]);
});

test('the results of a worker that died before its message are handled at the end of the worker', async () => {
  const { results, received, put } = makeResults();
  results.start();
  // The message is never sent. The second worker sees that the message was claimed.
  put(1);
  put(2);
  await results.caughtUp();
  expect(received).toEqual([1, 2]);
});

test('after 5 ms of handling, the event loop turns, and results that come in between need no message', async () => {
  let ms = 0;
  const { results, received, put } = makeResults(
    () => (ms += 5),
    () => ms,
  );
  results.start();
  put(1);
  results.receive();
  expect(put(2)).toBe(false);
  expect(received).toEqual([1]);
  await turn();
  expect(received).toEqual([1, 2]);
  await turn();
  expect(put(3)).toBe(true);
});

test('results that are there before the start are handled at the start', () => {
  const { results, received, put } = makeResults();
  put(1);
  results.start();
  expect(received).toEqual([1]);
});

test('a failure ends the receiving, and the buffer is freed by close', async () => {
  const { buffer, results, received, failures, put } = makeResults(() => {
    throw new Error('no');
  });
  results.start();
  put(1);
  results.receive();
  expect(failures).toMatchObject([{ message: 'no' }]);
  put(2);
  results.receive();
  await results.caughtUp();
  expect(received).toEqual([1]);
  expect(isFreed(buffer)).toBe(false);
  results.close();
  expect(isFreed(buffer)).toBe(true);
});

test('close while results are handled frees the buffer afterwards, and handles no further batch', async () => {
  const { buffer, results, received, put } = makeResults(() => results.close());
  results.start();
  put(1);
  results.receive();
  await turn();
  expect(received).toEqual([1]);
  expect(isFreed(buffer)).toBe(true);
});

/** Makes results of which the first came from a task that took so many ms. */
function afterTask(ms: number, { clock = () => 0, cores = 2 }: { clock?: () => number; cores?: number } = {}) {
  const made = makeResults(undefined, clock, cores);
  made.results.start();
  made.put(0, ms);
  made.results.receive();
  return made;
}

test('the result of a short task needs no message while the thread stays awake', async () => {
  const { results, received, put } = afterTask(0.01);
  results.expect(1);
  expect(put(1)).toBe(false);
  expect(received).toEqual([0]);
  await turn();
  expect(received).toEqual([0, 1]);
  expect(put(2)).toBe(true);
});

test('the thread sleeps if the result does not come within 0.1 ms', async () => {
  let ms = 0;
  const { results, received, put } = afterTask(0.01, { clock: () => ms });
  results.expect(1);
  await turn();
  ms = 0.05;
  await turn();
  ms = 0.2;
  await turn();
  expect(put(1)).toBe(true);
  expect(received).toEqual([0]);
});

test('other callbacks of the event loop run while the thread stays awake', async () => {
  let [ms, ticks] = [0, 0];
  const { results } = afterTask(0.01, { clock: () => (ms += 1 / 128) });
  results.expect(1);
  for (; ticks < 3; ticks++) await turn();
  expect(ticks).toBe(3);
  expect(ms).toBeLessThan(0.2);
});

test.each([
  ['the last tasks took long', 0.06, 2, 1],
  ['as many tasks run as there are cores', 0.01, 2, 2],
  ['there is one core', 0.01, 1, 1],
])('the thread does not stay awake if %s', (_, taskMs, cores, inFlight) => {
  const { results, put } = afterTask(taskMs, { cores });
  results.expect(inFlight);
  expect(put(1)).toBe(true);
});

test('the thread does not stay awake before a task has ended', () => {
  const { results, put } = makeResults();
  results.start();
  results.expect(1);
  expect(put(1)).toBe(true);
});

test('the thread does not stay awake while a message is on its way', async () => {
  const { results, received, put } = afterTask(0.01);
  expect(put(1)).toBe(true);
  results.expect(1);
  await turn();
  expect(received).toEqual([0]);
  results.receive();
  expect(received).toEqual([0, 1]);
});

test('a close while the thread stays awake frees the buffer in the next turn', async () => {
  const { buffer, results } = afterTask(0.01);
  results.expect(1);
  results.close();
  expect(isFreed(buffer)).toBe(false);
  await turn();
  expect(isFreed(buffer)).toBe(true);
});
