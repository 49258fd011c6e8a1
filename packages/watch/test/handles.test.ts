import { handleSuite } from '../../core/test/support/handle-suite.ts';
import { CELL } from './misuse/cells.ts';

handleSuite(CELL, 'sluice.watch-cell', (one, other) => {
  one.set(41);
  const isThere = other.get() === 41;
  other.set(42);
  return isThere && one.get() === 42;
});
