// What a blocking newcomer does before it enters the line: it looks again a few times.

import type { WaitingPolicy } from '@sluice/core';
import { AdaptiveBudget, mayBlock, WAITING, type AgentContext, type LineAddress } from '@sluice/core/internal';
import { TURN } from './kernel/layout.ts';
import { BESIDE } from './kernel/states.ts';
import type { SideLines } from './side-lines.ts';
import { LOCK_MS } from './side-lock.ts';

/**
 * The time between two looks, in ms. Each look at the other side's position takes its cache line away from that side. With more looks the two
 * sides would exchange that line for each value.
 */
const APART_MS = 0.001;
/** How often a newcomer lets the agents before it go first, for a moment each. */
const MOMENTS = 4;

export class Looks {
  readonly #parking: AgentContext['parking'];
  readonly #mostMs: number;
  readonly #budget = new AdaptiveBudget();

  constructor(parking: AgentContext['parking'], { spinMicros, longTermThreshold }: WaitingPolicy) {
    this.#parking = parking;
    this.#mostMs = longTermThreshold === 0 || !mayBlock() ? 0 : spinMicros / 1000;
  }

  /**
   * For a newcomer that found too little. While agents of both sides run, more comes within a microsecond. A place in line and a wake-up take
   * much longer. So the newcomer looks again until `end`, for at most the time of a spin, and only while that pays. It does not look while
   * agents stand in line: they come first.
   */
  again(lines: Pick<SideLines, 'isWaitedIn'>, end: number, look: () => number): number {
    if (this.#mostMs === 0 || lines.isWaitedIn || !this.#budget.mayTry()) return WAITING;
    let now = this.#parking.now();
    const last = Math.min(end, now + this.#mostMs);
    let seen: number = WAITING;
    while (seen === WAITING && now < last) {
      const next = now + APART_MS;
      do now = this.#parking.now();
      while (now < next);
      seen = look();
    }
    this.#budget.note(seen !== WAITING);
    return seen;
  }

  /**
   * For a newcomer that found enough for itself and for the agents before it, which are about to take theirs. If this call queued behind them,
   * it would sleep until they have theirs. Then they would queue behind it: one value per wake-up. So a blocking call lets them go first.
   */
  letGoFirst(side: LineAddress, end: number, look: () => number): number {
    const left = (): number => (end === Infinity ? Infinity : Math.max(0, end - this.#parking.now()));
    let seen: number = BESIDE;
    for (let moments = 0; seen === BESIDE && moments < MOMENTS && left() > 0 && mayBlock(); moments++) {
      this.#parking.wait(side + TURN, 1, Math.min(LOCK_MS, left()));
      seen = look();
    }
    return seen === BESIDE ? WAITING : seen;
  }
}
