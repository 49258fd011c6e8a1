// Tests crashes of agents that use resizable semaphores.

import { afterAll, beforeAll, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { ControllerByHand } from '../../core/test/support/controller-by-hand.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { resizableHands, resizableOperations } from './support/crash-resizable.ts';
import './support/kinds.ts';

beforeAll(() => {
  vi.stubGlobal('AbortController', ControllerByHand);
});
afterAll(() => void vi.unstubAllGlobals());

crashSuite({ operations: resizableOperations, hands: resizableHands, shares: { twice: 3, inside: 3 } });
