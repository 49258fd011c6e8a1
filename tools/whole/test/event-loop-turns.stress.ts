// Tests loops over primitives that a worker keeps filled. A loop ends only if the event loop of this thread runs: by a
// timer, a signal of the process, an `AbortSignal`, or the recovery of a worker.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { toReadable } from '@sluice/bounded-buffer/node-streams';
import { toWebStream } from '@sluice/bounded-buffer/web-streams';
import { Broadcast, WatchCell } from '@sluice/broadcast';
import { Arena, Semaphore } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { Filled } from './jobs/keeps-filled.mjs';

const JOB = new URL('./jobs/keeps-filled.mjs', import.meta.url);
const options = { codec: 'int32', capacity: 8192 } as const;

async function beside(data: Filled, act: () => Promise<void>): Promise<void> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(JOB, { workerData: { ...data, stop: stop.buffer } });
  await once(worker, 'message');
  try {
    await act();
  } finally {
    Atomics.store(stop, 0, 1);
    await worker.terminate();
  }
}

/**
 * Loops until `isOver` returns true, which needs another turn of the event loop. Otherwise the test's timeout ends it.
 */
async function loop(values: AsyncIterable<unknown>, isOver: () => boolean): Promise<void> {
  const iterator = values[Symbol.asyncIterator]();
  while (!isOver()) await iterator.next();
  await iterator.return?.();
}

async function* popped(buffer: BoundedBuffer<number>): AsyncGenerator<number> {
  for (;;) yield await buffer.popAsync();
}

interface Source {
  readonly data: Filled;
  readonly values: AsyncIterable<unknown>;
}

const SOURCES: Readonly<Record<string, () => Source>> = {
  'a buffer': () => {
    const buffer = BoundedBuffer.create(options);
    return { data: { buffer: buffer.handle }, values: buffer };
  },
  'popAsync of a buffer': () => {
    const buffer = BoundedBuffer.create(options);
    return { data: { buffer: buffer.handle }, values: popped(buffer) };
  },
  'a web stream of a buffer': () => {
    const buffer = BoundedBuffer.create(options);
    return { data: { buffer: buffer.handle }, values: toWebStream(buffer) };
  },
  'a Readable of a buffer': () => {
    const buffer = BoundedBuffer.create(options);
    return { data: { buffer: buffer.handle }, values: toReadable(buffer) };
  },
  'a subscription': () => {
    const broadcast = Broadcast.create(options);
    return { data: { broadcast: broadcast.handle }, values: broadcast.subscribe({ onLag: () => undefined }) };
  },
  'a watch cell': () => {
    const cell = WatchCell.create(0, { codec: 'int32' });
    return { data: { cell: cell.handle }, values: cell };
  },
};

test.each(Object.entries(SOURCES))('timers fire during a loop over %s', async (_name, open) => {
  const { data, values } = open();
  await beside(data, async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    await loop(values, () => ticks >= 20);
    clearInterval(timer);
  });
});

test('a signal of the process arrives during a loop over a full buffer', async () => {
  const { data, values } = (SOURCES['a buffer'] as () => Source)();
  await beside(data, async () => {
    let hasCome = false;
    process.once('SIGUSR2', () => (hasCome = true));
    process.kill(process.pid, 'SIGUSR2');
    await loop(values, () => hasCome);
  });
});

test('AbortSignal.timeout ends a loop of acquireAsync of a free semaphore', async () => {
  const semaphore = Semaphore.create(1);
  const signal = AbortSignal.timeout(20);
  const turns = async (): Promise<void> => {
    for (;;) {
      await semaphore.acquireAsync(1, { signal });
      semaphore.release();
    }
  };
  await expect(turns()).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('a worker that died with a mutex is recovered during a loop over a full buffer', async () => {
  const { data, values } = (SOURCES['a buffer'] as () => Source)();
  const mutex = Mutex.create();
  await beside(data, async () => {
    let isRecovered = false;
    Arena.default().watch(new Worker(JOB, { workerData: { mutex: mutex.handle } }), {
      onReclaim: () => (isRecovered = true),
    });
    await loop(values, () => isRecovered);
    expect(mutex.inspect().owner).toBe(0);
  });
});
