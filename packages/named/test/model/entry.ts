// The entry of the models of a table of names. A mutant is this entry bundled with one line changed.

export { hashOf } from '../../src/table/key.ts';
export { EntryLists, type TableMemory } from '../../src/table/entry-lists.ts';
