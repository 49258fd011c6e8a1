// Agents die at every point of their calls on capacitors and turnstiles, and the agent that recovers them has not
// loaded the kinds.

import { afterAll, beforeAll, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { pendingSuite } from '../../core/test/support/pending-suite.ts';
import { rounds } from '../../core/test/support/rounds.ts';
import { capacitorHoldings, capacitorOperations } from './support/crash-capacitors.ts';
import { turnstileHoldings, turnstileOperations } from './support/crash-turnstiles.ts';
import './support/kinds.ts';

beforeAll(() => rounds.install());
afterAll(() => void vi.unstubAllGlobals());

pendingSuite([
  {
    operations: [...capacitorOperations, ...capacitorHoldings, ...turnstileOperations, ...turnstileHoldings],
    shareOfTwo: 4,
  },
]);
