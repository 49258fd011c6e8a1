// @ts-check
import { LockReducedTable } from '../../../examples/dining-philosophers/src/tables/lock-reduced-table.mjs';
import { diningTester } from './dining.mjs';

export const { create, open, passed } = diningTester(
  (philosophers, options) => LockReducedTable.create(philosophers, options),
  (handle) => new LockReducedTable(handle),
);
