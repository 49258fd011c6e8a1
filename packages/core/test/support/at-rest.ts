// What must hold at every box office that no agent is using.

import { expect } from 'vitest';
import { contextOf } from '../../src/arena/arena.ts';
import type { Arena } from '../../src/index.ts';
import {
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_SIZE,
  BLOCK_TAG,
  GRANT,
  KIND_SEMAPHORE,
  LAST_BASE_KIND,
  OFFICE,
  TICKET,
} from '../../src/kernel/layout.ts';
import type { Words } from '../../src/kernel/words.ts';
import { kindCode } from '../../src/agent/kind.ts';
import { isOwnedLock } from '../../src/report/lock-health.ts';

const TICKET_LOCK = kindCode('ticke');

/** The word in which the box office decides, and the permits less the tickets at each of its bouncers. */
export function officeAt(
  arena: Arena,
  address: number,
): { readonly office: bigint; readonly bouncers: readonly bigint[] } {
  const { words } = contextOf(arena);
  return {
    office: BigInt.asUintN(64, words.load64(address + OFFICE)),
    bouncers: linesOf(words, address).map((line) => words.load64(line + GRANT) - words.load64(line + TICKET)),
  };
}

/** The lines of a block where agents wait: of a kind that a package brings, those with the block's tag. */
function linesOf(words: Words, block: number): number[] {
  const count = words.load32(block + BLOCK_KIND) > LAST_BASE_KIND ? words.get32(block + BLOCK_SIZE) / BLOCK_LINE : 1;
  const lines = Array.from({ length: count }, (_, line) => block + line * BLOCK_LINE);
  return lines.filter((line) => words.load32(line + BLOCK_TAG) === words.load32(block + BLOCK_TAG));
}

/** No agent holds it or waits, and no permit is left over. An event may be signalled. */
export function expectAtRest(arena: Arena, { address }: { readonly address: number }, office = 0n): void {
  const found = officeAt(arena, address);
  const { words } = contextOf(arena);
  // A ticket lock's only permit is the lock itself, as is that of a semaphore with an owner.
  const isSemaphore = words.load32(address + BLOCK_KIND) === KIND_SEMAPHORE && isOwnedLock(words, address);
  const free = isSemaphore || words.load32(address + BLOCK_KIND) === TICKET_LOCK ? 1n : 0n;
  // A semaphore has no box office: the word is the number of its permits.
  expect(found).toEqual({ office: isSemaphore ? free : office, bouncers: found.bouncers.map(() => free) });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
}
