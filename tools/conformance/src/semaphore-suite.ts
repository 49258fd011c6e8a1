// What a counting semaphore promises, one agent alone with its async waiters: each step has ended before the next one,
// so each test says exactly what is so after each call. What several threads or processes see is left to stress tests.
//
// Six files are the same for a semaphore in shared memory, whose steps end with the call, and for one on a server,
// whose steps end with the answer: order, gathering, giving up, leaving, closing, random histories.

import { describe } from 'vitest';
import { asyncWaits, type AwaitedThing } from './async-wait-suite.ts';
import { bargingHistories } from './semaphore/barging-histories.ts';
import { barging } from './semaphore/barging.ts';
import { closing } from './semaphore/closing.ts';
import { gathering } from './semaphore/gathering.ts';
import { freeing } from './semaphore/freeing.ts';
import { givingUp } from './semaphore/giving-up.ts';
import { leaving } from './semaphore/leaving.ts';
import { LocalSemaphore } from './semaphore/local.ts';
import { order } from './semaphore/order.ts';
import { permits } from './semaphore/permits.ts';
import { randomHistories } from './semaphore/random-histories.ts';
import { refusals } from './semaphore/refusals.ts';
import { traitsOf, type SemaphoreSuiteOptions } from './semaphore/traits.ts';
import type { CreateSemaphore, CreateStepped, SteppedSemaphore } from './types.ts';

/**
 * Declares the suite; `create` is called once in each test. What a semaphore cannot do is tested, too: as what it does
 * instead.
 */
export function semaphoreSuite(name: string, create: CreateSemaphore, options: SemaphoreSuiteOptions = {}): void {
  const traits = traitsOf(options);
  const steps: CreateStepped = (permits) => new LocalSemaphore(create(permits));
  describe(`${name} as a semaphore`, () => {
    describe('permits', () => permits(create, traits));
    describe('giving up', () => givingUp(steps, traits));
    describe('closing', () => closing(steps, traits));
    describe('freeing', () => freeing(create));
    describe('async waits', () => asyncWaits(() => awaitPermit(new LocalSemaphore(create(0)))));
    if (traits.gathers) describe('gathering', () => gathering(steps));
    if (!traits.weighted) describe('refusals', () => refusals(create, traits));
    if (traits.barging) describe('barging', () => barging(create, traits));
    else {
      describe('order', () => order(steps, traits));
      describe('leaving', () => leaving(steps, traits));
    }
    describe('random histories', () =>
      traits.overtakes ? bargingHistories(name, create, traits) : randomHistories(name, steps, traits));
  });
}

/** Declares the same tests for a fair semaphore on a server: it has no blocking forms, no `drain` and no `free`. */
export function remoteSemaphoreSuite(name: string, create: CreateStepped): void {
  const traits = traitsOf({}, true);
  describe(`${name} as a semaphore`, () => {
    describe('giving up', () => givingUp(create, traits));
    describe('closing', () => closing(create, traits));
    describe('async waits', () => asyncWaits(async () => awaitPermit(await create(0))));
    describe('gathering', () => gathering(create));
    describe('order', () => order(create, traits));
    describe('leaving', () => leaving(create, traits));
    describe('random histories', () => randomHistories(name, create, traits));
  });
}

function awaitPermit(sem: SteppedSemaphore): AwaitedThing {
  return { wait: (options) => sem.acquireAsync(1, options), grant: () => sem.release() };
}
