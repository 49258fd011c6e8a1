// Bounds for the walks over shared lists. If a stray write made a list endless, the walk ends with CorruptArenaError.
//
// The check begins only when a walk has become long, so short walks cost the same as without the check.

import type { Titled } from '../api/wording.ts';
import { CorruptArenaError } from '../api/errors.ts';
import {
  AGENT_CHAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_DUTY_LEFT,
  AGENT_GATHER,
  AGENT_GATHERED,
  AGENT_TO_WAKE,
  AGENT_POSTS,
  AGENT_POST_KEYS,
  AGENT_STUB,
  AGENT_SWEEP,
  BLOCK_LINE,
  ELEMENT_STRIDE,
  HEADER_HEAP,
  HEADER_TOP,
  KIND_AREA,
  NEXT,
  POOL_COUNT,
  POOL_NEXT,
  POOL_STRIDE,
  UP,
} from '../kernel/layout.ts';
import { CLOSED, GRANTED, LINKED, PARKED, PROMISED, QUEUED, SPENT } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import { isTrap } from '../platform/realm.ts';

/** The number of steps of a walk before the first check of the agent's operations in flight, and between two checks. */
export const STEPS_BETWEEN_LOOKS = 4096;
/**
 * The maximum number of buckets of an arena, and so of the keys or buckets that an agent can have left to visit. No
 * primitive has as many lanes.
 */
const MAX_BUCKETS = 65_536;
const MAX_BYTES = 2 ** 31;
/**
 * The number of equal checks in a row which show that a walk has no end, if the kind has waiters or posts in flight.
 */
const EQUAL_LOOKS = 64;
/** Counters of the keys and buckets that an agent has left to visit. They count down to 0. */
const COUNTERS = [AGENT_POST_KEYS, AGENT_SWEEP, AGENT_GATHER, KIND_AREA + AGENT_POST_KEYS] as const;

/** The beginning of the error's messages. */
export const DAMAGED = "The arena's memory is damaged";

/** The location of the damage, for messages: a primitive, or the package of the step that failed. */
export type Where = Titled | string;

export function corrupt(what: string, where?: Where): CorruptArenaError {
  return new CorruptArenaError(
    `${DAMAGED}${damagedAt(where)}: ${what}. Something other than Sluice wrote to it, or a thread with jsEngine was killed during a ` +
      'step. Create another arena.',
  );
}

/** The words with which engines report an access beyond a memory by a typed array, a DataView or `Atomics`. */
const BEYOND = /out[ -]of[ -]bounds|outside the bounds|atomic access index/i;

/** Adds the primitive to an error whose callee did not know it. Returns the same error if it already names one. */
function named(failure: CorruptArenaError, where: Where | undefined): CorruptArenaError {
  return where !== undefined && failure.message.startsWith(`${DAMAGED}:`)
    ? new CorruptArenaError(`${DAMAGED}${damagedAt(where)}${failure.message.slice(DAMAGED.length)}`)
    : failure;
}

/** Returns the location of the damage, for messages. Never throws. */
export function damagedAt(where: Where | undefined): string {
  try {
    return where === undefined ? '' : ` at ${String(where)}`;
  } catch {
    return '';
  }
}

/**
 * Returns the error for a failed step or walk. A damaged address leads to an access beyond the memory, and that failure
 * becomes a `CorruptArenaError`.
 */
export function asCorrupt(failure: unknown, where?: Where): unknown {
  if (failure instanceof CorruptArenaError) return named(failure, where);
  const trapped = isTrap(failure) || (failure instanceof RangeError && BEYOND.test(failure.message));
  return trapped ? corrupt(`a step ended with '${failure.message}'`, where) : failure;
}

/** Calls steps of uncontended or waiting paths, which have no wrapper that catches traps (traps.ts). */
export function orCorrupt<T>(steps: () => T, where?: Where): T {
  try {
    return steps();
  } catch (failure) {
    throw asCorrupt(failure, where);
  }
}

/** Gates of an element whose owner waits. */
const WAITING_GATES = new Set<number>([QUEUED, LINKED, PARKED, GRANTED, CLOSED, SPENT, PROMISED]);

/** Checks the gate at which a waiter is about to sleep. Throws `CorruptArenaError` if no verdict can come there. */
export function checkGate(gate: number): void {
  if (!WAITING_GATES.has(gate)) throw corrupt(`a waiter's gate says ${gate}`);
}

/** Returns the size of a block of the heap. Throws `CorruptArenaError` if it is invalid. */
export function checkSize(words: Words, block: number, size: number): number {
  const fits = size > 0 && size % BLOCK_LINE === 0 && block + size <= words.load32(HEADER_TOP);
  if (!fits) throw corrupt(`the block at ${block} has a size of ${size} bytes`);
  return size;
}

