// Cases of the count of starts in an interval, and of its line.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { AsyncLoop, ModelSignal } from '../../../core/test/model/async-loop.ts';
import { recoverOnce } from '../../../core/test/model/death-bodies.ts';
import { semaphoreAddress } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { CARRYING, SLIDING } from '../../src/kernel/layout.ts';
import {
  IntervalWorld,
  type IntervalActor,
  type IntervalBody,
  type IntervalCore,
  type Plan,
} from './interval-world.ts';
import { INTERVAL_MUTANTS } from './interval-mutants.ts';

const ALL: Options = {};
const TWO: Options = { preemptions: 2 };
const ONE: Options = { preemptions: 1 };
/** One preemption more in the soak, which costs minutes. */
const FEW: Options = { preemptions: soakSize(0, 1) };

function runIn(actor: IntervalActor): void {
  actor.began();
  actor.ctx.step('while it runs');
  actor.slots.giveBack();
}

/** Starts a call if that is possible at once. Returns whether it did. */
function start(actor: IntervalActor): boolean {
  if (!begin(actor)) return false;
  runIn(actor);
  return true;
}

function begin({ slots }: IntervalActor): boolean {
  return slots.tryTake() && slots.begin();
}

const tries =
  (times = 1): IntervalBody =>
  (actor) => {
    for (let time = 0; time < times; time++) start(actor);
  };

const mustStart: IntervalBody = (actor) => actor.ctx.assert(start(actor), 'an available start was refused');

/**
 * Waits in line for `times` calls, one after another. `leaves`: may leave the line at any moment. Without `isPatient`,
 * leaves if its start is refused.
 */
const waits =
  ({ times = 1, leaves = false, mayClose = false, isPatient = true } = {}): IntervalBody =>
  (actor) => {
    const { ctx, intervalCore, slots, core } = actor;
    const loop = new AsyncLoop(ctx);
    let over = 0;
    const stand = (): void => {
      const turn = new intervalCore.IntervalPlace();
      let [hasLeft, isUnderWay] = [false, false];
      if (leaves) {
        loop.mayAbort(new ModelSignal()).addEventListener('abort', () => {
          hasLeft = true;
          // A queue never takes back a call that is under way.
          if (!isUnderWay) turn.giveUp();
        });
      }
      const begins = (): void => {
        isUnderWay = false;
        if (slots.begin(turn)) {
          runIn(actor);
          over += 1;
          if (over < times) stand();
        } else if (!isPatient) {
          over = times;
          hasLeft = true;
          if (!turn.isOver) turn.giveUp();
        } else if (turn.isOver) stand();
        else if (hasLeft) turn.giveUp();
      };
      const granted = (): void => {
        ctx.assert(!hasLeft, 'a call is under way after it left the line');
        isUnderWay = true;
        void Promise.resolve().then(begins);
      };
      const refused = (failure: unknown): void => {
        const isClosed = core.hasCode(failure, 'SLUICE_CLOSED');
        ctx.assert(hasLeft || (mayClose && isClosed), `a call was refused: ${String(failure)}`);
        over = times;
      };
      slots.take(turn, granted, refused);
    };
    loop.run(stand, () => over === times);
  };

/** Lets intervals pass and wakes the head whenever it sleeps, until all other agents have ended. */
const timeBy =
  (intervals: number): IntervalBody =>
  (actor) => {
    while (actor.untilAsleep()) {
      actor.pass(intervals);
      actor.semaphores[2]?.release();
    }
  };

const time = timeBy(1);
/** A start in RING has a time that is up to one part late, so one interval would not suffice. */
const twice = timeBy(2);

/** Holds the head of the line until the other agents have ended, unless the limit is closed. */
const busyHead: IntervalBody = ({ core, semaphores: [, line], untilAsleep }) => {
  try {
    line?.acquire();
  } catch (failure) {
    if (core.hasCode(failure, 'SLUICE_CLOSED')) return;
    throw failure;
  }
  untilAsleep();
  line?.release();
};

