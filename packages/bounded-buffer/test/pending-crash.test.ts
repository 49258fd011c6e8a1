// Agents die at every point of their calls on bounded buffers, and the agent that recovers them has not loaded the
// kind.

import { afterAll, beforeAll, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { pendingSuite } from '../../core/test/support/pending-suite.ts';
import { bufferHoldings } from './support/crash-while-holding.ts';
import { bufferOperations } from './support/crash-buffers.ts';

// An async call that waits for a side's lock tries again after a moment: here in the next turn.
beforeAll(() => vi.stubGlobal('setTimeout', (look: () => void) => setImmediate(look)));
afterAll(() => void vi.unstubAllGlobals());

pendingSuite([{ operations: [...bufferOperations, ...bufferHoldings], shareOfTwo: 4 }]);