/**
 * Yields the blocks of a pool, newest first. There are few, because each is about as large as all older blocks
 * together. Throws `CorruptArenaError`.
 */
export function* poolBlocks(
  words: Words,
  newest: number,
): Generator<{ readonly block: number; readonly count: number; readonly stride: number }> {
  const seen = new Set<number>();
  for (let block = newest; block !== 0; block = words.get32(block + POOL_NEXT)) {
    if (seen.has(block) || block % BLOCK_LINE !== 0)
      throw corrupt(`the list of a pool's blocks comes to ${block} again, or to none`);
    seen.add(block);
    const [count, stride] = [words.get32(block + POOL_COUNT), words.get32(block + POOL_STRIDE)];
    if (count < 0 || stride < ELEMENT_STRIDE || count * stride > MAX_BYTES)
      throw corrupt(`the pool block at ${block} has ${count} records of ${stride} bytes`);
    yield { block, count, stride };
  }
}

/** The state of a walk at a check, and the number of checks before it in a row that found the same state. */
export interface WalkCheck {
  readonly found: string;
  readonly times: number;
}

/**
 * Checks an agent's operations in flight, in a walk that has gone on for long. `before` is the result of the previous
 * call. Throws `CorruptArenaError` if the walk has no end.
 */
export function checkWalk(words: Words, agent: number, before: WalkCheck | undefined): WalkCheck {
  checkLists(words, agent);
  const found = onDuty(words, agent);
  const times = found !== '' && found === before?.found ? before.times + 1 : 0;
  // A walk that other agents make visit the same chain again and again finds the same head every few checks. The chain
  // grows or shrinks in between.
  const hasMembers =
    words.get32(agent + KIND_AREA + AGENT_CHAIN) !== 0 || words.get32(agent + KIND_AREA + AGENT_POSTS) !== 0;
  if (times >= (hasMembers ? EQUAL_LOOKS : 1))
    throw corrupt(`the walk of the primitive at ${words.get32(agent + AGENT_DUTY)} has no end`);
  return { found, times };
}

/** Checks the lists that only this agent changes. */
function checkLists(words: Words, agent: number): void {
  const most = words.load32(HEADER_TOP) / ELEMENT_STRIDE;
  let members = 0;
  const count = (address: number): number => {
    members += 1;
    if (members > most || address < words.get32(HEADER_HEAP) || address >= words.load32(HEADER_TOP))
      throw corrupt('a list of waiters has no end');
    return address;
  };
  for (const head of [AGENT_CHAIN, KIND_AREA + AGENT_CHAIN, AGENT_TO_WAKE]) {
    for (let chain = words.get32(agent + head); chain !== 0; chain = words.get32(chain + UP)) {
      for (let element = chain; element !== 0; element = words.get32(count(element) + NEXT));
    }
  }
  members = 0;
  for (const head of [AGENT_POSTS, KIND_AREA + AGENT_POSTS]) {
    for (let post = words.get32(agent + head); post !== 0; post = words.get32(count(post) + NEXT));
    members = 0;
  }
  for (const counter of [...COUNTERS, AGENT_DUTY_LEFT]) {
    if (words.get32(agent + counter) > MAX_BUCKETS + 1)
      throw corrupt('an agent has more left to visit than the arena contains');
  }
  // These counters count down to 0, so a walk that began below 0 has no end.
  for (const counter of COUNTERS) {
    if (words.get32(agent + counter) < 0)
      throw corrupt(`an agent has ${words.get32(agent + counter)} buckets left to visit`);
  }
}

/**
 * Returns a fingerprint of all words that a kind's own part of a walk may change: the kind's words in the agent record,
 * and the lines around the line of the duty. If the fingerprint stays the same from step to step, the walk makes no
 * progress and would never end. Returns '' while the walk has other parts left.
 */
function onDuty(words: Words, agent: number): string {
  const busy = [
    AGENT_CHAIN,
    AGENT_TO_WAKE,
    AGENT_POSTS,
    AGENT_SWEEP,
    AGENT_GATHER,
    AGENT_GATHERED,
    AGENT_POST_KEYS,
  ].some((word) => words.get32(agent + word) !== 0);
  if (busy || words.get32(agent + AGENT_DUTY_KIND) === 0) return '';
  const line = words.get32(agent + AGENT_DUTY);
  const first = Math.max(0, line - BLOCK_LINE);
  return [
    ...wordsIn(words, agent + KIND_AREA, agent + AGENT_STUB),
    ...wordsIn(words, first, Math.min(first + 6 * BLOCK_LINE, words.load32(HEADER_TOP))),
  ].join();
}

function* wordsIn(words: Words, from: number, to: number): Generator<number> {
  for (let at = from; at < to; at += 4) yield words.load32(at);
}
