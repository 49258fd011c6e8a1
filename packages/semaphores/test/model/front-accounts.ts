// Checks the words of a semaphore with a front line and lines behind it while no agent is within a step: each permit is
// in exactly one place.

import type { Words } from '@sluice/model';
import * as layout from '../../../core/src/kernel/layout.ts';
import { ABANDONED, GRANTED, LINKED, PARKED, QUEUED } from '../../../core/src/kernel/states.ts';
import { elementAt, entryAt, insideAt, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';

const { DRAWN, BLOCK_TAG, CAPACITY, RELEASED_FOR_OTHERS, ENTRY_HELD, GATE, GRANT, LEAVING, LIMIT, LINE, TICKET } =
  layout;

export const FRONT = semaphoreAddress(0);
export const behind = (index: number): number => semaphoreAddress(1 + index);

/** The lines, elements and permits of the world. */
export interface Extent {
  readonly agents: number;
  readonly elements: number;
}

/** A line behind the front, and the waiters in it. */
export interface Line {
  readonly grant: number;
  readonly ticket: number;
  /** Elements of counted waiters, and of strays: cancelled tickets that will still get their permit. */
  readonly counted: number;
  /** Elements of tickets that are no longer counted and not yet passed over. */
  readonly uncounted: number;
  /** Permits that were granted there and not taken. */
  readonly promised: number;
}

export const counter = (words: Words, at: number): number => Number(words.load64(at));

/** `tokens`: its waiters have no tickets. */
export function lineAt(words: Words, index: number, { elements }: Extent, tokens = false): Line {
  const line = behind(index);
  const [grant, ticket] = [counter(words, line + GRANT), counter(words, line + TICKET)];
  let [counted, uncounted, promised] = [0, 0, tokens ? grant : Math.max(0, grant - ticket)];
  for (let at = 0; at < elements; at++) {
    const element = elementAt(at);
    if (words.get32(element + LINE) !== line) continue;
    const gate = words.load32(element + GATE);
    if (gate !== QUEUED && gate !== LINKED && gate !== PARKED && gate !== GRANTED && gate !== ABANDONED) continue;
    if (words.get32(element + LEAVING) === 0) counted += 1;
    else uncounted += 1;
    if (!tokens && counter(words, element + DRAWN) < grant) promised += 1;
  }
  return { grant, ticket, counted, uncounted, promised };
}

/** Returns whether the semaphore is open and no agent is within a step. */
export function isQuiet(words: Words, { agents }: Extent): boolean {
  for (let agent = 0; agent < agents; agent++) if (words.get32(insideAt(agent)) !== 0) return false;
  return words.load32(FRONT + BLOCK_TAG) === tagOf(0);
}

/**
 * Returns a fault unless the held permits (by the agents' own records), the free and the promised permits add up to all
 * permits.
 */
export function conserved(words: Words, { agents }: Extent, free: number, promised: number): string | undefined {
  let taken = -counter(words, FRONT + RELEASED_FOR_OTHERS);
  for (let agent = 0; agent < agents; agent++) taken += counter(words, entryAt(agent, 0) + ENTRY_HELD);
  const there = counter(words, FRONT + CAPACITY);
  const bound = words.get32(FRONT + LIMIT);
  if (bound !== 0 && free > bound) return `${free} permits are free, more than the maximum`;
  const sum = taken + free + promised;
  return sum === there
    ? undefined
    : `${taken} permits are held, ${free} free and ${promised} promised, but ${there} exist`;
}
