// Scenarios of a cache's store.

import type { Case, Model } from '../../../core/test/model/case.ts';
import { DEATH_MUTANTS, MUTANTS } from './mutants.ts';
import { all, clear, LONG, put, read, recover, remove, SHORT, storeCase, type StoreCore } from './store-world.ts';

const TWO_PREEMPTIONS = { preemptions: 2 };

export function storeCases(core: StoreCore): readonly Case[] {
  return [
    storeCase(core, {
      name: 'two agents put and read one key',
      bodies: [put(0, 1, SHORT), all(read(0), put(0, 2, LONG))],
    }),
    storeCase(core, {
      name: 'two agents put and read two keys with one hash',
      bodies: [all(put(0, 1, SHORT), read(1)), all(put(1, 1, SHORT), read(0))],
    }),
    storeCase(core, {
      name: 'a value of two chunks evicts others',
      bodies: [all(put(0, 1, SHORT), put(1, 1, SHORT)), all(put(2, 1, LONG), read(0), read(1))],
    }),
    storeCase(core, {
      name: 'a read makes a value the one used last',
      bodies: [all(put(0, 1, SHORT), put(1, 1, SHORT), put(2, 1, SHORT), read(0), read(1), read(2), put(0, 2, LONG))],
    }),
    storeCase(core, {
      name: 'a value is removed while another agent puts it',
      bodies: [all(put(0, 1, LONG), read(0)), all(remove(0), put(1, 1, SHORT), read(1))],
    }),
    storeCase(core, {
      name: 'the store is cleared while another agent puts values',
      bodies: [all(put(0, 1, SHORT), put(1, 1, SHORT)), all(clear, put(2, 1, LONG), read(2))],
    }),
  ];
}

export function storeDeathCases(core: StoreCore): readonly Case[] {
  const mayCrash = [0];
  const options = TWO_PREEMPTIONS;
  return [
    storeCase(core, {
      name: 'an agent that puts a value may die',
      bodies: [put(0, 1, SHORT), all(read(0), put(1, 1, LONG)), recover(0)],
      options,
      mayCrash,
    }),
    storeCase(core, {
      name: 'an agent that replaces a value may die',
      bodies: [all(put(0, 1, SHORT), put(0, 2, SHORT)), all(read(0), put(1, 1, LONG), read(0)), recover(0)],
      options,
      mayCrash,
    }),
    storeCase(core, {
      name: 'an agent that evicts values may die',
      bodies: [all(put(0, 1, SHORT), put(1, 1, SHORT), put(2, 1, LONG)), all(read(0), put(1, 2, SHORT)), recover(0)],
      options,
      mayCrash,
    }),
    storeCase(core, {
      name: 'an agent that reads or removes values may die',
      bodies: [all(put(0, 1, SHORT), put(1, 1, SHORT), read(0), remove(1)), all(read(1), put(2, 1, LONG)), recover(0)],
      options,
      mayCrash,
    }),
    storeCase(core, {
      name: 'an agent that clears the store may die',
      bodies: [all(put(0, 1, SHORT), put(1, 1, SHORT), clear), all(read(1), put(2, 1, LONG)), recover(0)],
      options,
      mayCrash,
    }),
    storeCase(core, {
      name: 'two agents put values, and the first may die',
      bodies: [put(0, 1, LONG), put(1, 1, SHORT), recover(0), all(read(0), read(1))],
      options: { preemptions: 1 },
      mayCrash,
    }),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'store of a cache', entry: ENTRY, cases: storeCases, mutants: MUTANTS, caughtByError: 'a cache' },
  {
    name: 'store of a cache, death',
    entry: ENTRY,
    cases: storeDeathCases,
    mutants: DEATH_MUTANTS,
    caughtByError: 'cache',
  },
];
