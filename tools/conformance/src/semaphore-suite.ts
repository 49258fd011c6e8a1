// What a fair counting semaphore promises, one agent alone with its async waiters: there every step is synchronous, so
// each test says exactly what is so after each call. What several threads see is left to stress tests.

import { describe } from 'vitest';
import { closing } from './semaphore/closing.ts';
import { givingUp } from './semaphore/giving-up.ts';
import { order } from './semaphore/order.ts';
import { permits } from './semaphore/permits.ts';
import { randomHistories } from './semaphore/random-histories.ts';
import type { ConformingSemaphore } from './types.ts';

/** Makes a new semaphore with so many permits free; it must allow at least 20 to be free at once. */
export type CreateSemaphore = (permits: number) => ConformingSemaphore;

/** Declares the suite; `create` is called once in each test. */
export function semaphoreSuite(name: string, create: CreateSemaphore): void {
  describe(`${name} as a semaphore`, () => {
    describe('permits', () => permits(create));
    describe('order', () => order(create));
    describe('giving up', () => givingUp(create));
    describe('closing', () => closing(create));
    describe('random histories', () => randomHistories(name, create));
  });
}
