// Tests the promises of a counting semaphore to one agent with its async waiters. Each step ends before the next one
// begins, so each test states the exact result of each call. Stress tests check several threads and processes.
//
// Six files test both kinds of semaphores: order, gathering, giving up, leaving, closing, random histories. In shared
// memory a step ends when the call returns. On a server a step ends when the answer arrives.

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
 * Declares the suite. Each test calls `create` once. For an operation that the semaphore does not support, the suite
 * tests its result instead.
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

/** Declares the tests of a fair semaphore on a server, which has no blocking forms, no `drain` and no `free`. */
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
