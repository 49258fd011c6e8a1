// Tests crashes of agents that use resizable semaphores.

import { afterAll, beforeAll, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { ControllerByHand } from '../../core/test/support/controller-by-hand.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { resizableHoldings, resizableOperations } from './support/crash-resizable.ts';
import './support/kinds.ts';

beforeAll(() => {
  vi.stubGlobal('AbortController', ControllerByHand);
});
afterAll(() => void vi.unstubAllGlobals());

crashSuite({ operations: resizableOperations, holdings: resizableHoldings, shares: { twice: 3, inside: 3 } });
