// Agents die at every point of what they do with mutexes, and the agent that recovers them has not loaded the mutex's kinds.

import '../../core/test/support/crash-injection.ts';
import { pendingSuite } from '../../core/test/support/pending-suite.ts';
import { mutexOperations } from './support/crash-mutexes.ts';
import './support/kinds.ts';

pendingSuite([{ operations: mutexOperations }]);
