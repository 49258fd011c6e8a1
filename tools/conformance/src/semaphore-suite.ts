// What a counting semaphore promises, one agent alone with its async waiters: there every step is synchronous, so each test says
// exactly what is so after each call. What several threads see is left to stress tests.

import { describe } from 'vitest';
import { asyncWaits, type AwaitedThing } from './async-wait-suite.ts';
import { bargingHistories } from './semaphore/barging-histories.ts';
import { barging } from './semaphore/barging.ts';
import { closing } from './semaphore/closing.ts';
import { gathering } from './semaphore/gathering.ts';
import { givingUp } from './semaphore/giving-up.ts';
import { leaving } from './semaphore/leaving.ts';
import { order } from './semaphore/order.ts';
import { permits } from './semaphore/permits.ts';
import { randomHistories } from './semaphore/random-histories.ts';
import { refusals } from './semaphore/refusals.ts';
import { traitsOf, type SemaphoreSuiteOptions } from './semaphore/traits.ts';
import type { ConformingSemaphore } from './types.ts';

/** Makes a new semaphore with so many permits free; it must allow at least 20 to be free at once. */
export type CreateSemaphore = (permits: number) => ConformingSemaphore;

/** Declares the suite; `create` is called once in each test. What a semaphore cannot do is tested, too: as what it does instead. */
export function semaphoreSuite(name: string, create: CreateSemaphore, options: SemaphoreSuiteOptions = {}): void {
  const traits = traitsOf(options);
  describe(`${name} as a semaphore`, () => {
    describe('permits', () => permits(create, traits));
    describe('giving up', () => givingUp(create, traits));
    describe('closing', () => closing(create, traits));
    describe('async waits', () => asyncWaits(() => awaitPermit(create(0))));
    if (traits.gathers) describe('gathering', () => gathering(create));
    if (!traits.weighted) describe('refusals', () => refusals(create, traits));
    if (traits.barging) describe('barging', () => barging(create, traits));
    else {
      describe('order', () => order(create, traits));
      describe('leaving', () => leaving(create, traits));
    }
    const histories = traits.overtakes ? bargingHistories : randomHistories;
    describe('random histories', () => histories(name, create, traits));
  });
}

function awaitPermit(sem: ConformingSemaphore): AwaitedThing {
  return { wait: (options) => sem.acquireAsync(1, options), grant: () => sem.release() };
}
