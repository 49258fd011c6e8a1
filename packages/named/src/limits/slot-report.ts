// The report of a keyed limit, which `inspect` returns.

import type { Waiter } from '@sluice/core';
import type { KeySlots } from './key-slots.ts';

/** A key that is in use. */
export interface KeyLimitReport {
  readonly key: string;
  /** The number of slots of the key that are taken. A call may have one while it waits for a slot of all keys. */
  readonly taken: number;
  /** The agents that have them. */
  readonly holders: readonly { readonly agent: number; readonly permits: number }[];
  /** The calls that wait for a slot of the key, in the order in which they will be served. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
}

export interface KeyedLimitReport {
  readonly kind: 'keyed-limit';
  readonly name: string;
  /** The number of slots of each key. */
  readonly concurrency: number;
  /** The number of slots of all keys together; `Infinity` without a limit. */
  readonly total: number;
  /** The number of calls that run. */
  readonly running: number;
  /** The calls that have a slot of their key and wait for one of all keys, in the order in which they will be served. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  readonly keys: readonly KeyLimitReport[];
}

/** `concurrency` and `total` are the numbers of slots. */
export function reportSlots(slots: KeySlots, concurrency: number, total: number): KeyedLimitReport {
  const { table, name } = slots.keys;
  const keys = slots.keys.under(() =>
    [...table.busy()].map((entry): KeyLimitReport => {
      const { holders, waiters } = slots.open(entry).semaphore.inspect();
      return {
        key: table.keyOf(entry),
        taken: sum(holders),
        holders: holders.map(({ agent, permits }) => ({ agent, permits })),
        waiters: withoutPermits(waiters),
      };
    }),
  );
  const all = slots.total?.semaphore.inspect();
  const running = all === undefined ? keys.reduce((count, { taken }) => count + taken, 0) : sum(all.holders);
  return { kind: 'keyed-limit', name, concurrency, total, running, waiters: withoutPermits(all?.waiters ?? []), keys };
}

function sum(holders: readonly { readonly permits: number }[]): number {
  return holders.reduce((count, { permits }) => count + permits, 0);
}

function withoutPermits(waiters: readonly Waiter[]): readonly Omit<Waiter, 'permits'>[] {
  return waiters.map(({ agent, title, kind, since, age }) => ({ agent, title, kind, since, age }));
}
