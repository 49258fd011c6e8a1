// Tests every owned lock with its own block: one suite for all classes.

import { describe } from 'vitest';
import { fullLockSuite } from '../full-lock-suite.ts';
import { handleSuite } from '../handle-suite.ts';
import { misuseTable } from '../misuse-table.ts';
import { deadlocks } from './deadlock.ts';
import { frees } from './free.ts';
import { inspections } from './inspect.ts';
import type { OwnedLockKind, TestedLock } from './kind.ts';
import { lockRows, STATES } from './misuse.ts';
import { conforms } from './places.ts';
import { promises } from './promises.ts';

export interface OwnedLockSuiteOptions {
  /** The memory that an agent's first lock of a kind takes in addition to its own block. */
  readonly warm?: (kind: OwnedLockKind) => Parameters<typeof fullLockSuite>[1];
  /** The properties of the report of an unused lock in addition to owner, waiters and consistency. */
  readonly reports?: object;
}

/** Agents that really wait. `all`: all kinds of the package. */
export function ownedLockSuite(all: readonly OwnedLockKind[], { warm, reports }: OwnedLockSuiteOptions = {}): void {
  describe.each(all)('$what', (kind) => {
    promises(kind);
    deadlocks(kind);
    frees(kind, all);
    inspections(kind, reports);
    fullLockSuite(kind, warm?.(kind));
    handleSuite(kind, kind.kindName, isSame);
    misuseTable(kind, STATES, lockRows(kind, all));
  });
  for (const kind of all) conforms(kind);
}

function isSame(one: TestedLock, other: TestedLock): boolean {
  return one.run(() => other.inspect().owner === one.arena.agentId) && other.inspect().owner === 0;
}
