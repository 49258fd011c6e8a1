// What capacitors and turnstiles are made with.

import type { Arena, WaitingPolicy } from '@sluice/core';
import {
  BLOCK_LINE,
  checkInteger,
  checkOptions,
  chosenArena,
  createPrimitive,
  FLAG_CAPACITOR,
  FLAG_MUTEX,
  FLAG_TURNSTILE,
  FLAGS,
  GRANT,
  KIND_CAPACITOR,
  KIND_TURNSTILE,
  LIMIT,
  MAX_PERMITS,
  mergePolicy,
  seatOf,
  TALLY,
  type Place,
} from '@sluice/core/internal';

export interface TurnstileOptions {
  /** Where it lives. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits here. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

export interface CapacitorOptions extends TurnstileOptions {
  /** B: at the most B - 1 later arrivals pass a waiter. 1 to 2,147,483,647. Default 10. */
  readonly bypassLimit?: number | undefined;
}

export const DEFAULT_BYPASS_LIMIT = 10;
/** With so many passes a turn takes some tenths of a millisecond at the least. */
const FIRST_PASSES = 1000;
export const MOST_PASSES = 1 << 24;

/** A block with an open capacitor in it, and the policy of this agent. */
export function createCapacitor(options: CapacitorOptions): [Place, WaitingPolicy] {
  checkOptions(options);
  const { bypassLimit = DEFAULT_BYPASS_LIMIT, name } = options;
  checkInteger('bypassLimit', bypassLimit, 1, MAX_PERMITS);
  const arena = chosenArena(options.arena);
  const policy = mergePolicy(arena.policy, options.policy);
  const seat = seatOf(arena);
  // Before the block: what `fill` needs must not fail or die half-way.
  seat.reserveEntry();
  const place = createPrimitive(arena, KIND_CAPACITOR, BLOCK_LINE, name, (words, capacitor, tag) => {
    words.store64(capacitor + GRANT, BigInt(bypassLimit));
    words.put32(capacitor + LIMIT, bypassLimit);
    words.put32(capacitor + TALLY, bypassLimit);
    words.put32(capacitor + FLAGS, FLAG_CAPACITOR);
    seat.standing(capacitor, tag, true);
  });
  return [place, policy];
}

/** A block with a turnstile in it that is nobody's, and the policy of this agent. */
export function createTurnstile(options: TurnstileOptions): [Place, WaitingPolicy] {
  checkOptions(options);
  const arena = chosenArena(options.arena);
  const policy = mergePolicy(arena.policy, options.policy);
  const place = createPrimitive(arena, KIND_TURNSTILE, BLOCK_LINE, options.name, (words, turnstile) => {
    words.put32(turnstile + LIMIT, FIRST_PASSES);
    words.put32(turnstile + FLAGS, FLAG_MUTEX | FLAG_TURNSTILE);
  });
  return [place, policy];
}
