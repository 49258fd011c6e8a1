// Words beside a buffer's world: what each call wants while it is under way.

import type { Words } from '@sluice/model';
import { BYTES } from './buffer-places.ts';

const MAX_AGENTS = 4;
const MAX_CALLS = 4;
/** A side and a number of units, as 1 + side + 2 * units. 0: no call is under way. */
const wishAt = (agent: number, call: number): number => BYTES + 4 * (agent * MAX_CALLS + call);
/** Whether the call of `andTell` has returned. */
const HAS_TOLD = wishAt(MAX_AGENTS, 0);
export const ASYNC_BYTES = HAS_TOLD + 4;

export interface Wish {
  readonly agent: number;
  readonly side: number;
  readonly units: number;
}

export function noteWish(words: Words, agent: number, call: number, side: number, units: number): void {
  words.put32(wishAt(agent, call), 1 + side + 2 * units);
}

export function dropWish(words: Words, agent: number, call: number): void {
  words.put32(wishAt(agent, call), 0);
}

export function tell(words: Words): void {
  words.store32(HAS_TOLD, 1);
}

export function hasTold(words: Words): boolean {
  return words.load32(HAS_TOLD) === 1;
}

/** Returns the calls that are under way. */
export function wishesOf(words: Words): Wish[] {
  const wishes: Wish[] = [];
  for (let agent = 0; agent < MAX_AGENTS; agent++) {
    for (let call = 0; call < MAX_CALLS; call++) {
      const wish = words.get32(wishAt(agent, call)) - 1;
      if (wish >= 0) wishes.push({ agent, side: wish % 2, units: Math.floor(wish / 2) });
    }
  }
  return wishes;
}
