// The entry of the models of a table of names. A mutant is this entry bundled with one line changed.

export { hashOf } from '../../src/key.ts';
export { EntryLists, type TableMemory } from '../../src/entry-lists.ts';
