// What must hold at a box office of the built packages that no agent is using, read from the shared memory.

import type { Arena, PrimitiveHandle } from '@sluice/core';
import { expect } from 'vitest';
import { BLOCK_LINE, GRANT, HEALTH, OFFICE, TICKET } from '../../src/kernel/layout.ts';
import { CONSISTENT } from '../../src/kernel/states.ts';

/**
 * The word in which the box office decides is `office`, at none of its `lines` bouncers is there a permit or a ticket
 * too many, no lock is in doubt, no agent holds anything and nothing of a waiter is left in the arena.
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
