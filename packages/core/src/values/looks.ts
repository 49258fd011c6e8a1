// What a blocking newcomer does before it enters the line of a channel: it looks again, and while values flow it stays
// out of the line for a moment (docs/decisions/087 and 127).

import type { AgentContext } from '../agent/agent-context.ts';
import { WAITING } from '../kernel/states.ts';
import { mayBlock } from '../agent/parking.ts';
import { AdaptiveBudget, type WaitingPolicy } from '../api/policy.ts';

/** Values flow if at least so many have passed since this agent last found too little. */
const FLOW = 8;
/** While values flow, a newcomer looks for so many spins: a little longer than a sleeping thread takes to wake up. */
const SPINS = 4;
/**
 * The time between two looks, in ms. Each look takes the cache line with the position away from the agents that write
 * it, which costs them some 0.2 µs. Few looks that find many values each are therefore faster than many looks.
 */
const APART_MS = { least: 0.001, most: 0.016 } as const;
/** A look should find at least this part of the ring, and at most the other. */
const PART = { least: 1 / 4, most: 1 / 2 } as const;
/** How long a newcomer sleeps between looks outside the line, in ms, if no agent is in line. */
const NAPS_MS = [0.05, 0.05, 0.1] as const;
/** As NAPS_MS, if agents are in line, or come first. */
const MOMENTS_MS = [1, 1, 1, 1] as const;

/** More than a processor reads the clock in 1 ms. Ends the loop while a test's clock stands still. */
const MOST_READS_PER_MS = 100_000;

/** The values that a newcomer waits for, as it sees them. */
export interface Flow {
  /**
   * How many units of the ring have passed, of `room` units that it has. It wraps: once then, the newcomer takes them
   * for many.
   */
  units(): number;
  /** How many values have passed. It wraps, too. */
  values(): number;
  readonly room: number;
  /** The address of a word that never changes, and that no agent notifies. */
  readonly still: number;
  /** Next to WAITING: what a look returns if other agents come first. */
  readonly beside?: number;
}

export class Looks {
  readonly #parking: AgentContext['parking'];
  readonly #words: AgentContext['words'];
  readonly #flow: Flow;
  readonly #beside: number;
  /** The time of a spin. */
  readonly #spinMs: number;
  readonly #looks = new AdaptiveBudget();
  readonly #naps = new AdaptiveBudget();
  readonly #moments = new AdaptiveBudget();
  /** How far the values were when this agent last found too little. */
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
    this.#units = flow.units();
    this.#values = flow.values();
  }

  /**
   * For a newcomer that found too little. While agents of both sides run, more comes within microseconds; a place in
   * line and a wake-up take much longer. So the newcomer looks again until `end`, for at most the time of a spin.
   * `isWaitedIn`: agents stand in line and come first. Then it does not.
   *
   * While values flow it looks for longer, and then sleeps outside the line. An agent that sleeps there needs no
   * wake-up from the agent that brings the next value, and no agent waits behind it. It wakes up by itself, so no value
   * depends on it. `AdaptiveBudget` ends each of these attempts when they fail.
   */
  again(isWaitedIn: () => boolean, end: number, look: () => number): number {
    if (this.#spinMs === 0) return WAITING;
    const flows = this.#flows();
    let seen: number = WAITING;
    if (!isWaitedIn() && this.#looks.mayTry()) {
      seen = this.#lookFor(flows ? SPINS * this.#spinMs : this.#spinMs, end, look);
      this.#looks.note(seen !== WAITING);
    }
    if (seen !== WAITING || !flows) return seen;
    const [times, budget] = isWaitedIn() ? ([MOMENTS_MS, this.#moments] as const) : ([NAPS_MS, this.#naps] as const);
    if (!budget.mayTry()) return WAITING;
    seen = this.#stayOut(WAITING, times, end, look);
    budget.note(seen !== WAITING);
    return seen;
  }

  /**
   * For a newcomer that found enough for itself and for the agents before it, which are about to take theirs. If this
   * call queued behind them, it would sleep until they have theirs. Then they would queue behind it: one value per
   * wake-up. So a blocking call lets them go first.
   */
  letGoFirst(end: number, look: () => number): number {
    const seen = mayBlock() ? this.#stayOut(this.#beside, MOMENTS_MS, end, look) : this.#beside;
    return seen === this.#beside ? WAITING : seen;
  }

  /** Whether values flow. Then sets how far apart looks are. */
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
      let reads = this.#apartMs * MOST_READS_PER_MS;
      do now = this.#parking.now();
      while (now < next && --reads > 0);
      // A test's clock stands still.
      if (now < next) break;
      seen = look();
    }
    return seen;
  }

  /** Sleeps for one of the `times` before each look, while other agents come first or too little is there. */
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
