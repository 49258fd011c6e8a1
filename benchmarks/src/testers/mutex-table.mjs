// @ts-check
import { MutexTable } from '../../../examples/dining-philosophers/src/tables/mutex-table.mjs';
import { diningTester } from './dining.mjs';

export const { create, open, passed } = diningTester(
  (philosophers, options) => MutexTable.create(philosophers, options),
  (handle) => new MutexTable(handle),
);
