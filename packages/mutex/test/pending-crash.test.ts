// Agents die at every point of their operations on mutexes, and the agent that reclaims them has not loaded the mutex's
// kinds.

import '../../core/test/support/crash-injection.ts';
import { pendingSuite } from '../../core/test/support/pending-suite.ts';
import { mutexOperations } from './support/crash-mutexes.ts';
import './support/kinds.ts';

pendingSuite([{ operations: mutexOperations }]);
