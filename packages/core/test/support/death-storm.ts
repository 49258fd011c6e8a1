// The death storm: workers die at any moment, and the main thread checks that nothing is lost.

import type { ReclaimReport } from '@sluice/core';
import type { Session } from '@sluice/harness';
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { CHOKING, PAUSE, STARTING, tally, tallyReports, TALLY_NAMES } from '../jobs/death-words.mjs';
import type { StormDriver } from './storm-driver.ts';
import { drawFate, Crashing } from './death-workers.ts';

export interface DeathStormOptions {
  readonly deaths: number;
  readonly workers: number;
  /** The percentage of a worker's rounds in which it recovers dead agents. At 0 only the main thread recovers them. */
  readonly reclaims: number;
}

/** The number of deaths from one pause to the next. */
const DEATHS_PER_PAUSE = 10;
/** The number of deaths after which the arena no longer grows. */
const WARM = 50;
/** The time limit of the watchdog for each wait, in ms. No test expects it. */
const WATCHDOG_MS = 120_000;
const PROGRESS_BAR_MS = 100;
const LOOK_MS = 2;

export class DeathStorm {
  readonly #options: DeathStormOptions;
  readonly #session: Session;
  readonly #driver: StormDriver;
  readonly #alive = new Set<Crashing>();
  readonly #mournings = new Set<Promise<void>>();
  readonly #kinds = new Map<string, number>();
  /**
   * Times in ms from a worker's exit event until its agents were recovered, and until the other agents had been served.
   */
  readonly #recovery: number[] = [];
  readonly #progress: number[] = [];
  /** Agents whose recovery was reported. */
  readonly #reported = new Set<number>();
  readonly #failure: Promise<never>;
  #fail: (reason: unknown) => void = () => undefined;
  #resumed: Promise<void> = Promise.resolve();
  #toDie: number;
  /** Deaths during which a living worker with permits ran out of heap, which takes 50 to 100 ms. */
  #notCounted = 0;
  #choked = 0;
  #died = 0;
  #pauses = 0;
  #born = 0;
  #over = false;

  constructor(options: DeathStormOptions, session: Session, driver: StormDriver) {
    this.#options = options;
    this.#session = session;
    this.#toDie = options.deaths;
    this.#failure = new Promise((_, reject) => (this.#fail = reject));
    this.#failure.catch(() => undefined);
    this.#driver = driver;
  }

