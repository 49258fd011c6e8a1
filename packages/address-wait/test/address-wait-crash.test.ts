// Crashes of agents that wait on a condition. After the recovery no agent sleeps while its condition holds, and the
// pool has all elements again. A death within a step wakes no waiter too early.

import { afterAll, beforeAll, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { ControllerByHand } from '../../core/test/support/controller-by-hand.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { conditionHoldings, conditionOperations } from './support/crash-conditions.ts';

beforeAll(() => {
  vi.stubGlobal('AbortController', ControllerByHand);
});
afterAll(() => void vi.unstubAllGlobals());

crashSuite({ operations: conditionOperations, holdings: conditionHoldings });
