// Workers that give up at primitives of several kinds and are killed at random moments. Afterwards every primitive works, and nothing of the
// waits is left.

import { Arena, Region } from '@sluice/core';
import { Session, soakSize, startWorker, type Message } from '@sluice/harness';
import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { BEGUN, create, GAVE_UP, handlesOf, hasGuard, LET_IN, waysOf, WORDS, type GiveUpData } from './jobs/give-ups.mjs';

const MODULE = new URL('./jobs/give-ups.mjs', import.meta.url).href;
const WORKERS = 3;
/** No wait of a worker that can go on takes as long. */
const DEADLINE_MS = 60_000;

test('primitives of all kinds work after waits that gave up and workers that were killed', { timeout: soakSize(120_000, 36_000_000) }, async () => {
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
  let living = Array.from({ length: WORKERS }, birth);
  let killed = 0;
  let last = count();
  let quietSince = performance.now();
  while ((killed < deaths || count() < giveUps) && failures.length === 0) {
    await pause(random.below(40));
    // The buffer's values go with the workers that took them.
    all.buffer.tryPush(1);
    if (Atomics.load(words, GAVE_UP) > 2 ** 30) given += Atomics.exchange(words, GAVE_UP, 0);
    if (count() !== last) [last, quietSince] = [count(), performance.now()];
    expect(performance.now() - quietSince, 'no wait ends any more').toBeLessThan(DEADLINE_MS);
    if (Atomics.load(words, BEGUN) < born || (killed >= deaths && random.chance(95))) continue;
    const victim = random.pick(living);
    living = living.filter((other) => other !== victim);
    await victim.worker.terminate();
    await victim.reclaimed;
    killed += 1;
    living.push(birth());
  }
  for (const { worker, reclaimed } of living) {
    await worker.terminate();
    await reclaimed;
  }
  expect(failures).toEqual([]);
  while (all.buffer.tryPop() !== undefined);
  all.buffer.push(1);
  for (const way of waysOf(all)) {
    // Twice: the first call may be told that an owner died.
    for (let time = 0; time < 2; time++) {
      let isIn = true;
      try {
        isIn = way.tryIt(1000);
      } catch (failure) {
        if (!hasGuard(failure)) throw failure;
      }
      expect(isIn).toBe(true);
      way.leave();
    }
  }
  expect(all.semaphore.inspect()).toMatchObject({ available: 2, waiters: [], abandoned: 0 });
  expect(arena.inspect().elements.waiting).toBe(0);
  const { total } = arena.inspect().elements;
  session.done(count(), `${killed} kills, ${Atomics.load(words, LET_IN)} waits let in, ${total} elements`);
});
