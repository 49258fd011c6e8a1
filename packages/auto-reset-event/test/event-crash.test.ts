// Crashes of agents that use events. With the engine 'js' a death within a step can lose a signal. No signal is
// consumed twice.

import '../../core/test/support/crash-injection.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { eventHoldings, eventOperations } from './support/crash-events.ts';

crashSuite({ operations: eventOperations, holdings: eventHoldings });
