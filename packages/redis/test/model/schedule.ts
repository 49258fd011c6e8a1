// One random schedule: tasks of several processes at one primitive, faults, and the checks of each step and of the end.

import { Random } from '@sluice/harness';
import type { RemoteGuard } from '../../../remote/src/primitives/guard.ts';
import { cacheTally, useCache } from './cache-tasks.ts';
import { Disorder, type Faults } from './disorder.ts';
import { LuaServer } from './lua-server.ts';
import { useOnce, wrongRuns, type OnceTally } from './once-tasks.ts';
import { useRate, wrongCharge, type RatePlan, type Tally } from './rate-tasks.ts';
import { Process, settle, World, type Client } from './world.ts';

export interface Plan {
  readonly name: string;
  readonly processes: number;
  /** The number of tasks of each process, and the number of acquisitions of each task. */
  readonly tasks: number;
  readonly rounds: number;
  readonly permits: number;
  readonly weights?: boolean;
  /** Whether the primitive is a signal: tasks release and acquire in turn. */
  readonly signal?: boolean;
  /** Whether the primitive is a once or a lazy. */
  readonly once?: 'once' | 'lazy';
  /** Whether the primitive is a cache. */
  readonly cache?: true;
  /** The number of keys, if the primitive is a keyed mutex or a keyed limit. */
  readonly keys?: number;
  /** The slots of all keys together, if the primitive is a keyed limit. */
  readonly total?: number;
  /** Whether the primitive is a rate limiter. */
  readonly rate?: RatePlan;
  readonly options?: { readonly bypass?: number; readonly linger?: number };
  readonly faults: Faults;
  /** The percentage of waits that time out. */
  readonly givesUp?: number;
  /** The maximum pause of a task between two rounds, in ms. Without a pause the line is almost never empty. */
  readonly thinks?: number;
}

const LEASE = 1000;
const NAMESPACE = 'model';
const MAX_STEPS = 4000;
/** The number of ms without faults within which every wait must end. */
const PATIENCE_MS = 40 * LEASE;

/** What must not stay while sessions live: known grants, unused keys, and users of a value. */
const KEPT = /:p:t:r [0-9a-f]+:\d+ |[kn]:1:k:|:p:v:\S+ (?!done )|:u:\S+ v:/;

interface Inside {
  readonly guard: RemoteGuard;
  readonly permits: number;
  readonly process: Process;
  readonly key: string;
}

/** The fault, or '' if there is none. */
export async function schedule(script: string, client: Client, plan: Plan, seed: number): Promise<string> {
  const server = await LuaServer.start(script);
  const run = new Schedule(server, client, plan, seed);
  try {
    return await run.run();
  } catch (failure) {
    return `threw ${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}`;
  }
}

class Schedule {
  readonly #plan: Plan;
  readonly #client: Client;
  readonly #random: Random;
  readonly #world: World;
  readonly #disorder: Disorder;
  readonly #inside = new Set<Inside>();
  /** The number of permits of a signal that were released minus those that were acquired. */
  #posted = 0;
  /** Whether a lease ended during a call at a signal, so that its outcome is unknown. */
  #unknown = false;
  /** The tasks of living processes that have not ended. */
  readonly #running = new Map<number, Process>();
  readonly #tally: Tally = { taken: 0, givenUp: 0, isUnknown: false };
  readonly #cache = cacheTally();
  readonly #runs: OnceTally = { isDone: false, running: new Set(), wrong: '', begun: 0 };
  #wrong = '';

  constructor(server: LuaServer, client: Client, plan: Plan, seed: number) {
    this.#plan = plan;
    this.#client = client;
    this.#random = new Random(seed);
    this.#world = new World(server);
    this.#disorder = new Disorder(this.#world, this.#random, plan.faults, LEASE, (victim) => this.#killed(victim));
  }

  async run(): Promise<string> {
    const { processes, tasks } = this.#plan;
    for (let i = 0; i < processes; i++) {
      const process = this.#start(`p${i}`);
      for (let t = 0; t < tasks; t++) this.#begin(i * tasks + t, process);
    }
    for (let step = 0; step < MAX_STEPS && this.#running.size > 0 && this.#wrong === ''; step++) {
      this.#disorder.step();
      await settle();
      this.#check();
    }
    return this.#wrong === '' ? this.#quieten() : this.#wrong;
  }

  #start(label: string): Process {
    return new Process(this.#world, this.#client, NAMESPACE, LEASE, label);
  }

