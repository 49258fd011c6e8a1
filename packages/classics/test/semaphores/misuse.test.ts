// Every wrong call of every member throws a typed error that says what was received, and changes nothing.

import { describe, expect, test } from 'vitest';
import { Arena } from '@sluice/core';
import { misuseTable, wrong } from '../../../core/test/support/misuse-table.ts';
import { argumentRows } from './misuse/arguments.ts';
import { memberCreationRows } from './misuse/creation.ts';
import { KINDS } from './misuse/kinds.ts';
import { momentRows } from './misuse/moments.ts';
import { STATES } from './misuse/states.ts';
import { MEMBERS } from './support/members.ts';

describe.each(KINDS.map((kind) => [kind.what, kind] as const))('%s', (_, kind) => {
  misuseTable(kind, STATES, [...memberCreationRows(kind), ...argumentRows(kind), ...momentRows(kind)]);
});

test.each(MEMBERS.map((Member) => [Member.name, Member] as const))(
  '%s: calls that return a promise reject, and never throw',
  async (_, Member) => {
    const sem = Member.create(1, { arena: Arena.create() });
    const one = 'one' as unknown as number;
    const calls = [
      () => sem.acquireAsync(one),
      () => sem.acquireAsync(1, { timeout: one }),
      () => sem.acquireAsync(1, wrong(null)),
      () => sem.holdAsync(one),
      () => sem.holdAsync(1, { timeout: one }),
      () => sem.runAsync(wrong('body')),
      () => sem.runAsync(() => 0, one),
      () => sem.asLock().lockAsync({ timeout: one }),
      () => sem.asLock().runAsync(() => 0, { timeout: one }),
    ];
    for (const call of calls) {
      const promise = call();
      await expect(promise).rejects.toThrow(TypeError);
    }
    expect(sem.available).toBe(1);
  },
);
