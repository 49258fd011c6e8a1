// Mutants of a cache's store: each changes one line. The case that a mutant names must fail with it. A model that fails
// for no mutant proves nothing.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const STORE = 'cache/src/store.ts';
const LISTS = 'cache/src/store-lists.ts';
const CHUNKS = 'cache/src/chunks.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a replaced value stays in its lists',
    in: 'CacheStore.put',
    file: STORE,
    find: 'if (old !== 0) this.#lists.remove(old);',
    replace: '',
    caughtBy: 'two agents put and read one key',
  },
  {
    name: 'a value gets one chunk',
    in: 'CacheStore.put',
    file: STORE,
    find: 'Chunks.countFor(key.length, value.length)',
    replace: '1',
    caughtBy: 'a value of two chunks evicts others',
  },
  {
    name: 'an entry is in no list',
    in: 'CacheStore.put',
    file: STORE,
    find: 'this.#lists.link(entry);',
    replace: '',
    caughtBy: 'two agents put and read one key',
  },
  {
    name: 'a search compares only the hashes of keys',
    in: 'StoreLists.find',
    file: LISTS,
    find: 'words.get32(address + HASH) === hash && this.#chunks.hasKey(entry, address, key)',
    replace: 'words.get32(address + HASH) === hash',
    caughtBy: 'two agents put and read two keys with one hash',
  },
  {
    name: 'a new entry drops the entries of its bucket',
    in: 'StoreLists.link',
    file: LISTS,
    find: 'words.put32(address + IN_BUCKET, words.get32(bucket));',
    replace: 'words.put32(address + IN_BUCKET, 0);',
    caughtBy: 'two agents put and read two keys with one hash',
  },
  {
    name: 'a removed entry stays in its bucket',
    in: 'StoreLists.remove',
    file: LISTS,
    find: 'words.put32(link, words.get32(address + IN_BUCKET));',
    replace: '',
    caughtBy: 'a value is removed while another agent puts it',
  },
  {
    name: 'the chunks of a removed entry are lost',
    in: 'StoreLists.remove',
    file: LISTS,
    find: 'this.#chunks.giveBack(entry);',
    replace: '',
    caughtBy: 'a value is removed while another agent puts it',
  },
  {
    name: 'a use leaves the entry behind it without its neighbour',
    in: 'StoreLists.#unlinkUse',
    file: LISTS,
    find: 'if (older === 0) this.#store.put(OLDEST, newer);',
    replace: 'if (older === 0) this.#store.put(OLDEST, entry);',
    caughtBy: 'a read makes a value the one used last',
  },
  {
    name: 'only the first chunk of an entry is given back',
    in: 'Chunks.giveBack',
    file: CHUNKS,
    find: 'words.get32(address + COUNT)',
    replace: '1',
    caughtBy: 'a value is removed while another agent puts it',
  },
  {
    name: 'a removed entry keeps its mark',
    in: 'StoreLists.remove',
    file: LISTS,
    find: 'this.#chunks.unmark(entry);',
    replace: '',
    caughtBy: 'a value is removed while another agent puts it',
  },
  {
    name: 'a clear keeps the marks',
    in: 'CacheStore.clear',
    file: STORE,
    find: 'this.#chunks.unmark(entry)',
    replace: 'undefined',
    caughtBy: 'the store is cleared while another agent puts values',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'an entry can be found before it is complete',
    in: 'CacheStore.put',
    file: STORE,
    find: 'this.#chunks.write(entry, key, value);',
    replace: 'this.#chunks.mark(entry); this.#chunks.write(entry, key, value);',
    caughtBy: 'an agent that puts a value may die',
  },
  {
    name: 'a repair keeps two entries of one key',
    in: 'CacheStore.repair',
    file: STORE,
    find: 'if (!kept.has(entry)) this.#chunks.unmark(entry);',
    replace: ';',
    caughtBy: 'an agent that replaces a value may die',
  },
  {
    name: 'a repair lists two entries of one key',
    in: 'CacheStore.repair',
    file: STORE,
    find: 'marked.filter((entry) => kept.has(entry))',
    replace: 'marked',
    caughtBy: 'an agent that replaces a value may die',
  },
  {
    name: 'a repair leaves the free chunks as they are',
    in: 'StoreLists.relist',
    file: LISTS,
    find: 'this.#chunks.freeAllBut(entries);',
    replace: '',
    caughtBy: 'an agent that puts a value may die',
  },
  {
    name: 'a repair leaves the buckets as they are',
    in: 'StoreLists.relist',
    file: LISTS,
    find: 'this.#words.put32(this.#buckets + 4 * bucket, 0);',
    replace: '',
    caughtBy: 'an agent that reads or removes values may die',
  },
  {
    name: 'a repair drops the counts of entries',
    in: 'StoreLists.relist',
    file: LISTS,
    find: '[OLDEST, NEWEST, ENTRIES]',
    replace: '[OLDEST, NEWEST]',
    caughtBy: 'an agent that reads or removes values may die',
  },
  {
    name: 'a repair makes the chunks of entries free',
    in: 'Chunks.freeAllBut',
    file: CHUNKS,
    find: 'if (isUsed[chunk] !== 0) continue;',
    replace: '',
    caughtBy: 'an agent that puts a value may die',
  },
];
