// Real workers at a broadcast, for stress tests.

import { Broadcast, type BroadcastOptions } from '@sluice/broadcast';
import { Arena, Region } from '@sluice/core';
import type { Session } from '@sluice/harness';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { INDEX_AT, INDEX_STRIDE, ROOM_BEFORE, SPARES, SPARES_AT } from '../../src/kernel/layout.ts';
import { STOP, type Life } from '../jobs/stream.mjs';

const JOB = new URL('../jobs/stream.mjs', import.meta.url);

/** A broadcast and its workers. */
export function workersAtBroadcast(
  session: Session,
  capacity: number,
  overflow: BroadcastOptions<Uint8Array>['overflow'] = 'lag',
) {
  const arena = Arena.create({ maxPages: 64 });
  const region = Region.create(16, { arena });
  const words = region.int32;
  const stream = Broadcast.create({ arena, codec: 'bytes', maxBytes: 256, capacity, overflow });
  const alive = new Set<Worker>();
  const failures: unknown[] = [];
  let ids = 0;
  const start = async (role: Life['role'], most = Infinity): Promise<Worker> => {
    const data: Life = {
      stream: stream.handle,
      words: region.handle,
      role,
      id: ++ids,
      seed: session.random.below(2 ** 31),
      most,
    };
    const worker = new Worker(JOB, { workerData: data, execArgv: [] });
    arena.watch(worker);
    worker.on('error', (failure) => failures.push(failure));
    worker.once('exit', () => alive.delete(worker));
    alive.add(worker);
    await once(worker, 'message');
    return worker;
  };
  /** Publishers and visitors end by themselves. The others end when the broadcast is closed. */
  const stop = async (workers: readonly Worker[]): Promise<void> => {
    const exits = workers.filter((worker) => alive.has(worker)).map((worker) => once(worker, 'exit'));
    Atomics.store(words, STOP, 1);
    await Promise.all(exits);
  };
  return { arena, stream, words, alive, failures, start, stop };
}

/** Returns the slots in the index and the spare slots, in order. */
export function slotsOf(stream: Broadcast<Uint8Array>): number[] {
  const { arena, capacity } = stream;
  const address = stream.handle.address + (stream.inspect().overflow === 'wait' ? ROOM_BEFORE : 0);
  const memory = new Int32Array(arena.handle.memory.buffer);
  const word = (offset: number): number => Atomics.load(memory, (address + offset) >> 2);
  const kept = Array.from({ length: capacity }, (_, entry) => word(INDEX_AT + entry * INDEX_STRIDE));
  return [...kept, ...Array.from({ length: SPARES }, (_, place) => word(SPARES_AT + 4 * place) - 1)].sort(
    (a, b) => a - b,
  );
}
