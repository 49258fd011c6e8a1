// For the other @sluice packages only: a table of locks by key, with data behind it. Not a public API: it may change
// with every version.

export { hashOf } from './table/key.ts';
export { KeyTable, type TableTraits } from './table/key-table.ts';
export { PAYLOAD_AT, USUALLY_KEPT } from './table/layout.ts';
export { Locks, MUTEXES, type EntryLock } from './table/locks.ts';
