// Crashes of agents that use lightweight, multilane and priority semaphores.

import { afterAll, beforeAll, vi } from 'vitest';
import '../../../core/test/support/crash-injection.ts';
import { ControllerByHand } from '../../../core/test/support/controller-by-hand.ts';
import { crashSuite } from '../../../core/test/support/crash-suite.ts';
import { rounds } from '../../../core/test/support/rounds.ts';
import { handsAt, KINDS, operationsAt } from './support/crash-composite.ts';
import './support/kinds.ts';

beforeAll(() => {
  rounds.install();
  vi.stubGlobal('AbortController', ControllerByHand);
});
afterAll(() => void vi.unstubAllGlobals());

crashSuite({
  operations: KINDS.flatMap((kind) => operationsAt(kind)),
  holdings: KINDS.flatMap((kind) => handsAt(kind)),
  asked: [],
  // Each share does not divide the number of operations of a kind, so the kinds take turns.
  shares: { told: 3, twice: 11, writes: 9, inside: 7, insideTwice: 9 },
});
