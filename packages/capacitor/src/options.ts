// What a capacitor is made with.

import type { Arena, WaitingPolicy } from '@sluice/core';
import {
  BLOCK_LINE,
  checkInteger,
  checkOptions,
  chosenArena,
  createPrimitive,
  FLAG_CAPACITOR,
  FLAGS,
  GRANT,
  KIND_CAPACITOR,
  LIMIT,
  MAX_PERMITS,
  mergePolicy,
  seatOf,
  TALLY,
  type Place,
} from '@sluice/core/internal';
import { FIRST_PLATOON, startPacer } from './pacer.ts';

/** B, or 'adaptive': as many as go through in a millisecond or so, see pacer.ts. */
export type BypassLimit = number | 'adaptive';

export interface CapacitorOptions {
  /** B: at the most B - 1 later arrivals pass a waiter. 1 to 2,147,483,647, or 'adaptive'. Default 10. */
  readonly bypassLimit?: BypassLimit | undefined;
  /** Where it lives. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits here. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

export const DEFAULT_BYPASS_LIMIT = 10;

/** A block with an open capacitor in it, and the policy of this agent. */
export function createCapacitor(options: CapacitorOptions): [Place, WaitingPolicy] {
  checkOptions(options);
  const { bypassLimit = DEFAULT_BYPASS_LIMIT, name } = options;
  checkBypassLimit(bypassLimit);
  const arena = chosenArena(options.arena);
  const policy = mergePolicy(arena.policy, options.policy);
  const seat = seatOf(arena);
  const platoon = bypassLimit === 'adaptive' ? FIRST_PLATOON : bypassLimit;
  // Before the block: what `fill` needs must not fail or die half-way.
  seat.reserveEntry();
  const place = createPrimitive(arena, KIND_CAPACITOR, BLOCK_LINE, name, (words, capacitor, tag) => {
    words.store64(capacitor + GRANT, BigInt(platoon));
    words.put32(capacitor + LIMIT, platoon);
    words.put32(capacitor + TALLY, platoon);
    words.put32(capacitor + FLAGS, FLAG_CAPACITOR);
    if (bypassLimit === 'adaptive') startPacer(words, capacitor);
    seat.standing(capacitor, tag, true);
  });
  return [place, policy];
}

export function checkBypassLimit(bypassLimit: unknown): void {
  if (bypassLimit !== 'adaptive') checkInteger("bypassLimit, unless it is 'adaptive',", bypassLimit, 1, MAX_PERMITS);
}
