// Workers that have loaded different kinds die at any moment. The main thread watches them and has loaded only the
// core.

import { Arena, Region, Semaphore, type ReclaimReport } from '@sluice/core';
import { Session, soakSize, startWorker, type Message } from '@sluice/harness';
import { expect, test } from 'vitest';
import type { Worker } from 'node:worker_threads';
import { SLOTS, SLOT_WORDS, STOP, TOLD, type LifeData, type LockHandles, type LockName } from './jobs/subset.mjs';

const MODULE = new URL('./jobs/subset.mjs', import.meta.url).href;
const LOADS: readonly (readonly LockName[])[] = [[], [], ['plain'], ['deep'], ['plain', 'deep'], ['plain', 'deep']];
const PERMITS = 3;
/** The time limit of the watchdog for each wait, in ms. No test expects it. */
const WATCHDOG_MS = 120_000;

interface Life {
  readonly worker: Worker;
  readonly exited: Promise<number>;
  readonly result: Promise<unknown>;
}

class Storm {
  readonly session = new Session('workers with different kinds die');
  readonly arena = Arena.create({ maxPages: 64, policy: { buckets: 16 } });
  readonly permits = Semaphore.create(PERMITS, { arena: this.arena, name: 'permits' });
  readonly control = Region.create(4 * (SLOTS + SLOT_WORDS * LOADS.length), { arena: this.arena });
  readonly guarded = Region.create(16, { arena: this.arena });
  readonly reports: ReclaimReport[] = [];
  readonly #words = this.control.int32;
  #failure: Error | undefined;
  #born = 0;

  start(job: string, data: unknown): Life {
    const worker = startWorker({ module: MODULE, job, data, index: this.#born++, seed: this.session.seed });
    this.arena.watch(worker, { onReclaim: (report) => this.reports.push(report) });
    const result = new Promise((resolve) => {
      worker.on('message', (message: Message) => {
        if (message.kind === 'failed') this.#failure ??= new Error(`${job}: ${message.text}`);
        if (message.kind === 'done') resolve(message.result);
      });
    });
    worker.on('error', (failure) => (this.#failure ??= failure));
    return { worker, result, exited: new Promise((resolve) => worker.on('exit', resolve)) };
  }

  live(locks: LockHandles, slot: number): Life {
    const { arena, permits, control, guarded } = this;
    const data: LifeData = {
      arena: arena.handle,
      permits: permits.handle,
      control: control.handle,
      guarded: guarded.handle,
      locks,
      loads: [...(LOADS[slot] ?? [])],
      slot,
    };
    return this.start('live', data);
  }

  rounds(slot: number): number {
    return Atomics.load(this.#words, SLOTS + SLOT_WORDS * slot);
  }

  /** Terminates a worker now, or as soon as it owns a lock. */
  async end(life: Life, slot: number, asOwner: boolean): Promise<void> {
    const at = SLOTS + SLOT_WORDS * slot + 1;
    if (asOwner && (LOADS[slot] ?? []).length > 0) Atomics.store(this.#words, at, 1);
    else void life.worker.terminate();
    let isOver = false;
    void life.exited.then(() => (isOver = true));
    await this.until('a worker to end', () => isOver);
    Atomics.store(this.#words, at, 0);
  }

  get operations(): number {
    return LOADS.reduce((sum, _, slot) => sum + this.rounds(slot), 0);
  }

  /** Returns the number of recoveries that the main thread left to workers. */
  get pending(): number {
    return this.reports.filter((report) => report.pending.length > 0).length;
  }

  get told(): number {
    return Atomics.load(this.#words, TOLD);
  }

  stop(): void {
    Atomics.store(this.#words, STOP, 1);
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    const end = performance.now() + WATCHDOG_MS;
    while (!holds()) {
      if (this.#failure !== undefined) throw this.#failure;
      if (performance.now() > end)
        throw new Error(
          `Watchdog: after ${WATCHDOG_MS} ms still waiting for ${what} (seed ${this.session.seed}).\n${JSON.stringify(this.arena.inspect().agents)}`,
        );
      await pass(1);
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Waits until every worker has ended a round that it began after this call. So none sleeps forever at a dead worker's
   * lock.
   */
  async goOn(): Promise<void> {
    const before = LOADS.map((_, slot) => this.rounds(slot));
    await this.until('every worker to end two rounds', () =>
      before.every((rounds, slot) => this.rounds(slot) >= rounds + 2),
    );
  }
}

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

test('no lock or permit is lost when workers with different kinds die and the main thread has loaded none', async () => {
  const storm = new Storm();
  const { random } = storm.session;
  const founder = storm.start('found', storm.arena.handle);
  const locks = (await founder.result) as LockHandles;
  await founder.exited;
  const lives = LOADS.map((_, slot) => storm.live(locks, slot));
  const deaths = soakSize(60, 2000);
  try {
    // Continue until the main thread has left a recovery to a worker. On a busy machine workers are often faster.
    for (let died = 0; died < deaths || storm.pending === 0; died++) {
      await storm.goOn();
      if (random.chance(50)) await pass(random.below(10));
      // Sometimes kill two at the same time: one of them may be recovering the other.
      const slots = new Set([random.below(LOADS.length), ...(random.chance(30) ? [random.below(LOADS.length)] : [])]);
      await Promise.all([...slots].map((slot) => storm.end(lives[slot] as Life, slot, random.chance(50))));
      for (const slot of slots) lives[slot] = storm.live(locks, slot);
    }
    await storm.goOn();
    storm.stop();
    await Promise.all(lives.map(({ exited }) => exited));
  } finally {
    await Promise.all(lives.map(({ worker }) => worker.terminate()));
  }
  const auditor = storm.start('audit', locks);
  await storm.until('the audit', () => storm.reports.length > 0);
  expect(await auditor.result).toEqual(
    [0, 1].map(() => ({ owner: 0, waiters: 0, abandoned: 0, consistency: 'consistent' })),
  );
  await auditor.exited;
  await storm.until('the last agents to be recovered', () => storm.arena.inspect().agents.length === 1);
  expect(storm.permits.available).toBe(PERMITS);
  const guarded = storm.guarded.int32;
  expect([guarded[0], guarded[2]]).toEqual([guarded[1], guarded[3]]);
  const { pending } = storm;
  storm.session.done(
    storm.operations,
    `${storm.reports.length} recoveries by the main thread, ${pending} of them left to workers; owners told of a death: ${storm.told}`,
  );
});