const isOccupied = ({ context: { kernel } }: IntervalActor): boolean => kernel.balance(semaphoreAddress(1)) < 1;

/** The only waiter of these cases is in line once. If it is in line before and after, it was in line in between. */
const noBarging: IntervalBody = (actor) => {
  const before = isOccupied(actor);
  const hasStarted = begin(actor);
  actor.ctx.assert(!(hasStarted && before && isOccupied(actor)), 'a call overtook a waiting call');
  if (hasStarted) runIn(actor);
};

const both =
  (...bodies: readonly IntervalBody[]): IntervalBody =>
  (actor) => {
    for (const body of bodies) body(actor);
  };

/** Waits until another agent has started a call. */
const after =
  (body: IntervalBody): IntervalBody =>
  (actor) => {
    actor.ctx.until(actor.isUsed);
    body(actor);
  };

/** Waits until a start was counted, even if its call has not begun. */
const afterCount =
  (body: IntervalBody): IntervalBody =>
  (actor) => {
    actor.ctx.until(actor.isCounted);
    body(actor);
  };

const passes =
  (intervals: number): IntervalBody =>
  ({ pass }) =>
    pass(intervals);

/** Starts a call that runs while an interval passes. */
const runsOn: IntervalBody = (actor) => {
  if (!begin(actor)) return;
  actor.began();
  actor.pass(1);
  actor.ctx.assert(!begin(actor), 'a running function was not carried over');
  actor.slots.giveBack();
};

const close: IntervalBody = ({ slots }) => slots.close();

const bury =
  (...victims: readonly number[]): IntervalBody =>
  (actor) => {
    for (const victim of victims) if (actor.ctx.waitForDeath(victim)) recoverOnce(actor, victim);
    start(actor);
  };

