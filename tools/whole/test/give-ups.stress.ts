// Tests workers that cancel waits at primitives of several kinds and are killed at random moments. After each kill
// every wait without a timeout ends, every primitive works, and no trace of the waits is left.

import { Arena, Region } from '@sluice/core';
import { Session, soakSize, startWorker, type Message } from '@sluice/harness';
import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import {
  BEGUN,
  create,
  GAVE_UP,
  HALTED,
  handlesOf,
  IDLE,
  LET_IN,
  tryOnce,
  waysOf,
  WORDS,
  type GiveUpData,
} from './jobs/give-ups.mjs';

const MODULE = new URL('./jobs/give-ups.mjs', import.meta.url).href;
const WORKERS = 3;
/** Longer than any wait of a worker that makes progress. */
const DEADLINE_MS = 60_000;

test('primitives of all kinds work after waits were cancelled and workers were killed', {
  timeout: soakSize(300_000, 36_000_000),
}, async () => {
  const session = new Session('give-ups');
  const { random } = session;
  const [deaths, giveUps] = [soakSize(12, 5000), soakSize(20_000, 10_000_000)];
  const arena = Arena.create({ maxPages: 512 });
  const region = Region.create(4 * WORDS, { arena });
  const all = create(arena);
  const data: GiveUpData = { arena: arena.handle, words: region.handle, handles: handlesOf(all) };
  const words = region.int32;
  const failures: string[] = [];
  let fail: (text: string) => void = () => undefined;
  const failed = new Promise<string>((resolve) => (fail = resolve));
  let born = 0;
  let given = 0;
  const birth = (): { worker: Worker; reclaimed: Promise<unknown> } => {
    const worker = startWorker({ module: MODULE, job: 'giveUps', data, index: born++, seed: session.seed });
    worker.on('message', (message: Message) => {
      if (message.kind !== 'failed') return;
      failures.push(message.text);
      fail(message.text);
    });
    const reclaimed = new Promise<unknown>((resolve) => arena.watch(worker, { onReclaim: resolve }));
    // A worker that failed may leave nothing to reclaim.
    return { worker, reclaimed: Promise.race([reclaimed, failed]) };
  };
  const count = (): number => given + Atomics.load(words, GAVE_UP);
  const waitFor = async (what: string, isSo: () => boolean): Promise<void> => {
    const began = performance.now();
    while (!isSo() && failures.length === 0) {
      // The values of the buffer are lost with the workers that took them.
      all.buffer.tryPush(1);
      expect(performance.now() - began, what).toBeLessThan(DEADLINE_MS);
      await pause(1);
    }
    expect(failures).toEqual([]);
  };
  let living = Array.from({ length: WORKERS }, birth);
  let killed = 0;
  const kill = async (): Promise<void> => {
    const victim = random.pick(living);
    living = living.filter((other) => other !== victim);
    await victim.worker.terminate();
    await victim.reclaimed;
    killed += 1;
  };
  /** Stops all workers between two waits. Then every permit is free. */
  const check = async (): Promise<void> => {
    Atomics.store(words, HALTED, 1);
    await waitFor('a wait to end', () => Atomics.load(words, IDLE) === living.length);
    while (all.buffer.tryPop() !== undefined);
    all.buffer.push(1);
    for (const way of waysOf(all)) {
      expect(tryOnce(way, 1000)).toBe(true);
      way.leave();
    }
    expect(all.semaphore.inspect()).toMatchObject({ available: 2, waiters: [], abandoned: 0 });
    expect(all.lanes.available).toBe(2);
    expect(arena.inspect().elements.waiting).toBe(0);
    Atomics.store(words, IDLE, 0);
    Atomics.store(words, HALTED, 0);
    Atomics.notify(words, HALTED);
  };
  while (killed < deaths || count() < giveUps) {
    await waitFor('a worker to begin', () => Atomics.load(words, BEGUN) === born);
    await pause(random.below(40));
    if (Atomics.load(words, GAVE_UP) > 2 ** 30) given += Atomics.exchange(words, GAVE_UP, 0);
    // At the end only give-ups may be missing.
    if (killed < deaths || random.chance(5)) await kill();
    await check();
    while (living.length < WORKERS) living.push(birth());
  }
  await waitFor('a worker to begin', () => Atomics.load(words, BEGUN) === born);
  while (living.length > 0) await kill();
  await check();
  const { total } = arena.inspect().elements;
  session.done(count(), `${killed} kills, ${Atomics.load(words, LET_IN)} waits let in, ${total} elements`);
});
