// Checks of a condition and its lock that no agent uses.

import { expect } from 'vitest';
import { contextOf } from '../../../../core/src/arena/arena.ts';
import { entries } from '../../../../core/src/memory/records.ts';
import type { Arena } from '../../../../core/src/index.ts';
import { expectAtRest } from '../../../../core/test/support/at-rest.ts';
import type { Condition } from '../../../src/index.ts';
import type { Opened } from './sorts.ts';

/** Expects that no agent waits for either, no permit is left over, and no ledger counts a wait. */
export function expectConditionAtRest(arena: Arena, condition: Condition, lock: Opened): void {
  expectAtRest(arena, condition.handle);
  expectAtRest(arena, lock.handle);
  const { address, tag } = condition.handle;
  const waits = [...entries(contextOf(arena).words)].filter((entry) => entry.address === address && entry.held !== 0n);
  expect(waits.map(({ owner, held }) => ({ owner, held, tag }))).toEqual([]);
}
