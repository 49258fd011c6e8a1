// The state of an unused lock of the built package, read from the shared memory.

import type { Arena } from '@sluice/core';
import { expect } from 'vitest';
import { GRANT, OFFICE, TICKET } from '../../../core/src/kernel/layout.ts';
import { NEXT_WAITER } from '../../src/kernel/layout.ts';
import type { PlacedLock } from '../jobs/kinds.mjs';

/**
 * Checks that no agent owns the lock or waits for it, that it is not in doubt, and that no waiter's element is left in
 * the arena. `alone`: also that no agent holds anything else.
 */
export function expectLockAtRest(arena: Arena, lock: PlacedLock, alone = true): void {
  expect(lock.inspect()).toMatchObject({ owner: 0, consistency: 'consistent', waiters: [], abandoned: 0 });
  const { memory, address, kind } = lock.handle;
  const wide = new BigInt64Array(memory.buffer);
  const at = (byte: number): bigint => Atomics.load(wide, (address + byte) / 8);
  // The ticket lock's only permit is the lock itself.
  const balance = kind === 'sluice.ticket-lock' ? 1n : 0n;
  const office = kind === 'sluice.ticket-lock' ? at(OFFICE) : 0n;
  expect([at(OFFICE), at(GRANT) - at(TICKET)]).toEqual([office, balance]);
  if (kind === 'sluice.mcs-lock' || kind === 'sluice.reciprocating-lock') {
    expect(Atomics.load(new Int32Array(memory.buffer), (address + NEXT_WAITER) / 4)).toBe(0);
  }
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  if (alone) expect(arena.inspect().agents.flatMap(({ holds }) => holds)).toEqual([]);
}
