// Scenarios of a table of names.

import type { Case, Model } from '../../../core/test/model/case.ts';
import { alike } from '../support/alike.ts';
import { holdOnce, lookAtAll, pass, recover, steal, tableCase, TWINS, type TableCore } from './table-world.ts';
import { DEATH_MUTANTS, MUTANTS } from './mutants.ts';

const ALL = {};
const lookTwice: typeof lookAtAll = (actor) => {
  lookAtAll(actor);
  lookAtAll(actor);
};
const TWO_PREEMPTIONS = { preemptions: 2 };

export function tableCases(core: TableCore): readonly Case[] {
  const one = { core, keys: ['a'] };
  const two = { core, keys: ['a', 'b'] };
  const twins = { core, keys: TWINS };
  const oneKept = { ...one, kept: 2 };
  const twoKept = { ...two, kept: 1 };
  return [
    tableCase(one, {
      name: 'two agents take one key twice',
      bodies: [pass(0, { rounds: 2 }), pass(0, { rounds: 2 })],
      options: ALL,
    }),
    tableCase(one, {
      name: 'one of two agents may time out',
      bodies: [pass(0), pass(0, { mayGiveUp: true })],
      options: ALL,
    }),
    tableCase(two, {
      name: 'two agents take two keys of one list',
      bodies: [pass(0, { rounds: 2 }), pass(1, { rounds: 2 })],
      options: ALL,
    }),
    tableCase(two, {
      name: 'three agents take two keys of one list',
      bodies: [pass(0), pass(1), pass(0)],
      options: TWO_PREEMPTIONS,
    }),
    tableCase(
      { ...two, buckets: 1 },
      { name: 'three agents take keys of two lists', bodies: [pass(0), pass(1), pass(1)], options: TWO_PREEMPTIONS },
    ),
    tableCase(twins, { name: 'two agents take two keys with one hash', bodies: [pass(0), pass(1)], options: ALL }),
    tableCase(
      { core, keys: alike() },
      { name: 'two agents take two keys with one hash and one length', bodies: [pass(0), pass(1)], options: ALL },
    ),
    tableCase(
      { core, keys: ['a', 'a\0'] },
      { name: 'two agents take two keys that differ by a last unit of 0', bodies: [pass(0), pass(1)], options: ALL },
    ),
    tableCase(one, { name: 'a lock is stolen', bodies: [holdOnce(0), steal(0)], options: ALL, steals: true }),
    tableCase(two, {
      name: 'a lock is stolen before another of its list',
      bodies: [holdOnce(0), pass(1), steal(0)],
      options: TWO_PREEMPTIONS,
      steals: true,
    }),
    tableCase(one, {
      name: 'a lock is stolen twice',
      bodies: [holdOnce(0), steal(0), steal(0)],
      options: TWO_PREEMPTIONS,
      steals: true,
    }),
    tableCase(one, {
      name: 'a table is to be freed while a lock is stolen',
      bodies: [holdOnce(0), steal(0), lookAtAll],
      options: TWO_PREEMPTIONS,
      steals: true,
    }),
    tableCase(oneKept, {
      name: 'an entry stays: a table is to be freed while a lock is stolen',
      bodies: [holdOnce(0, { rounds: 2 }), steal(0), lookAtAll],
      options: TWO_PREEMPTIONS,
      steals: true,
    }),
    tableCase(one, {
      name: 'a table is to be freed twice while a lock is stolen',
      bodies: [holdOnce(0), steal(0), lookTwice],
      options: TWO_PREEMPTIONS,
      steals: true,
    }),
    tableCase(oneKept, {
      name: 'an entry stays: two agents take one key twice',
      bodies: [pass(0, { rounds: 2 }), pass(0, { rounds: 2 })],
      options: ALL,
    }),
    tableCase(oneKept, {
      name: 'an entry stays: one of two agents may time out',
      bodies: [pass(0), pass(0, { mayGiveUp: true })],
      options: ALL,
    }),
    tableCase(oneKept, {
      name: 'an entry stays: a lock is stolen',
      bodies: [holdOnce(0), steal(0)],
      options: ALL,
      steals: true,
    }),
    tableCase(oneKept, {
      name: 'an entry stays: a used lock is stolen',
      bodies: [holdOnce(0, { rounds: 2 }), steal(0)],
      options: ALL,
      steals: true,
    }),
    tableCase(
      { ...oneKept, room: 1 },
      {
        name: 'an entry stays: a lock is stolen in a full heap, and unlocked meanwhile',
        bodies: [holdOnce(0, { rounds: 2 }), steal(0)],
        options: ALL,
        steals: true,
      },
    ),
    tableCase(
      { ...two, kept: 2, room: 2 },
      {
        name: 'entries stay: a lock is stolen in a full heap, and another entry is unused',
        bodies: [holdOnce(0, { rounds: 2 }), holdOnce(1), steal(0)],
        options: TWO_PREEMPTIONS,
        steals: true,
      },
    ),
    tableCase(twoKept, {
      name: 'one of two entries stays: two agents',
      bodies: [pass(0, { rounds: 2 }), pass(1, { rounds: 2 })],
      options: ALL,
    }),
    tableCase(twoKept, {
      name: 'one of two entries stays: three agents',
      bodies: [pass(0), pass(1), pass(0)],
      options: TWO_PREEMPTIONS,
    }),
    tableCase(
      { core, keys: ['abcd', 'abce'] },
      { name: 'two agents take two keys that differ in the last unit', bodies: [pass(0), pass(1)], options: ALL },
    ),
  ];
}

