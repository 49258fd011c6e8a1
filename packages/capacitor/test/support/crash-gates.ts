// Operations of the victim at gates of every kind, and at locks behind them, during which it dies.

import { capacitorLockHands, capacitorLockOperations } from './crash-capacitor-locks.ts';
import { capacitorHands, capacitorOperations } from './crash-capacitors.ts';
import type { Operation } from '../../../core/test/support/crash-stage.ts';
import { turnstileHands, turnstileOperations } from './crash-turnstiles.ts';

export const gateHands: readonly Operation[] = [...capacitorHands, ...turnstileHands, ...capacitorLockHands];

export const gateOperations: readonly Operation[] = [
  ...capacitorOperations,
  ...turnstileOperations,
  ...capacitorLockOperations,
];
