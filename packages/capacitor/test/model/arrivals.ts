// Records the order of arrivals, beside the code under test: for each waiting agent, which others arrived later, and
// how many of them went in before it. One word behind those of the world has a byte for each of four agents:
//
// bits 0-3   agents that came later bits 4-6   how many of those went in bit 7      it waits

import type { Context, Words } from '@sluice/model';
import { END } from '../../../core/test/model/places.ts';

/** The bytes of a world with these records. */
export const BYTES = END + 64;
/** A further word for each agent. */
export const noteAt = (agent: number): number => END + 32 + 4 * agent;

const ARRIVALS = END;
const AGENTS = [0, 1, 2, 3];
const LATER = 15;
const PASSED = 16;
const WAITS = 128;

const byteOf = (notes: number, agent: number): number => (notes >>> (8 * agent)) & 255;

/** Changes the bytes of the waiting agents, except for `agent`, whose byte becomes `own`. */
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

/** Records that the agent is later than all waiting agents. */
export function comes(words: Words, agent: number): void {
  change(words, agent, undefined, (note) => note | (1 << agent));
}

/** Records that the agent drew its ticket. `late`: it arrived only now. */
export function waits(words: Words, agent: number, late: boolean): void {
  change(words, agent, WAITS, (note) => (late ? note | (1 << agent) : note));
}

/** Records that the agent goes in. Fewer than `limit` agents may overtake the same waiter. */
export function enters(ctx: Context, agent: number, limit: number | ((waiter: number) => number)): void {
  change(ctx.words, agent, 0, (note, other) => {
    if ((note & LATER & (1 << agent)) === 0) return note;
    const passed = ((note >> 4) & 7) + 1;
    ctx.assert(
      passed < (typeof limit === 'number' ? limit : limit(other)),
      `${passed} agents that arrived later went in before agent ${other}`,
    );
    return (note & ~(1 << agent)) + PASSED;
  });
}

/** Returns the number of waiting agents. */
export function waiting(words: Words): number {
  return AGENTS.filter((agent) => (byteOf(words.get32(ARRIVALS), agent) & WAITS) !== 0).length;
}

/** Records that the agent waits no more. */
export function leaves(words: Words, agent: number): void {
  change(words, agent, 0, (note) => note & ~(1 << agent));
}
