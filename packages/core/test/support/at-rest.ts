// Checks of a box office that no agent uses.

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
import { isOwnedLock } from '../../src/memory/lock-health.ts';

const TICKET_LOCK = kindCode('ticke');

/** Returns the word of the box office, and the permits minus the tickets at each of its bouncers. */
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

/**
 * Returns the lines of a block in which agents wait. For a kind of another package, these are the lines with the
 * block's tag.
 */
function linesOf(words: Words, block: number): number[] {
  const count = words.load32(block + BLOCK_KIND) > LAST_BASE_KIND ? words.get32(block + BLOCK_SIZE) / BLOCK_LINE : 1;
  const lines = Array.from({ length: count }, (_, line) => block + line * BLOCK_LINE);
  return lines.filter((line) => words.load32(line + BLOCK_TAG) === words.load32(block + BLOCK_TAG));
}

/**
 * Expects that no agent holds the primitive or waits for it, and that no permit is left over. An event may be
 * signalled.
 */
export function expectAtRest(arena: Arena, { address }: { readonly address: number }, office = 0n): void {
  const found = officeAt(arena, address);
  const { words } = contextOf(arena);
  // The only permit of a ticket lock, or of a semaphore with an owner, is the lock itself.
  const isSemaphore = words.load32(address + BLOCK_KIND) === KIND_SEMAPHORE && isOwnedLock(words, address);
  const free = isSemaphore || words.load32(address + BLOCK_KIND) === TICKET_LOCK ? 1n : 0n;
  // A semaphore has no box office: its word is the number of permits.
  expect(found).toEqual({ office: isSemaphore ? free : office, bouncers: found.bouncers.map(() => free) });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
}
