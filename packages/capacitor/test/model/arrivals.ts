// The order of arrivals, beside the code under test: for each agent that waits, which others arrived later and how many
// of them went in before it. All in one word behind those of the world, a byte for each of four agents:
//
//   bits 0-3   agents that came later
//   bits 4-6   how many of those went in
//   bit 7      it waits

import type { Context, Words } from '@sluice/model';
import { END } from '../../../core/test/model/places.ts';

/** Bytes of a world with these notes. */
export const BYTES = END + 64;
/** Another word for each agent. */
export const noteAt = (agent: number): number => END + 32 + 4 * agent;

const ARRIVALS = END;
const AGENTS = [0, 1, 2, 3];
const LATER = 15;
const PASSED = 16;
const WAITS = 128;

const byteOf = (notes: number, agent: number): number => (notes >>> (8 * agent)) & 255;

/** Changes the bytes of those that wait, except for `agent`, whose byte becomes `own`. */
function change(
  words: Words,
  agent: number,
  own: number | undefined,
  edit: (note: number, other: number) => number,
): void {
  const before = words.get32(ARRIVALS);
  let after = 0;
  for (const other of AGENTS) {
    const note = byteOf(before, other);
    const mine = other === agent;
    after |= (mine ? (own ?? note) : (note & WAITS) !== 0 ? edit(note, other) : note) << (8 * other);
  }
  if (after !== before) words.put32(ARRIVALS, after);
}

/** From here on it is later than all that wait. */
export function comes(words: Words, agent: number): void {
  change(words, agent, undefined, (note) => note | (1 << agent));
}

/** It drew its ticket. `late`: it came only now. */
export function waits(words: Words, agent: number, late: boolean): void {
  change(words, agent, WAITS, (note) => (late ? note | (1 << agent) : note));
}

/** It goes in: fewer than `limit` may pass the same waiter. */
export function enters(ctx: Context, agent: number, limit: number | ((waiter: number) => number)): void {
  change(ctx.words, agent, 0, (note, other) => {
    if ((note & LATER & (1 << agent)) === 0) return note;
    const passed = ((note >> 4) & 7) + 1;
    ctx.assert(
      passed < (typeof limit === 'number' ? limit : limit(other)),
      `${passed} that came later went in before agent ${other}`,
    );
    return (note & ~(1 << agent)) + PASSED;
  });
}

/** How many wait. */
export function waiting(words: Words): number {
  return AGENTS.filter((agent) => (byteOf(words.get32(ARRIVALS), agent) & WAITS) !== 0).length;
}

/** It waits no more. */
export function leaves(words: Words, agent: number): void {
  change(words, agent, 0, (note) => note & ~(1 << agent));
}