export function intervalCases(core: IntervalCore): Case[] {
  const make = (
    name: string,
    [size, cap]: readonly [number, number],
    bodies: readonly IntervalBody[],
    options: Options,
    more: Partial<Plan> = {},
  ): Case => new IntervalWorld(core, { name, size, cap, bodies, options, ...more }).case;
  const first = { mayCrash: [0] };
  const strict = { mode: SLIDING };
  const closed = { isClosed: true, made: 1 };
  const exact = { isExact: true };
  return [
    make('two agents try for one start', [2, 1], [tries(), tries()], ALL, { starts: 1 }),
    make('two agents try for the second start', [2, 2], [tries(), tries()], ALL, { made: 1, starts: 1 }),
    make('two agents try for two starts', [2, 2], [mustStart, mustStart], ALL, { starts: 2 }),
    make('three agents try for two starts', [3, 2], [tries(), tries(), tries()], TWO),
    make('two agents try while time passes', [2, 1], [both(tries(), passes(1), tries()), tries(2)], ALL, exact),
    make('an agent may pause between its count and its start', [2, 1], [tries(), both(passes(1), tries())], ALL, exact),
    make(
      'the head may pause between its count and its start',
      [2, 1],
      [waits({ isPatient: false }), afterCount(both(passes(1), tries()))],
      TWO,
      exact,
    ),
    make(
      'strict: an agent may pause between its count and its start',
      [2, 1],
      [tries(), both(passes(0.5), passes(0.75), tries())],
      ALL,
      { ...exact, ...strict },
    ),
    make('strict: an agent may pause for longer than an interval', [2, 1], [tries(), both(passes(2), tries())], ALL, {
      ...exact,
      ...strict,
    }),
    make(
      'strict: an agent may pause while two elements are used',
      [2, 2],
      [tries(2), both(tries(), passes(0.5), passes(0.5), tries(2))],
      TWO,
      { ...exact, ...strict },
    ),
    make('strict: two agents try for one start', [2, 1], [tries(), tries()], ALL, { ...strict, starts: 1 }),
    make('strict: two agents try for the second start', [2, 2], [tries(), tries()], ALL, {
      ...strict,
      made: 1,
      starts: 1,
    }),
    make('strict: two agents try for two starts', [2, 2], [mustStart, mustStart], ALL, { ...strict, starts: 2 }),
    make('strict: three agents try for two starts', [3, 2], [tries(), tries(), tries()], TWO, strict),
    make('strict: two agents try while time passes', [2, 2], [both(tries(), passes(2), tries(2)), tries(2)], TWO, {
      ...exact,
      ...strict,
    }),
    make('a running function is carried over', [2, 1], [runsOn], ALL, { mode: CARRYING, starts: 1 }),
    make(
      'a running function is carried over while another agent tries',
      [3, 2],
      [both(tries(), passes(1), tries()), tries(2)],
      TWO,
      {
        mode: CARRYING,
      },
    ),
    make('the clock of one agent is ahead', [2, 1], [tries(2), tries(2)], ALL, { ahead: [5, 0] }),
    make('an agent waits', [1, 1], [waits(), time], TWO, { made: 1, starts: 1 }),
    make('an agent waits for two starts', [1, 1], [waits({ times: 2 }), time], ONE, { starts: 2 }),
    make('two agents wait', [2, 1], [waits(), waits(), time], ONE, { starts: 2 }),
    make('two agents wait for one slot', [1, 2], [waits(), waits()], ONE, { starts: 2 }),
    make('strict: two agents wait for one slot', [1, 2], [waits(), waits()], ONE, { ...strict, starts: 2 }),
    make('strict: two agents wait', [2, 1], [waits(), waits(), twice], ONE, { ...strict, starts: 2 }),
    make('one agent waits while another tries', [2, 1], [waits(), noBarging, time], ONE, { made: 1 }),
    make('strict: one agent waits while another tries', [2, 1], [waits(), noBarging, twice], ONE, {
      ...strict,
      made: 1,
    }),
    make('one agent waits for a slot while another tries', [1, 2], [waits(), tries(), time], ONE),
    make('an agent waits after one whose clock is ahead', [2, 1], [tries(), after(waits()), time], ONE, {
      ahead: [9, 0, 0],
      starts: 2,
      mostTime: 2,
    }),
    make('strict: an agent waits after one whose clock is ahead', [2, 1], [tries(), after(waits()), twice], ONE, {
      ...strict,
      ahead: [9, 0, 0],
      starts: 2,
      mostTime: 2,
    }),
    make('a waiting agent may leave', [1, 1], [waits({ leaves: true }), time], TWO, { made: 1 }),
    make('an agent that waits for a slot may leave', [1, 2], [waits({ leaves: true }), tries()], TWO),
    make(
      'a waiting agent may leave while another waits behind it',
      [1, 1],
      [waits({ leaves: true }), waits(), time],
      FEW,
      {
        made: 1,
      },
    ),
    make('one agent waits while another closes the limit', [1, 1], [waits({ mayClose: true }), close], TWO, closed),
    make(
      'two agents wait while a third closes the limit',
      [1, 1],
      [waits({ mayClose: true }), waits({ mayClose: true }), close],
      ONE,
      closed,
    ),
    make(
      'an agent waits behind a busy head while a third closes the limit',
      [1, 1],
      [busyHead, waits({ mayClose: true }), close],
      ONE,
      {
        isClosed: true,
      },
    ),
    make('death of an agent that tries', [2, 1], [tries(), tries(), bury(0)], TWO, first),
    make('strict: death of an agent that tries', [2, 2], [tries(2), tries(), bury(0)], ONE, { ...first, ...strict }),
    make('death of a waiting agent', [1, 1], [waits(), waits(), bury(0), time], FEW, { ...first, made: 1 }),
    make('death of a waiting agent that may leave', [1, 1], [waits({ leaves: true }), bury(0), time], ONE, {
      ...first,
      made: 1,
    }),
    make('death of an agent that waits for a slot', [1, 2], [waits(), tries(), bury(0), time], FEW, first),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'interval',
    entry: new URL('entry.ts', import.meta.url),
    lowered: true,
    cases: intervalCases,
    mutants: INTERVAL_MUTANTS,
  },
];
