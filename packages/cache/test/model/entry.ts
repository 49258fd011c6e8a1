// The entry of the models of a cache's store. A mutant is this entry bundled with one line changed.

export { hashOf } from '../../../named/src/table/key.ts';
export { fillChunks, type StoreMemory } from '../../src/chunks.ts';
export { CacheStore } from '../../src/store.ts';
