// The scenarios for the count of starts in an interval, and for its line.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { AsyncLoop, ModelSignal } from '../../../core/test/model/async-loop.ts';
import { recoverOnce } from '../../../core/test/model/death-bodies.ts';
import { semaphoreAddress } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { CARRYING, SLIDING } from '../../src/kernel/layout.ts';
import { PaceWorld, type PaceActor, type PaceBody, type PaceCore, type Plan } from './pace-world.ts';
import { PACE_MUTANTS } from './pace-mutants.ts';

const ALL: Options = {};
const TWO: Options = { preemptions: 2 };
const ONE: Options = { preemptions: 1 };
/** One more in the soak, because it costs minutes. */
const FEW: Options = { preemptions: soakSize(0, 1) };

function runIn(actor: PaceActor): void {
  actor.began();
  actor.ctx.step('while it runs');
  actor.slots.giveBack();
}

/** Starts a call if that is possible at once. Returns whether it did. */
function start(actor: PaceActor): boolean {
  if (!begin(actor)) return false;
  runIn(actor);
  return true;
}

function begin({ slots }: PaceActor): boolean {
  return slots.tryTake() && slots.begin();
}

const tries =
  (times = 1): PaceBody =>
  (actor) => {
    for (let time = 0; time < times; time++) start(actor);
  };

const mustStart: PaceBody = (actor) => actor.ctx.assert(start(actor), 'a start that is there was refused');

/**
 * Waits in line for calls, one after the other. `leaves`: may leave the line at any moment. Without `isPatient`: leaves
 * if its start is refused.
 */
