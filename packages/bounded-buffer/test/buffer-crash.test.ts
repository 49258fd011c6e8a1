// Crashes of agents that use a bounded buffer. Afterwards its accounts balance, its locks are free, and its waiters are
// served. With the engine 'js' a death within a step can lose units, wake-ups and a value that was taken. No value and
// no unit exists twice.

import { afterAll, beforeAll, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { bufferHoldings } from './support/crash-while-holding.ts';
import { bufferOperations } from './support/crash-buffers.ts';

// An async call that waits for a side's lock tries again after a moment: here in the next turn.
beforeAll(() => vi.stubGlobal('setTimeout', (look: () => void) => setImmediate(look)));
afterAll(() => void vi.unstubAllGlobals());

crashSuite({ operations: bufferOperations, holdings: bufferHoldings, shares: { twice: 2, writes: 2 } });
