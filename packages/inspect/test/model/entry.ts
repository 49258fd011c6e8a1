// The sources that the models of the order of locks use, as one entry. A mutant is a bundle of this entry with one
// edit.

export { LockClasses } from '../../src/lock-order/lock-classes.ts';
export { Edges } from '../../src/lock-order/edges.ts';
export { SharedTable, tableWords, type TableShape } from '../../src/tables/shared-table.ts';
