// What every lock promises, to one agent with its async waiters, and to another agent of the same thread where there is
// one. What several threads see is left to stress tests.

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
  /** Whether waiters are served in the order in which they came. Default true. */
  readonly fifo?: boolean;
  /** Whether a caller may take it, when it is free, before the waiters; then not `fifo`, unless said. Default false. */
  readonly barging?: boolean;
  /**
   * Whether it knows its holder: no other agent may unlock it, and a holder that would wait for itself is told. Then
   * `create` has to bring a rival of another agent. Default false.
   */
  readonly owned?: boolean;
  /** Whether the agent that holds it may lock it again; a rival as with `owned`. Default false. */
  readonly reentrant?: boolean;
  /**
   * Whether several agents may hold it at once, each as often as it likes; the rival is what excludes them. Default
   * false.
   */
  readonly shared?: boolean;
}

/** Declares the suite; `create` makes a new lock, free, for each test. */
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
