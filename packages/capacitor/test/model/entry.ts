// The sources that models use, as one entry. A mutant is a bundle of this entry with one edit.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import * as locks from '../../../classics/src/kernel/steps.ts';
import type { LocksKernel } from '../../../classics/src/kinds.ts';
import * as steps from '../../src/kernel/steps.ts';
import type { GateSteps } from '../../src/gates/kinds.ts';

export * from '../../../core/test/model/entry.ts';
export { lifoLockAt } from '../../../classics/src/lifo-lock.ts';
export { capacitorAt, type Capacitor } from '../../src/gates/capacitor.ts';
export { CapacitorLock } from '../../src/lock/capacitor-lock.ts';
export { lanedCapacitorAt, type LanedCapacitor } from '../../src/gates/laned-capacitor.ts';
export { CAPACITOR, LANED_CAPACITOR, TURNSTILE } from '../../src/gates/kinds.ts';
export { SemaphoreCapacitor } from '../../src/gates/semaphore-capacitor.ts';
export { turnAt } from '../../src/gates/turnstile-turn.ts';
export { turnstileAt, type Turnstile } from '../../src/gates/turnstile.ts';

/** The core's steps, the steps of gates, and those of the locks behind them, bound to `words`. */
export function referenceKernel(words: Words): LocksKernel & GateSteps {
  return boundTo(words, { ...base, ...locks, ...steps });
}