  /** Runs the storm to its end and checks everything. */
  async run(): Promise<void> {
    try {
      this.#driver.warmUp();
      const slots = Array.from({ length: this.#options.workers }, (_, slot) => this.#keepFull(slot));
      const all = Promise.all([this.#pauseNowAndThen(), ...slots]);
      void this.#keepLooking();
      await Promise.race([all.then(() => Promise.all(this.#mournings)), this.#failure]);
      this.#driver.checkQuiet();
      this.#driver.checkEmpty();
    } catch (failure) {
      throw new Error(`${(failure as Error).message}\nseed ${this.#session.seed}\n${this.#dump()}`, { cause: failure });
    } finally {
      this.#over = true;
      await Promise.all([...this.#alive].map(({ worker }) => worker.terminate()));
    }
    this.#print();
  }

  /** Keeps a worker in the slot until enough workers have died. */
  async #keepFull(slot: number): Promise<void> {
    while (this.#toDie > 0 && !this.#over) {
      this.#toDie -= 1;
      const mayCrash = this.#bear(slot);
      const hunted = mayCrash.fate === 'killed' ? this.#hunt(mayCrash) : undefined;
      // The worker may die of another cause first. It is then also replaced at once.
      const how = await Promise.race([
        mayCrash.gone,
        ...(hunted === undefined ? [] : [hunted.then(() => mayCrash.gone)]),
      ]);
      this.#alive.delete(mayCrash);
      if (mayCrash.fate === 'memory') this.#choked = mayCrash.exitedAt;
      this.#count(how);
      this.#died += 1;
      const agent = Atomics.load(this.#driver.words, this.#driver.slot(slot) + 1);
      const mourning = this.#mourn(mayCrash, agent).then(() => void this.#mournings.delete(mourning), this.#fail);
      this.#mournings.add(mourning);
    }
  }

  #bear(slot: number): Crashing {
    const { arena, control, words, registry } = this.#driver;
    const { random, seed } = this.#session;
    const { reclaims } = this.#options;
    words.fill(STARTING, this.#driver.slot(slot), this.#driver.slot(slot + 1));
    const life = {
      arena: arena.handle,
      engine: 'wasm' as const,
      control: control.handle,
      slot,
      reclaims,
      ...drawFate(random),
    };
    const onReclaim = (report: ReclaimReport): void => this.#note(report);
    const mayCrash = new Crashing(this.#driver.birth(life, random), this.#born++, seed, (worker) => {
      const thread = worker.threadId + 1;
      worker.on('exit', () => {
        tally(words, 'recoveries interrupted', registry.recoveriesOf(thread));
        this.#guarded(() => this.#driver.onExit(slot, thread));
      });
      arena.watch(worker, { onReclaim });
    });
    this.#alive.add(mayCrash);
    return mayCrash;
  }

  async #keepLooking(): Promise<void> {
    while (!this.#over) {
      this.#guarded(() => this.#driver.look(this.#alive));
      await pass(LOOK_MS);
    }
  }

  /** Runs `act`. An error that it throws ends the storm. */
  #guarded(act: () => void): void {
    try {
      act();
    } catch (failure) {
      this.#fail(failure);
    }
  }

  #note(report: ReclaimReport): void {
    if (this.#reported.has(report.agent)) this.#fail(new Error(`Agent ${report.agent} was recovered twice.`));
    this.#reported.add(report.agent);
    tallyReports(this.#driver.words, [report]);
    this.#guarded(() => this.#driver.onReclaim(report));
  }

  /** Terminates a worker at a random moment, and sometimes another worker, too. */
  async #hunt(mayCrash: Crashing): Promise<void> {
    const { random } = this.#session;
    const { registry } = this.#driver;
    const dice = random.below(20);
    const isGone = (): boolean => mayCrash.exitedAt !== 0;
    if (dice < 3) await pass(random.below(40));
    else if (dice < 5)
      await this.#until('a worker to join', () => isGone() || registry.agentsOf(mayCrash.thread).length > 0);
    else {
      await this.#until('a worker to come to work', () => isGone() || this.#state(mayCrash) !== STARTING);
      if (dice < 12) await pass(random.below(25));
      else {
        const end = performance.now() + 200;
        await this.#until(
          'a worker to wait',
          () => isGone() || performance.now() > end || registry.waits(mayCrash.thread),
        );
      }
    }
    await this.#resumed;
    if (!mayCrash.isQuarry) return;
    mayCrash.terminate(this.#doing(mayCrash));
    if (random.chance(30)) this.#hitAnother(mayCrash, random.chance(60));
  }

  /** Terminates another worker directly after the first, or as soon as an agent begins to recover the first. */
  #hitAnother(first: Crashing, whenItRecovers: boolean): void {
    const { registry } = this.#driver;
    const others = [...this.#alive].filter((other) => other !== first && other.isQuarry);
    if (others.length === 0) return;
    this.#count('(two at once)');
    const byAgent = new Map(others.flatMap((other) => registry.agentsOf(other.thread).map((agent) => [agent, other])));
    const waits = whenItRecovers && this.#options.reclaims > 0 ? 8 : 0;
    const found = byAgent.get(registry.recovererOf(first.thread, performance.now() + waits));
    if (found !== undefined) return found.terminate('while recovering');
    const second = this.#session.random.pick(others);
    second.terminate(this.#doing(second));
  }

  #doing(mayCrash: Crashing): string {
    const { registry } = this.#driver;
    if (registry.agentsOf(mayCrash.thread).length === 0) return 'while starting';
    if (this.#state(mayCrash) === STARTING) return 'while joining';
    if (registry.recoveriesOf(mayCrash.thread) > 0) return 'while recovering';
    return registry.waits(mayCrash.thread) ? 'in line' : 'at work';
  }

  /**
   * Waits after a death until the worker's agents are recovered and everything that they may have held is available.
   */
  async #mourn({ thread, exitedAt }: Crashing, agent: number): Promise<void> {
    await this.#until('a dead worker to be recovered', () => this.#driver.registry.agentsOf(thread).length === 0);
    this.#recovery.push(performance.now() - exitedAt);
    if (this.#options.reclaims === 0 && agent !== 0) expect(this.#reported.has(agent)).toBe(true);
    await this.#driver.passThrough(WATCHDOG_MS);
    const isChoking = [...this.#alive].some((other) => this.#state(other) === CHOKING);
    if (isChoking || this.#choked > exitedAt) this.#notCounted += 1;
    else this.#progress.push(performance.now() - exitedAt);
  }

  async #pauseNowAndThen(): Promise<void> {
    const { words } = this.#driver;
    for (let next = DEATHS_PER_PAUSE; next < this.#options.deaths; next += DEATHS_PER_PAUSE) {
      await this.#until('more deaths', () => this.#died >= next);
      let resume: () => void = () => undefined;
      this.#resumed = new Promise((resolve) => (resume = resolve));
      const pause = (this.#pauses += 1);
      Atomics.store(words, PAUSE, pause);
      const isStill = (mayCrash: Crashing): boolean => this.#state(mayCrash) === pause && mayCrash.exitedAt === 0;
      await this.#until('all workers to pause', () => this.#mournings.size === 0 && [...this.#alive].every(isStill));
      this.#driver.checkQuiet();
      if (this.#died >= WARM) this.#driver.notePlateau();
      Atomics.store(words, PAUSE, 0);
      Atomics.notify(words, PAUSE);
      resume();
    }
  }

  #state({ slot }: Crashing): number {
    return Atomics.load(this.#driver.words, this.#driver.slot(slot));
  }

  #count(kind: string): void {
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    const end = performance.now() + WATCHDOG_MS;
    while (!holds()) {
      if (this.#over) return;
      if (performance.now() > end) throw new Error(`Watchdog: after ${WATCHDOG_MS} ms still waiting for ${what}.`);
      await pass(1);
    }
  }

  #dump(): string {
    const states = [...this.#alive].map((mayCrash) => {
      const { slot, fate, thread, isQuarry } = mayCrash;
      return { slot, fate, thread, isQuarry, state: this.#state(mayCrash) };
    });
    const { agents, elements, pages, used } = this.#driver.arena.inspect();
    return inspect(
      { died: this.#died, states, driver: this.#driver.dump(), agents, elements, pages, used },
      { depth: 6 },
    );
  }

  #print(): void {
    const tallies = TALLY_NAMES.slice(1, -2).map((name) => `${name} ${this.#driver.tallied(name)}`);
    const kinds = [...this.#kinds].sort().map(([kind, count]) => `${kind} ${count}`);
    const [worst, p99] = worstOf(this.#progress);
    const bar = worst <= PROGRESS_BAR_MS ? 'met' : 'missed';
    const lines = [
      `${this.#died} deaths, ${this.#pauses} pauses`,
      `died: ${kinds.join(', ')}`,
      `recovered: ${tallies.join(', ')}`,
      `recovered after: worst ${worstOf(this.#recovery).map(inMs).join(', p99 ')}; the others were served after: ` +
        `worst ${[worst, p99].map(inMs).join(', p99 ')} (at most ${PROGRESS_BAR_MS} ms: ${bar}; ` +
        `${this.#notCounted} not counted, during which a living one ran out of memory)`,
    ];
    this.#session.done(this.#driver.tallied('operations'), lines.join('\n  '));
  }
}

/** Returns the maximum and the 99th percentile. */
function worstOf(times: readonly number[]): [worst: number, p99: number] {
  const sorted = [...times].sort((a, b) => a - b);
  return [sorted.at(-1) ?? 0, sorted[Math.ceil(0.99 * sorted.length) - 1] ?? 0];
}

function inMs(time: number): string {
  return `${time.toFixed(1)} ms`;
}

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
