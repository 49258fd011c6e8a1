// What the victim does at gates of every kind, and at locks behind them, when it dies.

import { capacitorLockHands, capacitorLockOperations } from './mortal-capacitor-locks.ts';
import { capacitorHands, capacitorOperations } from './mortal-capacitors.ts';
import type { Operation } from './mortal-stage.ts';
import { turnstileHands, turnstileOperations } from './mortal-turnstiles.ts';

export const gateHands: readonly Operation[] = [...capacitorHands, ...turnstileHands, ...capacitorLockHands];

export const gateOperations: readonly Operation[] = [...capacitorOperations, ...turnstileOperations, ...capacitorLockOperations];
