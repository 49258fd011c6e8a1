// Receiving results while the pool's thread sleeps until a message: with a real buffer, and a wake-up on a real word.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Arena, Region } from '@sluice/core';
import { BLOCK_LINE } from '@sluice/core/format';
import { contextOf } from '@sluice/core/internal';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { WakeMessage } from '../src/shared/wake-message.ts';
import { SharedMemories } from '../src/clone/shared.ts';
import { TaskCodec } from '../src/clone/value-codec.ts';
import type { Memory } from '../src/shared/memory.ts';
import { Results } from '../src/tasks/results.ts';
import { packResult } from '../src/messages/wire.ts';

const LONGEST = 1000;
const undo: (() => void)[] = [];

afterEach(() => {
  for (const one of undo.splice(0)) one();
});

/** The clock stands still: after some ms of work, the thread would handle the rest in a later turn. */
function makeResults(onResult?: () => void, clock: () => number = () => 0) {
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
  );
  undo.push(() => results.close());
  /** What a worker does, but for the message. Returns whether it must send one. */
  const put = (value: number): boolean => {
    const bytes = packResult({ slot: 0, flags: 0, began: 0, ended: 0 }, value, codec, LONGEST);
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