export function tableDeathCases(core: TableCore): readonly Case[] {
  const one = { core, keys: ['a'] };
  const two = { core, keys: ['a', 'b'] };
  return [
    tableCase(one, {
      name: 'death of one of two agents with one key',
      bodies: [pass(0), pass(0), recover(0)],
      options: TWO_PREEMPTIONS,
      mayCrash: [0],
    }),
    tableCase(two, {
      name: 'death of one of two agents with two keys',
      bodies: [pass(0), pass(1), recover(0)],
      options: TWO_PREEMPTIONS,
      mayCrash: [0],
    }),
    tableCase(two, {
      name: 'an agent between two others may die',
      bodies: [pass(0), pass(1), recover(0), pass(0)],
      options: { preemptions: 1 },
      mayCrash: [0],
    }),
    tableCase(one, {
      name: 'a thief may die before a table is to be freed',
      bodies: [holdOnce(0), steal(0), recover(1), lookAtAll],
      options: TWO_PREEMPTIONS,
      mayCrash: [1],
      steals: true,
    }),
    tableCase(one, {
      name: 'a thief may die',
      bodies: [holdOnce(0), steal(0), recover(1)],
      options: TWO_PREEMPTIONS,
      mayCrash: [1],
      steals: true,
    }),
    tableCase(one, {
      name: 'an owner whose lock is stolen may die',
      bodies: [holdOnce(0), steal(0), recover(0)],
      options: TWO_PREEMPTIONS,
      mayCrash: [0],
      steals: true,
    }),
    tableCase(
      { ...one, kept: 1 },
      {
        name: 'an entry stays: one of two agents may die',
        bodies: [pass(0), pass(0), recover(0)],
        options: TWO_PREEMPTIONS,
        mayCrash: [0],
      },
    ),
    tableCase(
      { ...one, kept: 1 },
      {
        name: 'an entry stays: an agent may die while another reuses the entry',
        bodies: [pass(0), pass(0, { rounds: 2 }), recover(0)],
        options: TWO_PREEMPTIONS,
        mayCrash: [0],
      },
    ),
    tableCase(
      { ...two, kept: 1 },
      {
        name: 'one of two entries stays: an agent may die',
        bodies: [pass(0), pass(1), recover(0)],
        options: TWO_PREEMPTIONS,
        mayCrash: [0],
      },
    ),
    tableCase(one, {
      name: 'an agent that may time out may die',
      bodies: [pass(0, { mayGiveUp: true }), pass(0), recover(0)],
      options: TWO_PREEMPTIONS,
      mayCrash: [0],
    }),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'table of names', entry: ENTRY, cases: tableCases, mutants: MUTANTS },
  { name: 'table of names, death', entry: ENTRY, cases: tableDeathCases, mutants: DEATH_MUTANTS },
];
