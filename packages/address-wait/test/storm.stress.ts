import { SharedWord } from '@sluice/address-wait';
import { Arena, Region } from '@sluice/core';
import { scale, Session, startWorker } from '@sluice/harness';
import { expect, test } from 'vitest';
import { PAYLOAD, signalAll, STOP, WAITS, type WaysData } from './jobs/ways.mjs';

const WORKERS = 4;
const KILL_MS = 50;
/** A worker that has not ended by then is stuck. Until then it may have to start on a busy machine. */
const STUCK_MS = 120_000;

test.each([false, true])(
  'a waiter of each way is woken and sees all writes before the signal (workers are killed: %s)',
  async (kills) => {
    const session = new Session(`every way, kills: ${kills}`);
    const arena = Arena.create({ maxPages: 512, policy: { buckets: 2 } });
    const words = Region.create(64, { arena }).int32;
    const word = SharedWord.create(0, { arena });
    const live = new Set<ReturnType<typeof startWorker>>();
    const failures: unknown[] = [];
    let killed = 0;
    const start = (index: number): void => {
      const data: WaysData = { word: word.handle, words };
      const worker = startWorker({
        module: new URL('./jobs/ways.mjs', import.meta.url).href,
        job: 'follow',
        data,
        seed: session.seed,
        index,
      });
      live.add(worker);
      arena.watch(worker);
      worker.on('error', (failure) => failures.push(failure));
      worker.on(
        'message',
        ({ kind, text }: { readonly kind: string; readonly text?: string }) => kind === 'failed' && failures.push(text),
      );
      worker.on('exit', () => live.delete(worker));
    };
    for (let index = 0; index < WORKERS; index++) start(index);
    const end = performance.now() + scale(600);
    // Fails if all workers were killed before they began to wait.
    for (let next = performance.now() + KILL_MS; performance.now() < end || words[WAITS] === 0; ) {
      words[PAYLOAD] = word.load() + 1;
      word.add(1);
      signalAll(word);
      await new Promise((resolve) => setImmediate(resolve));
      if (!kills || words[WAITS] === 0 || performance.now() < next) continue;
      next = performance.now() + KILL_MS;
      await session.random.pick([...live]).terminate();
      killed += 1;
      start(WORKERS + killed);
    }
    Atomics.store(words, STOP, 1);
    signalAll(word);
    const last = performance.now() + scale(STUCK_MS);
    while (live.size > 0 && performance.now() < last) await new Promise((resolve) => setTimeout(resolve, 10));
    const stuck = live.size;
    for (const worker of live) await worker.terminate();
    expect(failures).toEqual([]);
    expect(stuck, 'workers are stuck').toBe(0);
    expect(words[WAITS]).toBeGreaterThan(0);
    session.done(words[WAITS] ?? 0, `${word.load()} changes, ${killed} killed`);
  },
);
