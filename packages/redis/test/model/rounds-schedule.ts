// One random schedule: parties of several processes at one barrier or at a series of latches, faults, and the checks of
// each step and of the end. The store checks after each call that all waits of a generation ended together and in the
// same way (store.ts).

import { Random } from '@sluice/harness';
import type { RemoteBarrier } from '../../../remote/src/primitives/barrier.ts';
import type { RemoteCountdownLatch } from '../../../remote/src/primitives/countdown-latch.ts';
import { Disorder, type Faults } from './disorder.ts';
import { LuaServer } from './lua-server.ts';
import { Process, settle, World, type Client } from './world.ts';

export interface RoundsPlan {
  readonly name: string;
  readonly kind: 'barrier' | 'latch';
  readonly processes: number;
  /** The number of parties of each process, and the number of generations or latches that each of them passes. */
  readonly tasks: number;
  readonly rounds: number;
  /**
   * Whether the sessions own the parties: registered at the barrier, claimed at the latch. Then each process has one
   * task.
   */
  readonly owned?: boolean;
  /** The percentage of processes whose parties have an action. */
  readonly acts?: number;
  readonly faults: Faults;
  /** The percentage of waits that time out. */
  readonly givesUp?: number;
}

const LEASE = 1000;
const NAMESPACE = 'model';
const MAX_STEPS = 4000;
/** The number of ms without faults within which every wait must end. */
const PATIENCE_MS = 60 * LEASE;
const STOPPED = new Error('stopped');

/** One party: the phase in which it began to wait, and the last phase that it has passed. */
interface Party {
  readonly process: Process;
  begun: number;
  passed: number;
}

/** The fault, or '' if there is none. */
export async function roundsSchedule(script: string, client: Client, plan: RoundsPlan, seed: number): Promise<string> {
  const run = new RoundsSchedule(await LuaServer.start(script), client, plan, seed);
  try {
    return await run.run();
  } catch (failure) {
    return `threw ${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}`;
  }
}

class RoundsSchedule {
  readonly #plan: RoundsPlan;
  readonly #client: Client;
  readonly #random: Random;
  readonly #world: World;
  readonly #disorder: Disorder;
  /** All parties that have not ended, including those of the killed processes. */
  readonly #parties: Party[] = [];
  readonly #running = new Set<Party>();
  /**
   * Ends all waits, because a lease ended during a call. Its outcome is unknown, and parties may stay in different
   * phases.
   */
  readonly #stop = new AbortController();
  /** The number of parties that own their part of the latch. Before that, a death would not change the count. */
  #claimed = 0;
  #wrong = '';

  constructor(server: LuaServer, client: Client, plan: RoundsPlan, seed: number) {
    this.#plan = plan;
    this.#client = client;
    this.#random = new Random(seed);
    this.#world = new World(server);
    this.#disorder = new Disorder(this.#world, this.#random, plan.faults, LEASE, (victim) => this.#killed(victim));
  }

