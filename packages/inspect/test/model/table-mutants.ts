// Mutants of the table of orders: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const APPEND = 'two threads append an entry and read';
const READ = 'one thread reads while another appends two entries';
const FIRST = 'two threads ask whether they are the first';
const CREATE = 'two threads create locks';
const FREED = 'one thread looks for a freed lock';
const CYCLE = 'two threads close a cycle';

export const TABLE_MUTANTS: readonly Mutant[] = [
  {
    name: 'an entry is done before it is written',
    in: 'SharedTable.append',
    find: 'this.#memory.write(at + TEXT, bytes); this.#memory.store(at + STATE, DONE);',
    replace: 'this.#memory.store(at + STATE, DONE); this.#memory.write(at + TEXT, bytes);',
    caughtBy: READ,
  },
  {
    name: 'two threads get the same entry',
    in: 'SharedTable.append',
    find: 'this.#memory.add(this.#counts + CLAIMED, 1)',
    replace:
      '(() => { const n = this.#memory.load(this.#counts + CLAIMED); this.#memory.store(this.#counts + CLAIMED, n + 1); return n; })()',
    caughtBy: APPEND,
  },
  {
    name: 'a thread writes behind a full list',
    in: 'SharedTable.append',
    find: 'if (entry >= this.#shape.entries) return -1;',
    replace: '',
    caughtBy: 'three threads append to a list with two entries',
  },
  {
    name: 'a thread reads an entry that is not done',
    in: 'SharedTable.entry',
    find: 'this.#memory.load(at + STATE) !== DONE',
    replace: 'this.#memory.load(at + LENGTH) === 0',
    caughtBy: READ,
  },
  {
    name: 'a thread never comes back to an entry that was not done',
    in: 'SharedTable.read',
    find: 'this.#open = open.filter((entry) => !this.#readOne(entry, take));',
    replace: 'for (const entry of open) this.#readOne(entry, take); this.#open = [];',
    caughtBy: READ,
  },
  {
    name: 'a thread reads an entry twice',
    in: 'SharedTable.read',
    find: 'this.#open = open.filter((entry) => !this.#readOne(entry, take));',
    replace: 'for (const entry of open) this.#readOne(entry, take);',
    caughtBy: READ,
  },
  {
    name: 'a thread looks for a cycle before it has appended its edge',
    in: 'Edges.add',
    find: 'if (isShared) this.#table.append(...FRAMES.map((frames) => entryOf(thread, held, asked, frames))); this.#read();',
    replace:
      'this.#read(); if (isShared) this.#table.append(...FRAMES.map((frames) => entryOf(thread, held, asked, frames)));',
    caughtBy: CYCLE,
  },
  {
    name: 'each thread that finds a cycle reports it',
    in: 'Edges.add',
    find: "this.#table.isFirst([...classes].sort().join('\\n'))",
    replace: 'true',
    caughtBy: CYCLE,
  },
  {
    name: 'two threads are the first',
    in: 'SharedTable.isFirst',
    find: 'this.#memory.replace(at, 0, hash)',
    replace: 'this.#memory.load(at); if (found === 0) this.#memory.store(at, hash)',
    caughtBy: FIRST,
  },
  {
    name: 'a thread is the first although its text is known',
    in: 'SharedTable.isFirst',
    find: 'if (found === hash) return false;',
    replace: '',
    caughtBy: FIRST,
  },
  {
    name: 'a text whose place is taken has no other one',
    in: 'SharedTable.isFirst',
    find: 'if (found === hash) return false;',
    replace: 'return false;',
    caughtBy: 'two threads are the first for two texts',
  },
  {
    name: 'two locks get the same place',
    in: 'SharedTable.#claimLock',
    find: 'this.#memory.replace(at + ARENA, 0, arena)',
    replace: 'this.#memory.load(at + ARENA); if (found === 0) this.#memory.store(at + ARENA, arena)',
    caughtBy: CREATE,
  },
  {
    name: 'a lock takes the place of a lock at another address',
    in: 'SharedTable.#claimLock',
    find: 'this.#memory.load(at + ADDRESS) === address',
    replace: 'true',
    caughtBy: CREATE,
  },
  {
    name: 'a lock does not take the place of the freed one',
    in: 'SharedTable.#claimLock',
    find: 'this.#memory.load(at + ADDRESS) === address',
    replace: 'false',
    caughtBy: FREED,
  },
  {
    name: 'a thread that looks for a lock stops at a lock at another address',
    in: 'SharedTable.classOf',
    find: 'continue;',
    replace: 'return -1;',
    caughtBy: CREATE,
  },
  {
    name: 'a thread does not look at the tag again',
    in: 'SharedTable.classOf',
    find: 'this.#memory.load(at + TAG) === tag',
    replace: 'tag === tag',
    caughtBy: FREED,
  },
  {
    name: 'a lock has its class before it has its tag',
    in: 'SharedTable.setClass',
    find: 'this.#memory.store(at + TAG, tag); this.#memory.store(at + NUMBER, entry + 1);',
    replace: 'this.#memory.store(at + NUMBER, entry + 1); this.#memory.store(at + TAG, tag);',
    caughtBy: FREED,
  },
  {
    name: 'a lock has its tag while its place has the class of the freed one',
    in: 'SharedTable.setClass',
    find: 'this.#memory.store(at + NUMBER, 0);',
    replace: '',
    caughtBy: 'death of a thread that creates locks',
  },
];
