// The scenarios that a rate limiter has to survive.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { recoverOnce } from '../../../../core/test/model/death-bodies.ts';
import { semaphoreAddress } from '../../../../core/test/model/places.ts';
import type { Case, Model } from '../../../../core/test/model/case.ts';
import { RateWorld, type Plan, type RateActor, type RateBody, type RateCore } from './rate-world.ts';
import { MUTANTS } from './mutants.ts';

const ALL: Options = {};
/** One more in the soak: that costs minutes. */
const NONE: Options = { preemptions: soakSize(0, 1) };
const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };
/** One more in the soak: that costs minutes. */
const FEW: Options = { preemptions: soakSize(1, 2) };

const acquire =
  (weight = 1, times = 1): RateBody =>
  ({ limiter, take }) => {
    for (let time = 0; time < times; time++) {
      take(weight, () => {
        limiter.acquire(weight);
        return true;
      });
    }
  };

const tryOnce =
  (weight = 1, times = 1): RateBody =>
  ({ limiter, take }) => {
    for (let time = 0; time < times; time++) take(weight, () => limiter.tryAcquire(weight));
  };

/** Gives up when its turn comes later than that. */
const patient =
  (weight: number, ms: number): RateBody =>
  ({ limiter, take }) =>
    take(weight, () => limiter.tryAcquire(weight, ms));

const isOccupied = ({ context: { kernel } }: RateActor): boolean => kernel.balance(semaphoreAddress(0)) < 1;

/** The only waiter of these cases is in line once: if it is there before and after, it was there all the time. */
const noBarging =
  (act: (actor: RateActor) => boolean): RateBody =>
  (actor) => {
    const before = isOccupied(actor);
    const took = act(actor);
    actor.ctx.assert(!(took && before && isOccupied(actor)), 'a caller passed a waiter');
  };

const tryOne = ({ limiter, take }: RateActor): boolean => take(1, () => limiter.tryAcquire());

const bookOne = ({ limiter }: RateActor): boolean => {
  limiter.reserve();
  return true;
};

/** Its time has not come: some permits are taken at the start. */
const bookAndReturn =
  (weight = 1): RateBody =>
  ({ limiter }) => {
    limiter.reserve(weight).cancel();
  };

/** Uses a booking at its time, and then returns it. */
const returnTooLate: RateBody = ({ limiter, ctx, pass }) => {
  const booking = limiter.reserve();
  pass(1);
  ctx.assert(!booking.cancel(), 'a booking was returned when its time had come');
};

/** Returns the first of two bookings, and asks for it again when the second is back. */
const returnInOrder: RateBody = ({ limiter, ctx }) => {
  const first = limiter.reserve(2);
  const second = limiter.reserve();
  ctx.assert(!first.cancel(), 'a booking was returned while a later one rests on it');
  second.cancel();
  first.cancel();
};

const close: RateBody = ({ core, ctx, limiter }) => {
  limiter.close();
  let isRefused = false;
  try {
    limiter.tryAcquire();
  } catch (error) {
    isRefused = core.hasCode(error, 'SLUICE_CLOSED');
    if (!isRefused) throw error;
  }
  ctx.assert(isRefused, 'a closed limiter let a caller through');
};

const orClosed =
  (body: RateBody): RateBody =>
  (actor) => {
    try {
      body(actor);
    } catch (error) {
      if (!actor.core.hasCode(error, 'SLUICE_CLOSED')) throw error;
    }
  };

const bury =
  (...victims: readonly number[]): RateBody =>
  (actor) => {
    for (const victim of victims) if (actor.ctx.waitForDeath(victim)) recoverOnce(actor, victim);
  };

const both =
  (...bodies: readonly RateBody[]): RateBody =>
  (actor) => {
    for (const body of bodies) body(actor);
  };

/** Waits until the first agent has taken what it takes. */
const after =
  (body: RateBody): RateBody =>
  (actor) => {
    actor.ctx.until(actor.isUsed);
    body(actor);
  };