  #begin(id: number, process: Process): void {
    this.#running.set(id, process);
    this.#use(process).then(
      () => this.#running.delete(id),
      (failure: unknown) => {
        this.#running.delete(id);
        this.#wrong ||= `a task failed: ${String(failure)}`;
      },
    );
  }

  #use(process: Process): Promise<void> {
    const { signal = false, once, rate, cache, rounds, givesUp = 0 } = this.#plan;
    if (cache === true) return useCache(process, this.#random, this.#cache, rounds, LEASE);
    if (once !== undefined) return useOnce(process, once, this.#random, this.#runs, LEASE);
    if (rate !== undefined) return useRate(process, rate, this.#random, this.#tally, rounds, givesUp, LEASE);
    return signal ? this.#signals(process) : this.#task(process);
  }

  async #task(process: Process): Promise<void> {
    const { permits, rounds, weights = false, givesUp = 0, thinks = 0, options = {}, keys = 0, total } = this.#plan;
    const semaphore = process.space.semaphore('s', permits, options);
    const mutex =
      total === undefined
        ? process.space.keyedMutex('k')
        : process.space.keyedLimit('k', { concurrency: permits, total, bypass: 2 });
    for (let round = 0; round < rounds; round++) {
      if (thinks > 0) await new Promise<void>((resolve) => process.after(this.#random.below(thinks), resolve));
      const n = weights ? this.#random.between(1, permits) : 1;
      const key = keys > 0 ? `key ${this.#random.below(keys)}` : '';
      const limit = this.#random.chance(givesUp) ? { timeout: this.#random.between(0, LEASE) } : {};
      let guard: RemoteGuard;
      try {
        guard = await (keys > 0 ? mutex.holdAsync(key, limit) : semaphore.holdAsync(n, limit));
      } catch (failure) {
        if (!this.#mayFail(failure, 'take')) throw failure;
        continue;
      }
      const inside: Inside = { guard, permits: n, process, key };
      this.#inside.add(inside);
      await new Promise<void>((resolve) => process.after(this.#random.below(300), resolve));
      this.#inside.delete(inside);
      await guard.release().catch((failure: unknown) => {
        if (!this.#mayFail(failure, 'release')) throw failure;
      });
    }
  }

  /**
   * Whether the server renews the leases. A server without memory refuses only calls that take memory, and a server
   * that cannot save refuses every write.
   */
  #mayFail(failure: unknown, call: 'take' | 'release'): boolean {
    const { full, unsaved } = this.#plan.faults;
    const { code } = failure as { code?: string };
    if (code === 'SLUICE_REDIS') return unsaved !== undefined || (full !== undefined && call === 'take');
    return code === 'SLUICE_LEASE_LOST' ? full === undefined : code === 'SLUICE_TIMEOUT' && call === 'take';
  }

  /** Each wait has a timeout, because the permits may not suffice. */
  async #signals(process: Process): Promise<void> {
    const semaphore = process.space.semaphore('s', this.#plan.permits, { recovery: false });
    for (let round = 0; round < this.#plan.rounds; round++) {
      const n = this.#random.between(1, 3);
      try {
        await semaphore.release(n);
        this.#posted += n;
        const wanted = this.#random.between(1, 3);
        await semaphore.acquireAsync(wanted, { timeout: this.#random.between(1, LEASE) });
        this.#posted -= wanted;
      } catch (failure) {
        const { code } = failure as { code?: string };
        if (code === 'SLUICE_LEASE_LOST') this.#unknown = true;
        else if (code !== 'SLUICE_TIMEOUT') throw failure;
      }
    }
  }

  #killed(process: Process): void {
    for (const inside of this.#inside) if (inside.process === process) this.#inside.delete(inside);
    for (const [id, owner] of this.#running) if (owner === process) this.#running.delete(id);
  }

  #check(): void {
    this.#wrong ||= this.#world.server.violation;
    // After a failover to a replica that missed a grant two holders are possible.
    if (this.#plan.faults.failover !== undefined) return;
    this.#wrong ||= wrongRuns(this.#runs) || this.#cache.wrong;
    let all = 0;
    const held = new Map<string, number>();
    const counted = new Set<bigint>();
    for (const { guard, permits, process, key } of this.#inside) {
      // A paused process has no belief until it reads the clock.
      if (process.paused || !guard.held) continue;
      if (counted.has(guard.fencingToken)) this.#wrong ||= 'two callers hold one grant';
      counted.add(guard.fencingToken);
      held.set(key, (held.get(key) ?? 0) + permits);
      all += permits;
    }
    const { total = Infinity } = this.#plan;
    if (all > total) this.#wrong ||= `${all} of ${total} slots of all keys are held`;
    for (const [key, sum] of held)
      if (sum > this.#plan.permits) this.#wrong ||= `${sum} of ${this.#plan.permits} permits are held ${key}`;
  }

  /** Ends the faults. Expects that every wait ends, no permit is lost, and no data is left. */
  async #quieten(): Promise<string> {
    this.#disorder.end();
    const end = this.#world.now + PATIENCE_MS;
    while (this.#running.size > 0 && this.#world.now < end && this.#wrong === '') await this.#calm();
    if (this.#running.size > 0) return this.#wrong || `${this.#running.size} tasks wait forever`;
    // The leases of dead processes end only if time passes and a session calls.
    const last = this.#start('last');
    const state = { probed: false, closed: false };
    this.#probe(last).then(
      () => (state.probed = true),
      (failure: unknown) => (this.#wrong ||= `the probe failed: ${String(failure)}`),
    );
    const late = this.#world.now + PATIENCE_MS;
    while (!state.probed && this.#wrong === '' && this.#world.now < late) await this.#calm();
    if (!state.probed) return this.#wrong || 'permits were lost';
    if (this.#plan.faults.kill === undefined) this.#wrong ||= wrongCharge(this.#tally, this.#world.server.charged);
    // Sessions of dead processes exist for one more lease.
    const gone = this.#world.now + 3 * LEASE;
    while (this.#world.now < gone && this.#wrong === '') await this.#calm();
    // A primitive that a session has used stays while the session lives. But grants that it knows of and unused keys do
    // not stay.
    const kept = this.#world.server.dump.filter((line) => KEPT.test(line));
    if (kept.length > 0) this.#wrong ||= `kept unnecessarily: ${kept.join('; ')}`;
    const closed = Promise.all(this.#world.living.map(({ space }) => space.close()));
    closed.then(
      () => (state.closed = true),
      (failure: unknown) => (this.#wrong ||= String(failure)),
    );
    while (!state.closed && this.#wrong === '' && this.#world.now < late + PATIENCE_MS) await this.#calm();
    // After all sessions have ended, the permits of a signal stay, a rate stays until its bucket is full, a finished
    // once stays, and so do the value of a lazy and the value and the mark of a cache.
    const { signal = false, once, rate, cache = false } = this.#plan;
    const stays =
      signal || once !== undefined || rate !== undefined || cache
        ? /^sl:{model}:(T|p:s:s|p:t:r|p:o:o|p:z:o|p:v:1:c:sa|p:x:c) [a-z]{3,6} /
        : /^sl:{model}:T [a-z]{3,6} /;
    const left = this.#world.server.dump.filter((line) => !stays.test(line));
    if (left.length > 0) this.#wrong ||= `left on the server: ${left.join('; ')}`;
    return this.#wrong;
  }

  /**
   * Checks that no permit was lost: all permits can be held at once, and a signal has the permits that were released
   * and not acquired.
   */
  async #probe(last: Process): Promise<void> {
    const { permits, signal = false, options = {}, rate, keys = 0, total, once, cache } = this.#plan;
    if (cache === true) return useCache(last, this.#random, this.#cache, 4, LEASE);
    if (once !== undefined) return useOnce(last, once, this.#random, this.#runs, LEASE);
    if (keys > 0) {
      const mutex =
        total === undefined
          ? last.space.keyedMutex('k')
          : last.space.keyedLimit('k', { concurrency: permits, total, bypass: 2 });
      for (let key = 0; key < keys; key++) await (await mutex.holdAsync(`key ${key}`)).release();
      return;
    }
    if (rate !== undefined) {
      await last.space.rateLimiter('r', rate).acquireAsync(rate.burst);
      this.#tally.taken += rate.burst;
      return;
    }
    if (!signal) return (await last.space.semaphore('s', permits, options).holdAsync(permits)).release();
    // A cancelled wait may still be leaving.
    await new Promise<void>((resolve) => last.after(LEASE, resolve));
    const { available } = await last.space.semaphore('s', permits, { recovery: false }).inspect();
    if (!this.#unknown && available !== permits + this.#posted)
      this.#wrong ||= `${available} permits of the signal are free, expected ${permits + this.#posted}`;
  }

  async #calm(): Promise<void> {
    const moved = await this.#world.deliver();
    if (!moved && !this.#world.tick()) this.#wrong ||= 'no timer is left';
    await settle();
    this.#check();
  }
}
