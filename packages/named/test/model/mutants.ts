// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves nothing.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const FILE = 'named/src/table.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'an entry that is used is removed',
    in: 'Table.tidy',
    file: FILE,
    find: 'if (!this.#isUnused(entry, despiteDeath)) return;',
    replace: '',
    caughtBy: 'two agents take one key twice',
  },
  {
    name: 'an entry is freed before it is out of its list',
    in: 'Table.tidy',
    file: FILE,
    find: 'words.store32(link, words.load32(data + NEXT));',
    replace: '',
    caughtBy: 'two agents take one key twice',
  },
  {
    name: 'an entry that is removed takes those behind it along',
    in: 'Table.tidy',
    file: FILE,
    find: 'words.load32(data + NEXT)',
    replace: '0',
    caughtBy: 'two agents take two keys of one list',
  },
  {
    name: 'an entry that is removed takes those before it along',
    in: 'Table.tidy',
    file: FILE,
    find: 'this.#linkTo(entry)',
    replace: 'this.#headOf(words.load32(data + HASH))',
    caughtBy: 'two agents take two keys of one list',
  },
  {
    name: 'a new entry forgets those that were there',
    in: 'Table.#make',
    file: FILE,
    find: 'words.put32(data + NEXT, next);',
    replace: '',
    caughtBy: 'two agents take two keys of one list',
  },
  {
    name: 'a new entry is in no list',
    in: 'Table.insert',
    file: FILE,
    find: 'words.store32(head, entry);',
    replace: '',
    caughtBy: 'two agents take one key twice',
  },
  {
    name: 'only the first entry of a list is looked at',
    in: 'Table.find',
    file: FILE,
    find: 'while (entry !== 0 && !this.#isOf(entry, key, hash)) entry = words.load32(this.#data(entry) + NEXT);',
    replace: 'if (entry !== 0 && !this.#isOf(entry, key, hash)) entry = 0;',
    caughtBy: 'three agents take two keys of one list',
  },
  {
    name: 'keys are told apart by their hashes alone',
    in: 'Table.#isOf',
    file: FILE,
    find: 'words.load32(data + HASH) === hash && words.load32(data + LENGTH) === key.length && isKeyAt(words, this.#keyAt(data), key)',
    replace: 'words.load32(data + HASH) === hash',
    caughtBy: 'two agents take two keys with one hash',
  },
  {
    name: 'only the first units of a key are compared',
    in: 'isKeyAt',
    file: FILE,
    find: 'at < key.length',
    replace: 'at < key.length - 2',
    caughtBy: 'two agents take two keys with one hash and one length',
  },
  {
    name: 'an entry that replaces another one takes those behind it along',
    in: 'Table.replace',
    file: FILE,
    find: 'words.load32(this.#data(old) + NEXT)',
    replace: '0',
    caughtBy: 'a lock is stolen before another of its list',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'after a death no entry is freed that is in no list',
    in: 'Table.collect',
    file: FILE,
    find: 'this.#ground.free(entry)',
    replace: 'undefined',
    caughtBy: 'death of one of two agents with one key',
  },
  {
    name: 'after a death all entries are freed',
    in: 'Table.collect',
    file: FILE,
    find: 'listed.has(entry)',
    replace: 'false',
    caughtBy: 'death of one of two agents with two keys',
  },
  {
    name: 'after a death unused entries stay in their lists',
    in: 'Table.repair',
    file: FILE,
    find: 'this.sweep();',
    replace: '',
    caughtBy: 'death of one of two agents with one key',
  },
  {
    name: 'a new entry is in its list before it is whole',
    in: 'Table.#make',
    file: FILE,
    find: 'words.put32(data + NEXT, next);',
    replace: 'words.put32(data + NEXT, next), words.store32(this.#headOf(hash), data - 16);',
    caughtBy: 'death of one of two agents with one key',
  },
  {
    name: 'a replaced entry stays in its list',
    in: 'Table.replace',
    file: FILE,
    find: 'words.store32(this.#linkTo(old), entry);',
    replace: '',
    caughtBy: 'death of an owner whose lock is stolen',
  },
  {
    name: 'after a death an entry is freed that was replaced and is used',
    in: 'Table.collect',
    file: FILE,
    find: 'this.#ground.isFree(entry, true)',
    replace: 'true',
    caughtBy: 'death of a thief',
  },
];
