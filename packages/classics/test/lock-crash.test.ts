// Crashes of agents that use these locks. With the engine 'js' a death within a step can lose a lock, but no lock is
// ever owned twice.

import '../../core/test/support/crash-injection.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { lockHoldings, operations } from './support/crash-locks.ts';

crashSuite({
  operations,
  holdings: lockHoldings,
  shares: { twice: 2 },
  covers: ['rejoin, beginWait', 'goToSleep, wait', 'endWait'],
  // At a queued lock, an interrupted hand-off or arrival leaves a waiter PROMISED, or a queue without a link. `unlock`,
  // a wait with a timeout and the recovery of the owner then lose every race. Other locks only stay locked.
  mayEndCorrupt: /(MCS lock|LIFO lock|reciprocating lock|every kind).*: .* a step was refused for 10 s/,
});
