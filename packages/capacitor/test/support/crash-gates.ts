// Operations of the victim at gates of every kind, and at locks behind them, during which it dies.

import { capacitorLockHoldings, capacitorLockOperations } from './crash-capacitor-locks.ts';
import { capacitorHoldings, capacitorOperations } from './crash-capacitors.ts';
import type { Operation } from '../../../core/test/support/crash-stage.ts';
import { turnstileHoldings, turnstileOperations } from './crash-turnstiles.ts';

export const gateHoldings: readonly Operation[] = [
  ...capacitorHoldings,
  ...turnstileHoldings,
  ...capacitorLockHoldings,
];

export const gateOperations: readonly Operation[] = [
  ...capacitorOperations,
  ...turnstileOperations,
  ...capacitorLockOperations,
];
