// Crashes of agents that use capacitors, turnstiles and locks behind them. With the engine 'js' a death within a step
// can lose a turn or a platoon. It can also count a departure twice, so that a platoon has one agent too many. No turn
// and no lock exists twice.

import { afterAll, beforeAll, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { rounds } from '../../core/test/support/rounds.ts';
import { gateHoldings, gateOperations } from './support/crash-gates.ts';

beforeAll(() => rounds.install());
afterAll(() => void vi.unstubAllGlobals());

crashSuite({
  operations: gateOperations,
  holdings: gateHoldings,
  shares: { twice: 2 },
  covers: ['rejoin, beginWait', 'goToSleep, wait'],
});