  get #total(): number {
    return this.#plan.processes * this.#plan.tasks;
  }

  async run(): Promise<string> {
    const { processes, tasks, kind } = this.#plan;
    for (let i = 0; i < processes; i++) {
      const process = new Process(this.#world, this.#client, NAMESPACE, LEASE, `p${i}`);
      for (let t = 0; t < tasks; t++) {
        const party: Party = { process, begun: -1, passed: -1 };
        this.#parties.push(party);
        this.#running.add(party);
        (kind === 'barrier' ? this.#meets(party) : this.#counts(party)).then(
          () => this.#running.delete(party),
          (failure: unknown) => {
            this.#running.delete(party);
            if (failure !== STOPPED) this.#wrong ||= `a party failed: ${String(failure)}`;
          },
        );
      }
    }
    for (let step = 0; step < MAX_STEPS && this.#running.size > 0 && this.#wrong === ''; step++) {
      this.#disorder.step();
      await settle();
      this.#wrong ||= this.#world.server.violation;
    }
    return this.#wrong === '' ? this.#quieten() : this.#wrong;
  }

  /** Runs a party of a barrier: passes its phases, and leaves. */
  async #meets(party: Party): Promise<void> {
    const { rounds, owned = false, acts = 0 } = this.#plan;
    const options = this.#random.chance(acts) ? { action: () => this.#act(party) } : {};
    const barrier = party.process.space.barrier('b', owned ? 0 : this.#total, options);
    await this.#registered(barrier);
    for (let phase = 0; phase < rounds; ) {
      await this.#think(party.process);
      party.begun = phase;
      const failed = await this.#wait((timeout) => barrier.waitAsync(timeout));
      if (failed === undefined) {
        if (!owned) this.#checkPhase(phase);
        party.passed = phase++;
      } else if (failed === 'SLUICE_LEASE_LOST') {
        await this.#registered(barrier);
      } else if (await this.#retry(() => barrier.mend())) {
        await this.#registered(barrier);
      }
    }
    party.begun = rounds;
    await this.#retry(() => barrier.deregister());
  }

  /** Registers as a party, again after a lease ended. */
  async #registered(barrier: RemoteBarrier): Promise<void> {
    if (this.#plan.owned !== true) return;
    // A lease that ends during the call takes the party with it.
    while (await this.#retry(() => barrier.register()));
  }

  async #act(party: Party): Promise<void> {
    // The action of a leaving party belongs to a phase of other parties.
    const isPhase = party.begun < this.#plan.rounds && this.#plan.owned !== true;
    if (isPhase && this.#parties.some(({ begun }) => begun < party.begun))
      this.#wrong ||= 'an action ran before all had arrived';
    await this.#think(party.process);
    const isSure = isPhase && !this.#stop.signal.aborted;
    if (isSure && this.#parties.some(({ passed }) => passed >= party.begun))
      this.#wrong ||= 'a party continued before the action had ended';
    if (this.#random.chance(5)) throw Object.assign(new Error('the action fails'), { code: 'SLUICE_BROKEN_BARRIER' });
  }

  #checkPhase(phase: number): void {
    if (this.#stop.signal.aborted) return;
    if (this.#parties.some(({ begun }) => begun < phase))
      this.#wrong ||= `a party passed phase ${phase} before all had begun it`;
  }

  /** Runs a party of latches: counts each latch down once, and waits until all other parties have. */
  async #counts(party: Party): Promise<void> {
    const { rounds, owned = false } = this.#plan;
    for (let round = 0; round < rounds; round++) {
      const latch = party.process.space.countdownLatch(`d${round}`, this.#total);
      if (owned) {
        // It is unknown whether the party claimed. If it did, the server counts down.
        if (await this.#retry(() => latch.claim())) {
          this.#stop.abort(STOPPED);
          return;
        }
        this.#claimed++;
        while (this.#claimed < this.#total) {
          if (this.#stop.signal.aborted) return;
          await this.#pause(party.process, 20);
        }
      }
      await this.#think(party.process);
      party.begun = round;
      await this.#countDown(latch);
      for (let waits = true; waits; ) {
        const failed = await this.#wait((timeout) => latch.waitAsync(timeout));
        waits = failed !== undefined;
      }
      // The server counts down for a session that has ended, whatever its party does.
      if (!owned && !this.#stop.signal.aborted && this.#parties.some(({ begun }) => begun < round))
        this.#wrong ||= `latch ${round} opened before all had counted down`;
      party.passed = round;
    }
  }

  async #countDown(latch: RemoteCountdownLatch): Promise<void> {
    // If a lease ended, its claims have been counted down. Otherwise it is unknown whether this call was made.
    const lost = (): void => {
      if (this.#plan.owned !== true) this.#stop.abort(STOPPED);
    };
    if (this.#plan.owned === true || this.#random.chance(50)) {
      if (await this.#retry(() => latch.done())) lost();
    } else if ((await this.#retry(() => latch.add())) || (await this.#retry(() => latch.done(2)))) {
      lost();
    }
  }

  /** Makes one wait that may time out. Resolves with the code of its failure. */
  async #wait(
    wait: (options: { timeout: number; signal: AbortSignal }) => Promise<unknown>,
  ): Promise<string | undefined> {
    const { givesUp = 0, acts = 0, owned = false } = this.#plan;
    const timeout = this.#random.chance(givesUp) ? this.#random.between(0, LEASE) : Infinity;
    try {
      await wait({ timeout, signal: this.#stop.signal });
      return undefined;
    } catch (failure) {
      if (failure === STOPPED) throw failure;
      const { code = '' } = failure as { code?: string };
      if (!['SLUICE_TIMEOUT', 'SLUICE_BROKEN_BARRIER', 'SLUICE_LEASE_LOST'].includes(code)) throw failure;
      if (code === 'SLUICE_LEASE_LOST' && !owned && this.#plan.kind === 'barrier') this.#stop.abort(STOPPED);
      if (this.#stop.signal.aborted) throw STOPPED;
      if (code === 'SLUICE_BROKEN_BARRIER' && givesUp + acts === 0 && !owned)
        this.#wrong ||= 'a barrier was broken without a cause';
      return code;
    }
  }

  /** Makes a change. Resolves with whether its session was lost. */
  async #retry(change: () => Promise<void>): Promise<boolean> {
    try {
      await change();
      return false;
    } catch (failure) {
      const { code } = failure as { code?: string };
      // Otherwise it is the error of the action of a leaving party.
      if (code !== 'SLUICE_LEASE_LOST' && code !== 'SLUICE_BROKEN_BARRIER') throw failure;
      return code === 'SLUICE_LEASE_LOST';
    }
  }

  #think(process: Process): Promise<void> {
    return this.#pause(process, this.#random.below(200));
  }

  #pause(process: Process, ms: number): Promise<void> {
    return new Promise((resolve) => process.after(ms, resolve));
  }

  #killed(victim: Process): void {
    const dead = [...this.#running].filter(({ process }) => process === victim);
    for (const party of dead) this.#running.delete(party);
    const countedDown = this.#plan.kind === 'barrier' ? this.#plan.owned === true : this.#claimed >= this.#total;
    if (!countedDown) this.#stop.abort(STOPPED);
  }

  /** Ends the faults. Expects that every wait ends and no data is left. */
  async #quieten(): Promise<string> {
    this.#disorder.end();
    await this.#calm('parties wait forever', () => this.#running.size === 0);
    // The sessions of dead processes end when another one calls, and living sessions tell the server what they have
    // learned.
    const state = { open: false, closed: false };
    const last = new Process(this.#world, this.#client, NAMESPACE, LEASE, 'last');
    void last.space.session().then(() => (state.open = true));
    await this.#calm('no session can be opened', () => state.open);
    const gone = this.#world.now + 4 * LEASE;
    await this.#calm('no timer is left', () => this.#world.now >= gone);
    const kept = this.#world.server.dump.filter((line) => / \w{16}:\d+ /.test(line));
    if (kept.length > 0) this.#wrong ||= `the server still records ended waits: ${kept.join('; ')}`;
    const counts = this.#world.server.dump.filter((line) => / count /.test(line) && !line.endsWith(' count 0'));
    if (counts.length > 0 && !this.#stop.signal.aborted) this.#wrong ||= `not counted down: ${counts.join('; ')}`;
    const closed = Promise.all(this.#world.living.map(({ space }) => space.close()));
    closed.then(
      () => (state.closed = true),
      (failure: unknown) => (this.#wrong ||= String(failure)),
    );
    await this.#calm('a space does not close', () => state.closed);
    // A latch stays while its count differs from the initial count.
    const left = this.#world.server.dump.filter((line) => !/^sl:{model}:(T|p:d:d\d) [a-z]{3,6} /.test(line));
    if (left.length > 0) this.#wrong ||= `left on the server: ${left.join('; ')}`;
    return this.#wrong;
  }

  async #calm(otherwise: string, isOver: () => boolean): Promise<void> {
    const end = this.#world.now + PATIENCE_MS;
    while (!isOver() && this.#wrong === '') {
      const moved = await this.#world.deliver();
      if (!moved && (this.#world.now >= end || !this.#world.tick())) this.#wrong ||= otherwise;
      await settle();
      this.#wrong ||= this.#world.server.violation;
    }
  }
}
