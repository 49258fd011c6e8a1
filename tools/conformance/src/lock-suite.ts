// Tests the promises of every lock: to one agent with its async waiters and, for some locks, to another agent of the
// same thread. Stress tests check several threads.

import { describe } from 'vitest';
import { asyncWaits } from './async-wait-suite.ts';
import { again } from './lock/again.ts';
import { argumentErrors } from './lock/argument-errors.ts';
import { blocking } from './lock/blocking.ts';
import { callbacks } from './lock/callbacks.ts';
import { givingUp } from './lock/giving-up.ts';
import { guards } from './lock/guards.ts';
import { ownership } from './lock/ownership.ts';
import { awaited, pairs } from './lock/pair.ts';
import { waiting } from './lock/waiting.ts';
import type { CreateLock } from './types.ts';

export interface LockSuiteOptions {
  /** Whether waiters are served in FIFO order. Default: true. */
  readonly fifo?: boolean;
  /** Whether a caller may take a free lock before the waiters. Default: false. If true, `fifo` is false by default. */
  readonly barging?: boolean;
  /**
   * Whether the lock knows its holder. Then no other agent may unlock it, and a holder that would wait for itself gets
   * an error. `create` must then also return a rival of another agent. Default: false.
   */
  readonly owned?: boolean;
  /** Whether the holder may lock the lock again. `create` must then return a rival, as with `owned`. Default: false. */
  readonly reentrant?: boolean;
  /**
   * Whether several agents may hold the lock at once, each any number of times. The rival then excludes them. Default:
   * false.
   */
  readonly shared?: boolean;
}

/** Declares the suite. `create` makes a new, free lock for each test. */
export function lockSuite(name: string, create: CreateLock, options: LockSuiteOptions = {}): void {
  const { barging = false, fifo = !barging, owned = false, shared = false, reentrant = shared } = options;
  const createPair = pairs(create);
  describe(`${name} as a lock`, () => {
    blocking(createPair);
    waiting(createPair, { fifo, barging, exclusive: !reentrant });
    givingUp(createPair);
    argumentErrors(createPair);
    guards(createPair);
    callbacks(createPair);
    again(createPair, { owned, reentrant });
    if (owned) ownership(createPair, { barging });
    asyncWaits(() => awaited(createPair), { reentrant });
  });
}
