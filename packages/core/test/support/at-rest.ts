// What must be so at every box office that nobody uses at the moment.

import { expect } from 'vitest';
import { contextOf } from '../../src/arena/arena.ts';
import type { Arena } from '../../src/index.ts';
import { BLOCK_KIND, BLOCK_LINE, FLAG_EVENT, FLAG_OWNED, FLAG_RECOVERY, FLAGS, GRANT, KIND_RW_LOCK, OFFICE, TICKET } from '../../src/kernel/layout.ts';

/** The word in which the box office decides, and the permits less the tickets at each of its bouncers. */
export function officeAt(arena: Arena, address: number): { readonly office: bigint; readonly bouncers: readonly bigint[] } {
  const { words } = contextOf(arena);
  const lines = words.load32(address + BLOCK_KIND) === KIND_RW_LOCK ? [0, BLOCK_LINE] : [0];
  const isEvent = (words.get32(address + FLAGS) & FLAG_EVENT) !== 0;
  return {
    office: isEvent ? BigInt(words.load32(address + OFFICE)) : BigInt.asUintN(64, words.load64(address + OFFICE)),
    bouncers: lines.map((line) => words.load64(address + line + GRANT) - words.load64(address + line + TICKET)),
  };
}

/** Nobody holds it, nobody waits, no permit is left for nobody. An event may be signalled. */
export function expectAtRest(arena: Arena, { address }: { readonly address: number }, office = 0n): void {
  const found = officeAt(arena, address);
  // The permit of a lock whose owner stands in a ledger is the lock itself.
  const recorded = FLAG_OWNED | FLAG_RECOVERY;
  const free = (contextOf(arena).words.get32(address + FLAGS) & recorded) === recorded ? 1n : 0n;
  expect(found).toEqual({ office, bouncers: found.bouncers.map(() => free) });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
}