export function rateCases(core: RateCore): Case[] {
  const make = (
    name: string,
    burst: number,
    bodies: readonly RateBody[],
    options: Options,
    more: Partial<Plan> = {},
  ): Case => new RateWorld(core, { name, burst, bodies, options, ...more }).case;
  const first = { mayCrash: [0] };
  return [
    make('two try for one permit', 1, [tryOnce(), tryOnce()], ALL),
    make('two try for two permits', 2, [tryOnce(1, 2), tryOnce(1, 2)], ALL),
    make('two wait', 1, [acquire(), acquire()], ALL),
    make('two wait for two permits each', 2, [acquire(2), acquire(2)], ALL),
    make('one waits, one tries', 1, [acquire(), noBarging(tryOne)], ALL, { taken: 1 }),
    make('one waits for two permits, one tries for one', 2, [acquire(2), noBarging(tryOne)], ALL, { taken: 1 }),
    make('two wait in turn, one tries', 1, [acquire(), acquire(), tryOnce()], TWO, { taken: 1 }),
    make('one waits, one books', 2, [acquire(2), noBarging(bookOne)], ALL, { taken: 1 }),
    make('one waits, one gives up', 1, [acquire(), patient(1, 0.5)], TWO, { taken: 1 }),
    make('one that gives up for its weight, and one behind it', 3, [patient(3, 1), acquire(1)], TWO, { taken: 3 }),
    make('three wait', 1, [acquire(), acquire(), acquire()], FEW),
    make('three wait with weights', 2, [acquire(2), acquire(1), acquire(2)], FEW, { taken: 1 }),
    make('a booking is returned while one waits', 2, [bookAndReturn(2), acquire()], ALL, { timeless: true, taken: 1 }),
    make('two bookings are returned while one waits', 2, [returnInOrder, acquire()], TWO, { taken: 1 }),
    make(
      'two bookings are returned while two wait',
      1,
      [bookAndReturn(), both(bookAndReturn(), tryOnce()), acquire()],
      ONE,
      { taken: 1 },
    ),
    make('a booking is not returned when its time has come', 1, [returnTooLate, tryOnce()], ALL, { taken: 1 }),
    make('two book', 1, [bookOne, bookOne], ALL, { arrival: 2 }),
    make('a time without calls', 1, [both(({ pass }) => pass(3), tryOnce(1, 3))], ALL),
    make(
      'one gives up, and does not sleep',
      1,
      [both(patient(1, 0.5), ({ ctx, sleeps }) => ctx.assert(sleeps() === 0, 'it slept although it will be late'))],
      ALL,
      { taken: 1 },
    ),
    make('a booking is kept while one waits', 1, [bookOne, acquire()], ALL),
    make('two book, one returns its booking', 2, [bookAndReturn(2), bookAndReturn(2), tryOnce(1, 2)], TWO, {
      taken: 1,
    }),
    make('one waits, one closes', 1, [orClosed(acquire()), close], ALL, { taken: 1, timeless: true, isClosed: true }),
    make('two wait, one closes', 1, [orClosed(acquire()), orClosed(acquire()), close], ONE, {
      taken: 1,
      timeless: true,
      isClosed: true,
    }),
    make('one whose clock is ahead', 2, [tryOnce(1, 2), tryOnce(1, 2)], ALL, { ahead: [5, 0] }),
    make('one whose clock is ahead, and two', 1, [tryOnce(), tryOnce(1, 2), tryOnce()], TWO, { ahead: [5, 0, 2] }),
    make(
      'one takes after one whose clock is ahead',
      2,
      [tryOnce(), after(({ limiter, ctx }) => ctx.assert(limiter.tryAcquire(), 'a permit that is there was refused'))],
      ALL,
      { ahead: [9, 0] },
    ),
    make(
      'one waits behind one whose clock is ahead',
      1,
      [tryOnce(), after(both(acquire(), ({ ctx, sleeps }) => ctx.assert(sleeps() <= 2, 'it waits for its own clock')))],
      ALL,
      { ahead: [9, 0] },
    ),
    make(
      'time passes between two that try',
      1,
      [both(tryOnce(), ({ pass }) => pass(1), tryOnce()), tryOnce(1, 2)],
      ALL,
    ),
    make('death of one that waits', 1, [acquire(), acquire(), bury(0)], FEW, { ...first, taken: 1 }),
    make('death of one that tries', 1, [tryOnce(), acquire(), bury(0)], FEW, first),
    make('death of one that gives up', 1, [patient(1, 0.5), acquire(), bury(0)], FEW, { ...first, taken: 1 }),
    make('death of one that returns a booking', 1, [bookAndReturn(), acquire(), bury(0)], FEW, { ...first, taken: 1 }),
    make('death of two that wait', 1, [acquire(), acquire(), both(bury(0, 1), tryOnce())], NONE, {
      mayCrash: [0, 1],
      deaths: 2,
      taken: 1,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'rate limit', entry: new URL('entry.ts', import.meta.url), cases: rateCases, mutants: MUTANTS },
];
