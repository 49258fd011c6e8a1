// Cases of the table of orders: threads append entries, claim reports and set the classes of locks, and die meanwhile.

import { DIED, type Options } from '@sluice/model';
import type { Case, Model } from '../../../core/test/model/case.ts';
import type { SharedTable } from '../../src/tables/shared-table.ts';
import { TABLE_MUTANTS } from './table-mutants.ts';
import {
  entriesIn,
  FLAG,
  livingOf,
  readAll,
  REPORTS,
  tableCase,
  type Plan,
  type TableBody,
  type TableCore,
} from './table-world.ts';

const ALL: Options = {};
const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };

const numbersOf = (entries: readonly unknown[]): string =>
  entries
    .map((entry) => (entry as { readonly n: number }).n)
    .sort((a, b) => a - b)
    .join(', ');

const append =
  (n: number): TableBody =>
  ({ table }) =>
    table.append({ n });

/** Appends an entry. Returns how many entries it sees then. */
const appendAndRead =
  (n: number): TableBody =>
  (actor) => {
    actor.table.append({ n });
    return readAll(actor).length;
  };

const appendTwice: TableBody = ({ ctx, table }) => {
  table.append({ n: 1 });
  table.append({ n: 2 });
  ctx.words.store32(FLAG, 1);
};

/** Reads now, and when the other thread has appended its entries. */
const readTwice: TableBody = (actor) => {
  const { ctx } = actor;
  const found = readAll(actor);
  ctx.until(() => ctx.words.load32(FLAG) === 1);
  found.push(...readAll(actor));
  const numbers = numbersOf(found);
  ctx.assert(numbers === '1, 2', `a thread read the entries ${numbers}, not each of them once`);
};

const isFirst =
  (text: string): TableBody =>
  ({ table }) =>
    table.isFirst(text);

/** Takes two locks in that order, as the check sees it. */
const order =
  (held: string, asked: string): TableBody =>
  ({ ctx, core, table }) => {
    const edges = new core.Edges(table, new core.LockClasses(table), () => ctx.words.add32(REPORTS, 1));
    const end = (name: string) => ({ key: `1 ${name}`, mode: 'write' as const, stack: [] });
    edges.add('', end(held), end(asked), true);
  };

const ARENA = 7;
/** The addresses of locks. The searches for them begin at the same place of the table. */
const [A, B, C] = [64, 192, 320] as const;

/** The number of the entry with the class of a lock: each lock has a class of its own. */
const classNumber = (address: number, tag: number): number => address + tag;

const set = (table: SharedTable, address: number, tag: number): void =>
  table.setClass(ARENA, address, tag, classNumber(address, tag));

const knows = (table: SharedTable, address: number, tag: number): boolean =>
  table.classOf(ARENA, address, tag) === classNumber(address, tag);

/** Whether a thread finds the class of a lock, or none. */
const knowsNoOther = (table: SharedTable, address: number, tag: number): boolean =>
  knows(table, address, tag) || table.classOf(ARENA, address, tag) === -1;

/** Creates a lock, and finds the class of the other thread's lock when that is created. */
const create =
  (own: number, other: number): TableBody =>
  ({ ctx, table }) => {
    set(table, own, 1);
    ctx.assert(knows(table, own, 1), 'a thread does not find the class of its lock');
    ctx.words.add32(FLAG, 1);
    ctx.until(() => ctx.words.load32(FLAG) === 2);
    ctx.assert(knows(table, other, 1), "a thread does not find the class of the other thread's lock");
  };

const createOnly =
  (address: number): TableBody =>
  ({ table }) =>
    set(table, address, 1);

/** Creates a lock, frees it, and creates another one at its address. */
const createAgain: TableBody = ({ ctx, table }) => {
  set(table, A, 1);
  ctx.words.store32(FLAG, 1);
  set(table, A, 2);
};

const lookForFreed: TableBody = ({ ctx, table }) => {
  ctx.until(() => ctx.words.load32(FLAG) === 1);
  ctx.assert(knowsNoOther(table, A, 1), 'a freed lock has the class of the lock at its address');
};

/** Looks for the locks of a thread that has died, and creates a lock at their address. */
const createAfterDeath: TableBody = ({ ctx, table }) => {
  ctx.waitForDeath(0);
  for (const tag of [1, 2]) ctx.assert(knowsNoOther(table, A, tag), `lock ${tag} has the class of another one`);
  set(table, A, 3);
  ctx.assert(knows(table, A, 3), 'a thread does not find the class of its lock');
};

