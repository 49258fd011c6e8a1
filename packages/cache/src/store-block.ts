// The store of a cache in its arena, behind the table of the locks of its keys.

import type { Arena } from '@sluice/core';
import type { Words } from '@sluice/core/internal';
import { KeyTable, MUTEXES, USUALLY_KEPT, type TableTraits } from '@sluice/named/internal';
import { fillChunks, type StoreMemory } from './chunks.ts';
import { bucketsFor, STALE_FOR, storeBytes, TTL } from './layout.ts';
import { CacheStore } from './store.ts';
import { putLong } from './store-words.ts';

const MARK_CACHE = 0x48434143; // "CACH"

/** The `kind` of the handles of caches. */
export const KIND = 'sluice.cache';

/** The payload of a key's lock: one word, DIRTY. */
export const LOCK_PAYLOAD = 4;

export const TRAITS: TableTraits = {
  mark: MARK_CACHE,
  payload: LOCK_PAYLOAD,
  kept: USUALLY_KEPT,
  className: 'SharedCache',
  what: 'The cache',
  entries: MUTEXES,
  wait: { late: 'got no value', untouched: 'Nothing was computed by this call.' },
  repair: (keys) => storeOf(keys).repair(),
};

/** The size and the times of a store. */
export interface StoreShape {
  readonly chunks: number;
  /** In ms; 0: values do not expire. */
  readonly ttl: number;
  readonly staleFor: number;
}

/** Creates a table with an empty store. Throws the errors of a primitive's `create`. */
export function createStore(arena: Arena, name: string | undefined, { chunks, ttl, staleFor }: StoreShape): KeyTable {
  return KeyTable.create(arena, name, TRAITS, true, {
    bytes: storeBytes(chunks, bucketsFor(chunks)),
    fill: (words, address) => {
      fillChunks(words, address, chunks);
      putLong(words, address + TTL, ttl);
      putLong(words, address + STALE_FOR, staleFor);
    },
  });
}

/** Opens the store behind a table. Throws `CorruptArenaError`. */
export function storeOf(keys: KeyTable): CacheStore {
  return new CacheStore(groundOf(keys));
}

function groundOf(keys: KeyTable): StoreMemory {
  const { address, bytes } = keys.data;
  const words: Words = keys.context.words;
  const { memory } = keys.arena.handle;
  // Growing by 0 refreshes `buffer`. The view stays valid as the memory grows.
  memory.grow(0);
  const view = new Uint8Array(memory.buffer, address, bytes);
  return {
    words,
    at: address,
    bytes,
    write: (to, from, start, length) =>
      view.set(start === 0 && length === from.length ? from : from.subarray(start, start + length), to - address),
    read: (from, into, start, length) => into.set(view.subarray(from - address, from - address + length), start),
  };
}
