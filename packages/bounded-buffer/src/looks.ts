// What a blocking newcomer does before it enters the line: it looks again, and while values flow it stays out of the line for a moment.

import type { WaitingPolicy } from '@sluice/core';
import { AdaptiveBudget, mayBlock, WAITING, type AgentContext, type LineAddress, type Place } from '@sluice/core/internal';
import { POSITION, ROOM } from './kernel/layout.ts';
import { BESIDE } from './kernel/states.ts';
import { lineAt, LOCK, PRODUCERS, VALUES } from './lines.ts';
import type { SideLines } from './side-lines.ts';

/** Values flow if at least so many have passed the side since this agent last found too little. */
const FLOW = 8;
/** While values flow, a newcomer looks for so many spins: a little longer than a sleeping thread takes to wake up. */
const SPINS = 4;
/**
 * The time between two looks, in ms. Each look takes the cache line with the other side's position away from that side, which costs it some
 * 0.2 µs. Few looks that find many values each are therefore faster than many looks.
 */
const APART_MS = { least: 0.001, most: 0.016 } as const;
/** A look should find at least this part of the ring, and at most the other. */
const PART = { least: 1 / 4, most: 1 / 2 } as const;
/** How long a newcomer sleeps between looks outside the line, in ms, if no agent is in line. */
const NAPS_MS = [0.05, 0.05, 0.1] as const;
/** As NAPS_MS, if agents are in line, or come first. */
const MOMENTS_MS = [1, 1, 1, 1] as const;

export class Looks {
  readonly #parking: AgentContext['parking'];
  readonly #words: AgentContext['words'];
  readonly #side: LineAddress;
  /** Units of room in the ring. */
  readonly #room: number;
  /** The time of a spin. */
  readonly #spinMs: number;
  readonly #looks = new AdaptiveBudget();
  readonly #naps = new AdaptiveBudget();
  readonly #moments = new AdaptiveBudget();
  /** How far the side was when this agent last found too little. */
  #units: number;
  #values: number;
  #apartMs: number = APART_MS.least;

  constructor(place: Place, which: number, { spinMicros, longTermThreshold }: WaitingPolicy) {
    const { parking, words } = place.context;
    this.#parking = parking;
    this.#words = words;
    this.#side = lineAt(place, LOCK, which);
    this.#room = words.get32(lineAt(place, LOCK, PRODUCERS) + ROOM);
    this.#spinMs = longTermThreshold === 0 || !mayBlock() ? 0 : spinMicros / 1000;
    this.#units = words.load32(this.#side + POSITION);
    this.#values = words.load32(this.#side + POSITION + VALUES);
  }

  /**
   * For a newcomer that found too little. While agents of both sides run, more comes within microseconds; a place in line and a wake-up take
   * much longer. So the newcomer looks again until `end`, for at most the time of a spin. While agents stand in line, it does not: they come
   * first.
   *
   * While values flow it looks for longer, and then sleeps outside the line. An agent that sleeps there needs no wake-up from the agent that
   * brings the next value, and no agent waits behind it. It wakes up by itself, so no value depends on it. `AdaptiveBudget` ends each of
   * these attempts when they fail.
   */
  again(lines: Pick<SideLines, 'isWaitedIn'>, end: number, look: () => number): number {
    if (this.#spinMs === 0) return WAITING;
    const flows = this.#flows();
    let seen: number = WAITING;
    if (!lines.isWaitedIn && this.#looks.mayTry()) {
      seen = this.#lookFor(flows ? SPINS * this.#spinMs : this.#spinMs, end, look);
      this.#looks.note(seen !== WAITING);
    }
    if (seen !== WAITING || !flows) return seen;
    const [times, budget] = lines.isWaitedIn ? ([MOMENTS_MS, this.#moments] as const) : ([NAPS_MS, this.#naps] as const);
    if (!budget.mayTry()) return WAITING;
    seen = this.#stayOut(WAITING, times, end, look);
    budget.note(seen !== WAITING);
    return seen;
  }

  /**
   * For a newcomer that found enough for itself and for the agents before it, which are about to take theirs. If this call queued behind them,
   * it would sleep until they have theirs. Then they would queue behind it: one value per wake-up. So a blocking call lets them go first.
   */
  letGoFirst(end: number, look: () => number): number {
    const seen = mayBlock() ? this.#stayOut(BESIDE, MOMENTS_MS, end, look) : BESIDE;
    return seen === BESIDE ? WAITING : seen;
  }

  /** Whether values flow. Then sets how far apart looks are. */
  #flows(): boolean {
    const units = this.#words.load32(this.#side + POSITION);
    const values = this.#words.load32(this.#side + POSITION + VALUES);
    const part = ((units - this.#units) >>> 0) / this.#room;
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
      do now = this.#parking.now();
      while (now < next);
      seen = look();
    }
    return seen;
  }

  /** Sleeps for one of the `times` before each look, while other agents come first or too little is there. */
  #stayOut(first: number, times: readonly number[], end: number, look: () => number): number {
    let seen = first;
    for (const ms of times) {
      const left = end === Infinity ? ms : Math.min(ms, end - this.#parking.now());
      if ((seen !== WAITING && seen !== BESIDE) || left <= 0) break;
      // This word never changes, and no agent notifies it.
      this.#parking.wait(this.#side + ROOM, this.#words.get32(this.#side + ROOM), left);
      seen = look();
    }
    return seen;
  }
}
