// Crashes of agents that use mutexes. With the engine 'js' a death within a step can lose a lock, but no lock is ever
// owned twice.

import '../../core/test/support/crash-injection.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { mutexHands } from './support/crash-hands.ts';
import { mutexOperations, operationsInTurns } from './support/crash-mutexes.ts';

crashSuite({
  operations: [...mutexOperations, ...operationsInTurns],
  hands: mutexHands,
  covers: ['goToSleep, wait', 'endWait', 'passMutexInOrder, notify', 'passMutexInOrder, walk'],
});
