import { Arena, Semaphore, type Region } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { HEADER_ELEMENT_POOL } from '../src/kernel/layout.ts';
import { CALLS, PAUSE, RUNNING, SLOTS, SLOT_WORDS, TALLIES, TALLY_NAMES } from './jobs/death-words.mjs';
import type { CrashData } from './jobs/crash.mjs';
import type { Way } from './jobs/crash-ways.mjs';
import { Crashing, Registry } from './support/death-workers.ts';
import { sharedWords } from './support/stress.ts';

const module = new URL('./jobs/crash.mjs', import.meta.url);
/** Each of them ends by itself. In a damaged arena no other call may be made. */
const WAYS: readonly Way[] = [
  'try for',
  'patient',
  'async for',
  'async, aborted',
  'burst',
  'drain',
  'churn',
  'churn',
  'churn',
];
const WORKERS = 5;
const PERMITS = [2, 1];
/** A time limit for the watchdog. No test expects it. */
const WATCHDOG_MS = 120_000;

/**
 * An arena in which workers with `engine: 'js'` live and die. The main thread only reads: it walks no chain that may be
 * damaged.
 */
class Ward {
  readonly arena = Arena.create({ maxPages: 64, policy: { buckets: 8 } });
  readonly registry = new Registry(this.arena);
  readonly sems = PERMITS.map((permits) => Semaphore.create(permits, { arena: this.arena }));
  readonly control: Region = sharedWords(this.arena, SLOTS + SLOT_WORDS * (WORKERS + 1));
  readonly words = this.control.int32;
  readonly recoverer: Crashing;
  readonly alive: Crashing[];
  #pauses = 0;

  constructor({ random, seed }: Session, trial: number) {
    const data = (slot: number, engine: 'wasm' | 'js'): CrashData => ({
      arena: this.arena.handle,
      engine,
      semaphores: this.sems.map(({ handle }, which) => ({ handle, permits: PERMITS[which] ?? 0 })),
      lock: undefined,
      control: this.control.handle,
      slot,
      fate: 'killed',
      rounds: Infinity,
      ways: [...WAYS],
      joins: 0,
      reclaims: 0,
      exact: false,
    });
    const start = (job: string, slot: number, engine: 'wasm' | 'js'): Crashing =>
      new Crashing({ module, job, data: data(slot, engine) }, trial * (WORKERS + 1) + slot, seed, () => undefined);
    this.alive = Array.from({ length: WORKERS }, (_, slot) => start('live', slot, 'js'));
    this.recoverer = start('recoverAll', WORKERS, random.chance(50) ? 'js' : 'wasm');
  }

  state({ slot }: Crashing): number {
    return Atomics.load(this.words, SLOTS + SLOT_WORDS * slot);
  }

  get ready(): boolean {
    return [...this.alive, this.recoverer].every((mayCrash) => this.state(mayCrash) === RUNNING);
  }

  tally(name: (typeof TALLY_NAMES)[number]): number {
    return Atomics.load(this.words, TALLIES + TALLY_NAMES.indexOf(name));
  }

  /** Waits until `holds` returns true. Fails if a worker fails; a death is no failure. */
  async until(what: string, holds: () => boolean): Promise<void> {
    const end = performance.now() + WATCHDOG_MS;
    while (!holds()) {
      const failed = [...this.alive, this.recoverer].find(({ exitedAt }) => exitedAt !== 0);
      if (failed !== undefined) await failed.gone;
      if (performance.now() > end) {
        throw new Error(`Watchdog: still waiting for ${what}.\n${inspect(this.arena.inspect(), { depth: 5 })}`);
      }
      await pass(1);
    }
  }

  /** Kills one worker and waits until it is recovered, whatever it left behind. */
  async kill(victim: Crashing): Promise<void> {
    this.alive.splice(this.alive.indexOf(victim), 1);
    victim.terminate('at work');
    await victim.gone;
    await this.until('a dead worker to be recovered', () => {
      Atomics.add(this.words, CALLS, 1);
      Atomics.notify(this.words, CALLS);
      return this.registry.agentsOf(victim.thread).length === 0;
    });
  }

  /**
   * Pauses all workers. Returns the number of missing permits of all semaphores, which is negative if there are too
   * many.
   */
  async countMissing(): Promise<number[]> {
    const pause = (this.#pauses += 1);
    Atomics.store(this.words, PAUSE, pause);
    await this.until('all workers to pause', () => this.alive.every((mayCrash) => this.state(mayCrash) === pause));
    const missing = this.sems.map((sem, which) => {
      const { available, holders } = sem.inspect();
      return (PERMITS[which] ?? 0) - available - holders.reduce((sum, { permits }) => sum + permits, 0);
    });
    Atomics.store(this.words, PAUSE, 0);
    Atomics.notify(this.words, PAUSE);
    return missing;
  }

  /** Counts the elements of waiters that no living agent owns. */
  get lostElements(): number {
    const agents = this.arena.inspect().agents.map(({ agent }) => agent);
    return this.registry.owners(HEADER_ELEMENT_POOL).filter((owner) => !agents.includes(owner)).length;
  }

  async end(): Promise<void> {
    await Promise.all([...this.alive, this.recoverer].map(({ worker }) => worker.terminate()));
  }
}

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

test('deaths of workers with the TypeScript kernel may lose or double permits, and each recovery ends', async () => {
  const session = new Session('workers of the reference kernel die');
  const deaths = soakSize(30, 1000);
  const sum = { died: 0, lost: 0, doubled: 0, together: 0, stranded: 0, elements: 0, operations: 0 };
  for (let trial = 0; sum.died < deaths; trial++) {
    const ward = new Ward(session, trial);
    try {
      await ward.until('all workers to come to work', () => ward.ready);
      // Replace a damaged arena, so that each death shows its own damage only.
      for (let intact = true; intact && ward.alive.length > 1 && sum.died < deaths; sum.died++) {
        const before = ward.tally('lost patience');
        await pass(session.random.below(20));
        await ward.kill(session.random.pick(ward.alive));
        // Long enough for a call to be reported as endless.
        const missing = await ward.countMissing();
        // A death interrupts one step, so no permit can exist more than twice.
        for (const [which, count] of missing.entries()) expect(-count).toBeLessThanOrEqual(PERMITS[which] ?? 0);
        const lost = missing.some((count) => count > 0);
        const doubled = missing.some((count) => count < 0);
        const stranded = !lost && ward.tally('lost patience') > before;
        const elements = ward.lostElements;
        sum.lost += Number(lost);
        sum.doubled += Number(doubled);
        sum.stranded += Number(stranded);
        sum.elements += elements;
        intact = !lost && !doubled && !stranded && elements === 0;
      }
    } catch (failure) {
      throw new Error(`seed ${session.seed}: ${(failure as Error).message}`, { cause: failure });
    } finally {
      await ward.end();
    }
    sum.operations += ward.tally('operations');
    sum.together += ward.tally('intrusions');
  }
  const details = [
    `of ${sum.died} deaths ${sum.lost} lost a permit`,
    `${sum.doubled} left one twice (held by two agents at once ${sum.together} times)`,
    `${sum.stranded} stranded a waiter beside free permits`,
    `${sum.elements} elements of waiters were lost`,
  ];
  session.done(sum.operations, details.join(', '));
});
