// Checks of an unused box office of the built packages, read from the shared memory.

import type { Arena, PrimitiveHandle } from '@sluice/core';
import { expect } from 'vitest';
import { BLOCK_LINE, GRANT, HEALTH, OFFICE, TICKET } from '../../src/kernel/layout.ts';
import { CONSISTENT } from '../../src/kernel/states.ts';

/**
 * Expects that the word of the box office is `office`. None of its `lines` bouncers has a surplus permit or ticket,
 * every lock is consistent, no agent holds anything, and waiters have left nothing in the arena.
 */
export function expectOfficeAtRest(arena: Arena, handle: PrimitiveHandle<string>, lines = 1, office = 0n): void {
  const { buffer } = handle.memory;
  const wide = new BigInt64Array(buffer, handle.address, (lines * BLOCK_LINE) / 8);
  const at = (byte: number): bigint => Atomics.load(wide, byte / 8);
  const balances = Array.from(
    { length: lines },
    (_, line) => at(line * BLOCK_LINE + GRANT) - at(line * BLOCK_LINE + TICKET),
  );
  expect({ office: at(OFFICE), balances }).toEqual({ office, balances: balances.map(() => 0n) });
  expect(Atomics.load(new Int32Array(buffer, handle.address + HEALTH, 1), 0)).toBe(CONSISTENT);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  expect(arena.inspect().agents.flatMap(({ holds }) => holds)).toEqual([]);
}
