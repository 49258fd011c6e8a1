// Cases of the rate limiter.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { recoverOnce } from '../../../../core/test/model/death-bodies.ts';
import { semaphoreAddress } from '../../../../core/test/model/places.ts';
import type { Case, Model } from '../../../../core/test/model/case.ts';
import { RateWorld, type Plan, type RateActor, type RateBody, type RateCore } from './rate-world.ts';
import { MUTANTS } from './mutants.ts';

const ALL: Options = {};
/** One preemption more in the soak, which costs minutes. */
const NONE: Options = { preemptions: soakSize(0, 1) };
const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };
/** One preemption more in the soak, which costs minutes. */
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

/** Tries when a permit has surely come. */
const trySurely =
  (times = 1): RateBody =>
  ({ ctx, limiter, take }) => {
    for (let time = 0; time < times; time++)
      ctx.assert(
        take(1, () => limiter.tryAcquire()),
        'a permit that had come was refused',
      );
  };

/** Waits with a timeout of that many ms. */
const patient =
  (weight: number, ms: number): RateBody =>
  ({ limiter, take }) =>
    take(weight, () => limiter.tryAcquire(weight, ms));

const isOccupied = ({ context: { kernel } }: RateActor): boolean => kernel.balance(semaphoreAddress(0)) < 1;

/** The only waiter of these cases is in line once. If it is in line before and after, it was in line in between. */
const noBarging =
  (act: (actor: RateActor) => boolean): RateBody =>
  (actor) => {
    const before = isOccupied(actor);
    const took = act(actor);
    actor.ctx.assert(!(took && before && isOccupied(actor)), 'a caller overtook a waiter');
  };

const tryOne = ({ limiter, take }: RateActor): boolean => take(1, () => limiter.tryAcquire());

const bookOne = ({ limiter }: RateActor): boolean => {
  limiter.reserve();
  return true;
};

/** The booking's time has not come, because permits are taken at the start. */
const bookAndReturn =
  (weight = 1): RateBody =>
  ({ limiter }) => {
    limiter.reserve(weight).cancel();
  };

/** Uses a booking at its time, and then tries to cancel it. */
const returnTooLate: RateBody = ({ limiter, ctx, pass }) => {
  const booking = limiter.reserve();
  pass(1);
  ctx.assert(!booking.cancel(), 'cancel() returned a booking whose time had come');
};