export function tableCases(core: TableCore): Case[] {
  const make = (
    name: string,
    bodies: readonly TableBody[],
    options: Options,
    final: Plan['final'],
    more: Partial<Plan> = {},
  ): Case => tableCase(core, { name, bodies, options, ...(final === undefined ? {} : { final }), ...more });
  const first = { mayCrash: [0] };
  const hasBoth = (table: SharedTable): string | undefined => {
    const numbers = numbersOf(entriesIn(table));
    return numbers === '1, 2' ? undefined : `the entries at the end are ${numbers}`;
  };
  return [
    make('two threads append an entry and read', [appendAndRead(1), appendAndRead(2)], ALL, (table, outcomes) =>
      outcomes.includes(2) ? hasBoth(table) : 'no thread has seen both entries',
    ),
    make('one thread reads while another appends two entries', [readTwice, appendTwice], ALL, hasBoth),
    make(
      'three threads append to a list with two entries',
      [append(1), append(2), append(3)],
      TWO,
      (table, outcomes) => {
        const numbers = outcomes.map(Number).sort((a, b) => a - b);
        if (numbers.join() !== '-1,0,1') return `the entries have the numbers ${numbers.join()}`;
        return table.isFull && entriesIn(table).length === 2 ? undefined : 'a full list does not say so';
      },
      { shape: { entries: 2 } },
    ),
    make(
      'death of a thread that appends',
      [append(1), appendAndRead(2)],
      ALL,
      (table, outcomes) =>
        outcomes.includes(DIED) && numbersOf(entriesIn(table)) === '2' ? undefined : hasBoth(table),
      first,
    ),
    make('two threads ask whether they are the first', [isFirst('a'), isFirst('a')], ALL, (_, outcomes) =>
      outcomes.filter((is) => is === true).length === 1 ? undefined : 'not exactly one thread is the first',
    ),
    make('two threads are the first for two texts', [isFirst('a'), isFirst('c')], ALL, (_, outcomes) =>
      outcomes.every((is) => is === true) ? undefined : 'a thread is not the first for its text',
    ),
    make(
      'two threads ask for two texts, and one has room',
      [isFirst('a'), isFirst('b')],
      ALL,
      (_, outcomes) =>
        outcomes.filter((is) => is === true).length === 1 ? undefined : 'not exactly one text has room',
      { shape: { firsts: 1 } },
    ),
    make(
      'death of a thread that asks whether it is the first',
      [isFirst('a'), isFirst('a')],
      ALL,
      (_, outcomes) =>
        livingOf(outcomes).filter((is) => is === true).length <= 1 ? undefined : 'two threads are the first',
      first,
    ),
    make('two threads create locks', [create(A, B), create(B, A)], ALL, (table) =>
      knows(table, A, 1) && knows(table, B, 1) ? undefined : 'a class is lost',
    ),
    make(
      'three threads create locks, and two have room',
      [createOnly(A), createOnly(B), createOnly(C)],
      TWO,
      (table) => {
        const known = [A, B, C].filter((address) => knows(table, address, 1));
        const isRight = [A, B, C].every((address) => knowsNoOther(table, address, 1));
        return known.length === 2 && isRight ? undefined : `the locks at ${known.join()} have their classes`;
      },
    ),
    make('one thread looks for a freed lock', [createAgain, lookForFreed], ALL, (table) =>
      knows(table, A, 2) && !knows(table, A, 1) ? undefined : 'the freed lock kept its place',
    ),
    make('death of a thread that creates locks', [createAgain, createAfterDeath], ALL, undefined, first),
  ];
}

/** The room that an edge needs. */
const EDGES = { entryWords: 32 };

export function edgeCases(core: TableCore): Case[] {
  const once: Plan['final'] = (_, outcomes, words) => {
    const reports = words.get32(REPORTS);
    // A thread that died may have been the one to report.
    const isRight = outcomes.includes(DIED) ? reports <= 1 : reports === 1;
    return isRight ? undefined : `the cycle is reported ${reports} times`;
  };
  const make = (name: string, bodies: readonly TableBody[], options: Options, more: Partial<Plan> = {}): Case =>
    tableCase(core, { name, bodies, options, shape: EDGES, final: once, ...more });
  return [
    make('two threads close a cycle', [order('a', 'b'), order('b', 'a')], ALL),
    make('three threads close a cycle', [order('a', 'b'), order('b', 'c'), order('c', 'a')], ONE),
    make('death of one of two threads that close a cycle', [order('a', 'b'), order('b', 'a')], TWO, { mayCrash: [0] }),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  {
    name: 'table of orders',
    entry: ENTRY,
    cases: (core) => [...tableCases(core), ...edgeCases(core)],
    mutants: TABLE_MUTANTS,
  },
];
