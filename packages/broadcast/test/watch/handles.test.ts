import { handleSuite } from '../../../core/test/support/handle-suite.ts';
import { CELL, type NumberCell } from './misuse/cells.ts';

const isOne = (one: NumberCell, other: NumberCell): boolean => {
  one.set(41);
  const isThere = other.get() === 41;
  other.set(42);
  return isThere && one.get() === 42;
};

handleSuite(CELL, 'sluice.watch-cell', isOne, { codec: 'int32' });