/** Tries to cancel the first of two bookings, and again after the second is cancelled. */
const returnInOrder: RateBody = ({ limiter, ctx }) => {
  const first = limiter.reserve(2);
  const second = limiter.reserve();
  ctx.assert(!first.cancel(), 'cancel() returned a booking on which a later one depends');
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

/** Waits until the first agent has taken its permits. */
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
    make('two agents try for one permit', 1, [tryOnce(), tryOnce()], ALL),
    make('two agents try for two permits', 2, [tryOnce(1, 2), tryOnce(1, 2)], ALL),
    make('two agents wait', 1, [acquire(), acquire()], ALL),
    make('two agents wait for two permits each', 2, [acquire(2), acquire(2)], ALL),
    make('one agent waits while another tries', 1, [acquire(), noBarging(tryOne)], ALL, { taken: 1 }),
    make('one agent waits for two permits while another tries for one', 2, [acquire(2), noBarging(tryOne)], ALL, {
      taken: 1,
    }),
    make('two agents wait in turn while a third tries', 1, [acquire(), acquire(), tryOnce()], TWO, { taken: 1 }),
    make('one agent waits while another books', 2, [acquire(2), noBarging(bookOne)], ALL, { taken: 1 }),
    make('one agent waits while another times out', 1, [acquire(), patient(1, 0.5)], TWO, { taken: 1 }),
    make(
      'an agent times out because of its weight while another waits behind it',
      3,
      [patient(3, 1), acquire(1)],
      TWO,
      { taken: 3 },
    ),
    make('three agents wait', 1, [acquire(), acquire(), acquire()], FEW),
    make('three agents wait with weights', 2, [acquire(2), acquire(1), acquire(2)], FEW, { taken: 1 }),
    make('a booking is cancelled while an agent waits', 2, [bookAndReturn(2), acquire()], ALL, {
      timeless: true,
      taken: 1,
    }),
    make('two bookings are cancelled while an agent waits', 2, [returnInOrder, acquire()], TWO, { taken: 1 }),
    make(
      'two bookings are cancelled while two agents wait',
      1,
      [bookAndReturn(), both(bookAndReturn(), tryOnce()), acquire()],
      ONE,
      { taken: 1 },
    ),
    make('cancel() of a booking whose time has come changes nothing', 1, [returnTooLate, tryOnce()], ALL, { taken: 1 }),
    make('two agents book', 1, [bookOne, bookOne], ALL, { arrival: 2 }),
    make('a time without calls', 1, [both(({ pass }) => pass(3), tryOnce(1, 3))], ALL),
    make(
      'an agent that would be late times out without a sleep',
      1,
      [
        both(patient(1, 0.5), ({ ctx, sleeps }) =>
          ctx.assert(sleeps() === 0, 'the agent slept although it would be late'),
        ),
      ],
      ALL,
      { taken: 1 },
    ),
    make('a booking is kept while an agent waits', 1, [bookOne, acquire()], ALL),
    make('two agents book, and one cancels its booking', 2, [bookAndReturn(2), bookAndReturn(2), tryOnce(1, 2)], TWO, {
      taken: 1,
    }),
    make('one agent waits while another closes', 1, [orClosed(acquire()), close], ALL, {
      taken: 1,
      timeless: true,
      isClosed: true,
    }),
    make('two agents wait while a third closes', 1, [orClosed(acquire()), orClosed(acquire()), close], ONE, {
      taken: 1,
      timeless: true,
      isClosed: true,
    }),
    make('the clock of one agent is ahead', 2, [tryOnce(1, 2), tryOnce(1, 2)], ALL, { ahead: [5, 0] }),
    make('the clock of one of three agents is ahead', 1, [tryOnce(), tryOnce(1, 2), tryOnce()], TWO, {
      ahead: [5, 0, 2],
    }),
    make(
      'an agent takes after one whose clock is ahead',
      2,
      [tryOnce(), after(({ limiter, ctx }) => ctx.assert(limiter.tryAcquire(), 'an available permit was refused'))],
      ALL,
      { ahead: [9, 0] },
    ),
    make(
      'an agent waits after one whose clock is ahead',
      1,
      [
        tryOnce(),
        after(both(acquire(), ({ ctx, sleeps }) => ctx.assert(sleeps() <= 2, 'the agent waited for its own clock'))),
      ],
      ALL,
      { ahead: [9, 0] },
    ),
    make(
      'time passes between two agents that try',
      1,
      [both(tryOnce(), ({ pass }) => pass(1), tryOnce()), tryOnce(1, 2)],
      ALL,
    ),
    // Its permit came at 1 ms, and is counted there.
    make('the timer of a waiter is late', 1, [acquire()], ALL, { taken: 1, late: 2, arrival: 2 }),
    // Its permit came at 1 ms. The time is 8 ms, and the permit is counted at 3 ms.
    make('the timer of a waiter is very late', 1, [acquire()], ALL, { taken: 1, late: 7, arrival: 4 }),
    make('the timers of two waiters are late while a third agent tries', 1, [acquire(), acquire(), tryOnce()], TWO, {
      taken: 1,
      late: 2,
    }),
    // Its permit came at 1 ms, and those of 2 and 3 ms are left to the calls behind it.
    make('calls follow a waiter whose timer is late', 1, [both(acquire(), trySurely(2))], ALL, {
      taken: 1,
      late: 2,
      arrival: 4,
    }),
    // The permits of 2 and 3 ms are left. The pause of 1 ms is no lateness.
    make('a call follows a waiter after a pause', 1, [both(acquire(), ({ pass }) => pass(1), tryOnce(1))], ALL, {
      taken: 1,
      late: 2,
      arrival: 4,
    }),
    // The timer is late by 4 ms, and each pause takes 1 ms of them.
    make(
      'calls follow a waiter whose timer is late, with pauses',
      1,
      [
        both(
          acquire(),
          ({ pass }) => pass(1),
          trySurely(),
          ({ pass }) => pass(1),
          trySurely(),
        ),
      ],
      ALL,
      { taken: 1, late: 4, arrival: 6 },
    ),
    // After 5 ms nothing is left.
    make('a call follows a waiter after a long pause', 1, [both(acquire(), ({ pass }) => pass(5), tryOnce(1))], ALL, {
      taken: 1,
      late: 2,
      arrival: 9,
    }),
    make('another agent calls after a waiter whose timer is late', 1, [acquire(), tryOnce(1, 2)], TWO, {
      taken: 1,
      late: 2,
    }),
    make('death of a waiting agent', 1, [acquire(), acquire(), bury(0)], FEW, { ...first, taken: 1 }),
    make('death of an agent that tries', 1, [tryOnce(), acquire(), bury(0)], FEW, first),
    make('death of an agent that times out', 1, [patient(1, 0.5), acquire(), bury(0)], FEW, { ...first, taken: 1 }),
    make('death of an agent that cancels a booking', 1, [bookAndReturn(), acquire(), bury(0)], FEW, {
      ...first,
      taken: 1,
    }),
    make('death of two waiting agents', 1, [acquire(), acquire(), both(bury(0, 1), tryOnce())], NONE, {
      mayCrash: [0, 1],
      deaths: 2,
      taken: 1,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'rate limit', entry: new URL('entry.ts', import.meta.url), cases: rateCases, mutants: MUTANTS },
];
