// Delays the entry of a blocking newcomer into the line of a buffer or a broadcast. The newcomer checks again, and
// while values flow it stays out of the line for a moment (docs/decisions/087).

import type { AgentContext } from '../agent/agent-context.ts';
import { WAITING } from '../kernel/states.ts';
import { mayBlock } from '../agent/parking.ts';
import { SpinBudget } from '../agent/spin-budget.ts';
import type { WaitingPolicy } from '../api/waiting-policy.ts';

/** Values flow if at least this many have passed since this agent last found too little. */
const FLOW = 8;
/**
 * While values flow, a newcomer looks for the time of this many spins: a little longer than a sleeping thread takes to
 * wake up.
 */
const SPINS = 4;
/**
 * The time between two looks, in ms. Each look takes the cache line with the position away from the agents that write
 * it, which costs them some 0.2 µs. So a few looks that each find many values are faster than many looks.
 */
const APART_MS = { least: 0.001, most: 0.016 } as const;
/** The share of the ring that should pass between two looks: at least the first, at most the second. */
const PART = { least: 1 / 4, most: 1 / 2 } as const;
/** The lengths of a newcomer's sleeps between looks outside the line, in ms, if no agent is in line. */
const NAPS_MS = [0.05, 0.05, 0.1] as const;
/** The lengths of these sleeps, in ms, if agents are in line or come first. */
const MOMENTS_MS = [1, 1, 1, 1] as const;

/**
 * The maximum number of clock reads per ms. No processor reads the clock this often. It ends the loop while a test's
 * clock stands still.
 */
const MAX_READS_PER_MS = 100_000;

/** The flow of values that a newcomer sees. */
export interface Flow {
  /**
   * The number of units of the ring that have passed. The ring has `room` units. The number wraps; at a wrap, the
   * newcomer once assumes that a great number of units has passed.
   */
  units(): number;
  /** The number of values that have passed. It wraps, too. */
  values(): number;
  readonly room: number;
  /** The address of a word that never changes, and that no agent notifies. */
  readonly still: number;
  /** The result of a look that means that other agents come first. Default: WAITING. */
  readonly beside?: number;
}

export class EntryDelay {
  readonly #parking: AgentContext['parking'];
  readonly #words: AgentContext['words'];
  readonly #flow: Flow;
  readonly #beside: number;
  /** Whether a newcomer looks again. Otherwise `again` returns WAITING. */
  readonly isOn: boolean;
  /** The length of a spin in ms. */
  readonly #spinMs: number;
  readonly #spins = new SpinBudget();
  readonly #naps = new SpinBudget();
  readonly #moments = new SpinBudget();
  /** The position of the values when this agent last found too little. */
  #units: number;
  #values: number;
  #apartMs: number = APART_MS.least;

  constructor(
    { parking, words }: Pick<AgentContext, 'parking' | 'words'>,
    flow: Flow,
    { spinMicros, longTermThreshold }: WaitingPolicy,
  ) {
    this.#parking = parking;
    this.#words = words;
    this.#flow = flow;
    this.#beside = flow.beside ?? WAITING;
    this.#spinMs = longTermThreshold === 0 || !mayBlock() ? 0 : spinMicros / 1000;
    this.isOn = this.#spinMs > 0;
    this.#units = flow.units();
    this.#values = flow.values();
  }

  /**
   * Looks again for a newcomer that found too little. While agents of both sides run, more values arrive within
   * microseconds; a place in line and a wake-up take much longer. So the newcomer looks until `end`, for at most the
   * time of a spin. If `isWaitedIn`, agents stand in line and come first, and the newcomer does not look.
   *
   * While values flow it looks for longer, and then sleeps outside the line. An agent that sleeps there needs no
   * wake-up from the agent that brings the next value, and no agent waits behind it. It wakes up by itself, so no value
   * depends on it. `SpinBudget` ends each kind of these attempts while its attempts fail.
   *
   * If `first` or a later look shows enough values for the newcomer and for all agents in line, the newcomer waits
   * outside until they have entered.
   */
  again(isWaitedIn: () => boolean, end: number, look: () => number, first: number = WAITING): number {
    const seen = first === WAITING ? this.#lookAgain(isWaitedIn, end, look) : first;
    return seen === this.#beside && seen !== WAITING ? this.#letGoFirst(end, look) : seen;
  }

  #lookAgain(isWaitedIn: () => boolean, end: number, look: () => number): number {
    if (!this.isOn) return WAITING;
    const flows = this.#flows();
    let seen: number = WAITING;
    if (!isWaitedIn() && this.#spins.mayTry()) {
      seen = this.#lookFor(flows ? SPINS * this.#spinMs : this.#spinMs, end, look);
      this.#spins.note(seen !== WAITING);
    }
    if (seen !== WAITING || !flows) return seen;
    const [times, budget] = isWaitedIn() ? ([MOMENTS_MS, this.#moments] as const) : ([NAPS_MS, this.#naps] as const);
    if (!budget.mayTry()) return WAITING;
    seen = this.#stayOut(WAITING, times, end, look);
    budget.note(seen !== WAITING);
    return seen;
  }

  /**
   * Lets the agents before a newcomer go first. If the newcomer queued behind them, it would sleep until they have taken
   * their values. The agents in line would then queue behind the newcomer, and each value would cost one wake-up. So a
   * blocking call waits outside the line.
   */
  #letGoFirst(end: number, look: () => number): number {
    const seen = mayBlock() ? this.#stayOut(this.#beside, MOMENTS_MS, end, look) : this.#beside;
    return seen === this.#beside ? WAITING : seen;
  }

  /** Whether values flow. If so, sets the time between looks. */
  #flows(): boolean {
    const units = this.#flow.units();
    const values = this.#flow.values();
    const part = ((units - this.#units) >>> 0) / this.#flow.room;
    const flows = (values - this.#values) >>> 0 >= FLOW;
    this.#units = units;
    this.#values = values;
    if (!flows) this.#apartMs = APART_MS.least;
    else if (part < PART.least) this.#apartMs = Math.min(2 * this.#apartMs, APART_MS.most);
    else if (part > PART.most) this.#apartMs = Math.max(this.#apartMs / 2, APART_MS.least);
    return flows;
  }

  #lookFor(mostMs: number, end: number, look: () => number): number {
    let now = this.#parking.now();
    const last = Math.min(end, now + mostMs);
    let seen: number = WAITING;
    while (seen === WAITING && now < last) {
      const next = now + this.#apartMs;
      let reads = this.#apartMs * MAX_READS_PER_MS;
      do now = this.#parking.now();
      while (now < next && --reads > 0);
      // The clock does not advance: a test has stopped it.
      if (now < next) break;
      seen = look();
    }
    return seen;
  }

  /**
   * Sleeps for each of the `times` in turn, and looks after each sleep. Stops when a look finds enough and no agent
   * comes first.
   */
  #stayOut(first: number, times: readonly number[], end: number, look: () => number): number {
    let seen = first;
    for (const ms of times) {
      const left = end === Infinity ? ms : Math.min(ms, end - this.#parking.now());
      if ((seen !== WAITING && seen !== this.#beside) || left <= 0) break;
      this.#parking.wait(this.#flow.still, this.#words.get32(this.#flow.still), left);
      seen = look();
    }
    return seen;
  }
}