const waits =
  ({ times = 1, leaves = false, mayClose = false, isPatient = true } = {}): PaceBody =>
  (actor) => {
    const { ctx, paceCore, slots, core } = actor;
    const loop = new AsyncLoop(ctx);
    let over = 0;
    const stand = (): void => {
      const turn = new paceCore.Turn();
      let [hasLeft, isUnderWay] = [false, false];
      if (leaves) {
        loop.mayAbort(new ModelSignal()).addEventListener('abort', () => {
          hasLeft = true;
          // A queue takes back no call that is under way.
          if (!isUnderWay) turn.take();
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
          if (!turn.isOver) turn.take();
        } else if (turn.isOver) stand();
        else if (hasLeft) turn.take();
      };
      const granted = (): void => {
        ctx.assert(!hasLeft, 'a call is under way that had left the line');
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

/** Lets intervals pass and wakes the head whenever it sleeps, until all others have ended. */
const timeBy =
  (intervals: number): PaceBody =>
  (actor) => {
    while (actor.untilAsleep()) {
      actor.pass(intervals);
      actor.semaphores[2]?.release();
    }
  };

const time = timeBy(1);
/** A start in the ring is noted a part of the interval late, so one interval would not suffice. */
const twice = timeBy(2);

/** Holds the head of the line, if the limit is open, until the other agents have ended. */
const busyHead: PaceBody = ({ core, semaphores: [, line], untilAsleep }) => {
  try {
    line?.acquire();
  } catch (failure) {
    if (core.hasCode(failure, 'SLUICE_CLOSED')) return;
    throw failure;
  }
  untilAsleep();
  line?.release();
};

const isOccupied = ({ context: { kernel } }: PaceActor): boolean => kernel.balance(semaphoreAddress(1)) < 1;

/** The only waiter of these cases is in line once. If it is there before and after, it was there all the time. */
const noBarging: PaceBody = (actor) => {
  const before = isOccupied(actor);
  const hasStarted = begin(actor);
  actor.ctx.assert(!(hasStarted && before && isOccupied(actor)), 'a call passed a waiting one');
  if (hasStarted) runIn(actor);
};

const both =
  (...bodies: readonly PaceBody[]): PaceBody =>
  (actor) => {
    for (const body of bodies) body(actor);
  };

/** Waits until another agent has started a call. */
const after =
  (body: PaceBody): PaceBody =>
  (actor) => {
    actor.ctx.until(actor.isUsed);
    body(actor);
  };

/** Waits until a start was counted. Its call may not have begun. */
const afterCount =
  (body: PaceBody): PaceBody =>
  (actor) => {
    actor.ctx.until(actor.isCounted);
    body(actor);
  };

const passes =
  (intervals: number): PaceBody =>
  ({ pass }) =>
    pass(intervals);

/** Starts a call that runs while an interval passes. */
const runsOn: PaceBody = (actor) => {
  if (!begin(actor)) return;
  actor.began();
  actor.pass(1);
  actor.ctx.assert(!begin(actor), 'a running function was not carried over');
  actor.slots.giveBack();
};

const close: PaceBody = ({ slots }) => slots.close();

const bury =
  (...victims: readonly number[]): PaceBody =>
  (actor) => {
    for (const victim of victims) if (actor.ctx.waitForDeath(victim)) recoverOnce(actor, victim);
    start(actor);
  };

export function paceCases(core: PaceCore): Case[] {
  const make = (
    name: string,
    [size, cap]: readonly [number, number],
    bodies: readonly PaceBody[],
    options: Options,
    more: Partial<Plan> = {},
  ): Case => new PaceWorld(core, { name, size, cap, bodies, options, ...more }).case;
  const first = { mayCrash: [0] };
  const strict = { mode: SLIDING };
  const closed = { isClosed: true, made: 1 };
  const exact = { isExact: true };
  return [
    make('two try for one start', [2, 1], [tries(), tries()], ALL, { starts: 1 }),
    make('two try for the second start', [2, 2], [tries(), tries()], ALL, { made: 1, starts: 1 }),
    make('two try for two starts', [2, 2], [mustStart, mustStart], ALL, { starts: 2 }),
    make('three try for two starts', [3, 2], [tries(), tries(), tries()], TWO),
    make('two try while time passes', [2, 1], [both(tries(), passes(1), tries()), tries(2)], ALL, exact),
    make(
      'one may stand still between its count and its start',
      [2, 1],
      [tries(), both(passes(1), tries())],
      ALL,
      exact,
    ),
    make(
      'the head may stand still between its count and its start',
      [2, 1],
      [waits({ isPatient: false }), afterCount(both(passes(1), tries()))],
      TWO,
      exact,
    ),
    make(
      'strict: one may stand still between its count and its start',
      [2, 1],
      [tries(), both(passes(0.5), passes(0.75), tries())],
      ALL,
      { ...exact, ...strict },
    ),
    make('strict: one may stand still longer than an interval', [2, 1], [tries(), both(passes(2), tries())], ALL, {
      ...exact,
      ...strict,
    }),
    make(
      'strict: one may stand still while two places are used',
      [2, 2],
      [tries(2), both(tries(), passes(0.5), passes(0.5), tries(2))],
      TWO,
      { ...exact, ...strict },
    ),
    make('strict: two try for one start', [2, 1], [tries(), tries()], ALL, { ...strict, starts: 1 }),
    make('strict: two try for the second start', [2, 2], [tries(), tries()], ALL, { ...strict, made: 1, starts: 1 }),
    make('strict: two try for two starts', [2, 2], [mustStart, mustStart], ALL, { ...strict, starts: 2 }),
    make('strict: three try for two starts', [3, 2], [tries(), tries(), tries()], TWO, strict),
    make('strict: two try while time passes', [2, 2], [both(tries(), passes(2), tries(2)), tries(2)], TWO, {
      ...exact,
      ...strict,
    }),
    make('one runs on, and is carried over', [2, 1], [runsOn], ALL, { mode: CARRYING, starts: 1 }),
    make('one runs on beside another that tries', [3, 2], [both(tries(), passes(1), tries()), tries(2)], TWO, {
      mode: CARRYING,
    }),
    make('one whose clock is ahead', [2, 1], [tries(2), tries(2)], ALL, { ahead: [5, 0] }),
    make('one waits', [1, 1], [waits(), time], TWO, { made: 1, starts: 1 }),
    make('one waits for two starts', [1, 1], [waits({ times: 2 }), time], ONE, { starts: 2 }),
    make('two wait', [2, 1], [waits(), waits(), time], ONE, { starts: 2 }),
    make('two wait for one slot', [1, 2], [waits(), waits()], ONE, { starts: 2 }),
    make('strict: two wait for one slot', [1, 2], [waits(), waits()], ONE, { ...strict, starts: 2 }),
    make('strict: two wait', [2, 1], [waits(), waits(), twice], ONE, { ...strict, starts: 2 }),
    make('one waits, one tries', [2, 1], [waits(), noBarging, time], ONE, { made: 1 }),
    make('strict: one waits, one tries', [2, 1], [waits(), noBarging, twice], ONE, { ...strict, made: 1 }),
    make('one waits for a slot, one tries', [1, 2], [waits(), tries(), time], ONE),
    make('one waits behind one whose clock is ahead', [2, 1], [tries(), after(waits()), time], ONE, {
      ahead: [9, 0, 0],
      starts: 2,
      mostTime: 2,
    }),
    make('strict: one waits behind one whose clock is ahead', [2, 1], [tries(), after(waits()), twice], ONE, {
      ...strict,
      ahead: [9, 0, 0],
      starts: 2,
      mostTime: 2,
    }),
    make('one waits and may leave', [1, 1], [waits({ leaves: true }), time], TWO, { made: 1 }),
    make('one waits for a slot and may leave', [1, 2], [waits({ leaves: true }), tries()], TWO),
    make('one waits and may leave, one waits behind it', [1, 1], [waits({ leaves: true }), waits(), time], FEW, {
      made: 1,
    }),
    make('one waits, one closes', [1, 1], [waits({ mayClose: true }), close], TWO, closed),
    make('two wait, one closes', [1, 1], [waits({ mayClose: true }), waits({ mayClose: true }), close], ONE, closed),
    make('one waits behind a busy head, one closes', [1, 1], [busyHead, waits({ mayClose: true }), close], ONE, {
      isClosed: true,
    }),
    make('death of one that tries', [2, 1], [tries(), tries(), bury(0)], TWO, first),
    make('strict: death of one that tries', [2, 2], [tries(2), tries(), bury(0)], ONE, { ...first, ...strict }),
    make('death of one that waits', [1, 1], [waits(), waits(), bury(0), time], FEW, { ...first, made: 1 }),
    make('death of one that may leave', [1, 1], [waits({ leaves: true }), bury(0), time], ONE, { ...first, made: 1 }),
    make('death of one that waits for a slot', [1, 2], [waits(), tries(), bury(0), time], FEW, first),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'interval',
    entry: new URL('entry.ts', import.meta.url),
    lowered: true,
    cases: paceCases,
    mutants: PACE_MUTANTS,
  },
];
