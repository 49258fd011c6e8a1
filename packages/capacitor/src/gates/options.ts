// The options of capacitors and turnstiles.

import type { Arena, WaitingPolicy } from '@sluice/core';
import { checkInteger, checkOptions, MAX_PERMITS, PLACED_OPTIONS } from '@sluice/core/calls';
import {
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
  FLAG_GATE,
  FLAG_OWN_CHAIN,
  FLAG_TURNS,
  FLAGS,
  GRANT,
  LIMIT,
  OWNERS_AT,
} from '@sluice/core/format';
import { createBlock, type BlockRef } from '@sluice/core/internal';
import { CREDITED, FLAG_LANED, HOME, LANE_BITS, TALLY } from '../kernel/layout.ts';
import { CAPACITOR, LANE, LANED_CAPACITOR, TURNSTILE } from './kinds.ts';

export interface TurnstileOptions {
  /** The arena that contains it. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits here. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

export interface CapacitorOptions extends TurnstileOptions {
  /**
   * The bypass limit B: at most B - 1 agents that arrive after a waiter enter before it. 1 to 2,147,483,647. Default
   * 10.
   */
  readonly bypassLimit?: number | undefined;
}

export interface LanedCapacitorOptions extends CapacitorOptions {
  /** The number of lanes: a power of two, 2 to 64 and at most B. */
  readonly lanes: number;
}

const CAPACITOR_OPTIONS: readonly (keyof CapacitorOptions)[] = ['arena', 'name', 'policy', 'bypassLimit'];
const LANED_OPTIONS: readonly (keyof LanedCapacitorOptions)[] = ['arena', 'name', 'policy', 'bypassLimit', 'lanes'];

/** The maximum number of lanes, as a power of two. */
export const MAX_LANE_BITS = 6;
export const DEFAULT_BYPASS_LIMIT = 10;
/** The initial value of B. This many passes take at least some tenths of a millisecond. */
const FIRST_PASSES = 1000;

/** Creates a block with an open capacitor, and returns it with this agent's policy. */
export function createCapacitor(options: CapacitorOptions): [BlockRef, WaitingPolicy] {
  checkOptions(options, CAPACITOR_OPTIONS);
  const { bypassLimit = DEFAULT_BYPASS_LIMIT } = options;
  checkInteger('bypassLimit', bypassLimit, 1, MAX_PERMITS);
  return createBlock(CAPACITOR, options, {
    entries: 1,
    fill: ({ context, words, address: capacitor, tag, line }) => {
      words.store64(capacitor + GRANT, BigInt(bypassLimit));
      words.put32(capacitor + LIMIT, bypassLimit);
      words.put32(capacitor + TALLY, bypassLimit);
      words.put32(capacitor + FLAGS, FLAG_GATE);
      context.lineState(capacitor, tag, { recorded: true, line });
    },
  });
}

/** Creates a block as `createCapacitor` does, with lanes. */
export function createLanedCapacitor(options: LanedCapacitorOptions): [BlockRef, WaitingPolicy] {
  checkOptions(options, LANED_OPTIONS);
  const { bypassLimit = DEFAULT_BYPASS_LIMIT, lanes } = options;
  checkInteger('bypassLimit', bypassLimit, 1, MAX_PERMITS);
  checkLanes(lanes, bypassLimit);
  return createBlock(LANED_CAPACITOR, options, {
    bytes: (1 + lanes) * BLOCK_LINE,
    entries: 1,
    fill: ({ context, words, address: capacitor, tag, line }) => {
      words.put32(capacitor + LIMIT, bypassLimit);
      words.put32(capacitor + TALLY, bypassLimit);
      words.put32(capacitor + CREDITED, bypassLimit);
      words.put32(capacitor + LANE_BITS, Math.log2(lanes));
      words.put32(capacitor + FLAGS, FLAG_GATE | FLAG_LANED);
      for (let lane = 0; lane < lanes; lane++) {
        const at = capacitor + (1 + lane) * BLOCK_LINE;
        words.store64(at + GRANT, BigInt(Math.floor((bypassLimit - 1 - lane) / lanes) + 1));
        words.put32(at + FLAGS, FLAG_GATE | FLAG_OWN_CHAIN);
        words.put32(at + BLOCK_KIND, LANE.code);
        words.put32(at + HOME, capacitor);
        words.store32(at + BLOCK_TAG, tag);
      }
      context.lineState(capacitor, tag, { recorded: true, ordered: false, line });
    },
  });
}

export function checkLanes(lanes: unknown, bypassLimit: number): void {
  const count = checkInteger('lanes', lanes, 2, 2 ** MAX_LANE_BITS);
  if ((count & (count - 1)) !== 0) throw new RangeError(`lanes must be a power of two: received ${count}`);
  if (count > bypassLimit)
    throw new RangeError(`lanes must not be more than bypassLimit, ${bypassLimit}: received ${count}`);
}

/** Creates a block with a turnstile that no agent is in, and returns it with this agent's policy. */
export function createTurnstile(options: TurnstileOptions): [BlockRef, WaitingPolicy] {
  checkOptions(options, PLACED_OPTIONS);
  return createBlock(TURNSTILE, options, {
    fill: ({ words, address: turnstile }) => {
      words.put32(turnstile + LIMIT, FIRST_PASSES);
      words.put32(turnstile + FLAGS, FLAG_TURNS | FLAG_GATE | (1 << OWNERS_AT));
    },
  });
}
