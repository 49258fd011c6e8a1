// Crashes of agents that use mutexes. With the engine 'js' a death within a step can lose a lock, but no lock is ever
// owned twice.

import '../../core/test/support/crash-injection.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { mutexHoldings } from './support/crash-while-holding.ts';
import { mutexOperations, operationsInTurns } from './support/crash-mutexes.ts';

crashSuite({
  operations: [...mutexOperations, ...operationsInTurns],
  holdings: mutexHoldings,
  covers: ['goToSleep, wait', 'endWait', 'passMutexInOrder, notify', 'passMutexInOrder, walk'],
});
