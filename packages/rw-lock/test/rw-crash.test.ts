// Crashes of agents that use read-write locks, some of them beside mutexes. With the engine 'js' a death within a step
// can lose a lock, but no lock is ever held by two agents that exclude each other.

import '../../core/test/support/crash-injection.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { rwHoldings } from './support/crash-while-holding.ts';
import { rwOperations } from './support/crash-rw-locks.ts';

crashSuite({ operations: rwOperations, holdings: rwHoldings });
