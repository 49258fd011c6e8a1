// What every lock promises, one agent alone with its async waiters. What several threads see is left to stress tests.

import { describe } from 'vitest';
import { argumentErrors } from './lock/argument-errors.ts';
import { blocking } from './lock/blocking.ts';
import { callbacks } from './lock/callbacks.ts';
import { givingUp } from './lock/giving-up.ts';
import { guards } from './lock/guards.ts';
import { waiting } from './lock/waiting.ts';
import type { ConformingLock } from './types.ts';

export interface LockSuiteOptions {
  /** Whether waiters are served in the order in which they came. Default true. */
  readonly fifo?: boolean;
}

/** Declares the suite; `create` makes a new lock, free, for each test. */
export function lockSuite(name: string, create: () => ConformingLock, { fifo = true }: LockSuiteOptions = {}): void {
  describe(`${name} as a lock`, () => {
    blocking(create);
    waiting(create, fifo);
    givingUp(create);
    argumentErrors(create);
    guards(create);
    callbacks(create);
  });
}
