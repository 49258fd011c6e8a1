// Cases of the watch cell. Each is small enough for a complete search, or for a complete search within a bound on
// preemptions.

import type { Options } from '@sluice/model';
import { TAKEN } from '../../../../core/src/kernel/states.ts';
import { drawTicket, endWait, giveUp, reclaim, sleepOn } from '../../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../../core/test/model/case.ts';
import { GRANT } from '../../../../core/src/kernel/layout.ts';
import { CELL_CLOSED, VERSION_STEP } from '../../../src/watch/kernel/layout.ts';
import type { WatchKernel } from '../../../src/watch/kinds.ts';
import {
  CELL,
  TAG,
  watchCase,
  type WatchActor,
  type WatchBody,
  type WatchCore,
  type WatchPlan,
} from './watch-world.ts';
import { DEATH_MUTANTS, MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const THREE_PREEMPTIONS: Options = { preemptions: 3 };
const NO_PREEMPTION: Options = { preemptions: 0 };
const LOCAL: Options = { preemptions: 1, scheduleLocal: true };

/** Sets these values in turn. */
const set =
  (...values: readonly number[]): WatchBody =>
  ({ cell }) => {
    for (const value of values) cell.set(value);
  };
/** Reads a cell of one writer, which sets increasing values, until `last`. */
const follow =
  (last: number): WatchBody =>
  ({ ctx, cell }) => {
    for (let value = cell.get(); value < last; ) {
      const next = cell.changed();
      ctx.assert(next > value, `${next} came after ${value}`);
      value = next;
      ctx.forget(value);
    }
  };
const read =
  (times: number): WatchBody =>
  ({ ctx, cell }) => {
    for (let n = 0, before = 0; n < times; n++) {
      const value = cell.get();
      ctx.assert(value >= before, `${value} came after ${before}`);
      before = value;
    }
  };
/** Checks that each get() of an agent returns at least the value that the agent has set. */
const setAndGet: WatchBody = ({ ctx, cell }) => {
  cell.get();
  cell.get();
  cell.set(2);
  ctx.assert(cell.get() === 2 && cell.get() === 2, 'a get after a set returns an older value');
};
/**
 * Sets a value after it has read another one twice. Then the instance keeps that value, which is older than its own.
 */
const getAndOverwrite: WatchBody = ({ ctx, cell }) => {
  cell.get();
  const kept = cell.get();
  cell.set(1);
  ctx.assert(cell.get() !== kept, 'a get after a set returns the value before that set');
};
/**
 * Acts as if 2^28 values were set, together with that of `getAndOverwrite`: the low half of the word is the same again,
 * and the high half differs.
 */
const goRound: WatchBody = ({ ctx, cell }) => {
  ctx.words.add64(CELL + GRANT, 2n ** 32n - 3n * BigInt(VERSION_STEP));
  cell.set(2);
  cell.set(3);
};
/** Reads values of several writers. Each must be whole. */
const readAny: WatchBody = ({ cell }) => cell.get();
const tryChanged =
  (times: number): WatchBody =>
  ({ ctx, cell }) => {
    let before = cell.get();
    for (let round = 0; round < times; round++) {
      const value = cell.tryChanged(1);
      ctx.assert(value === undefined || value > before, `${value} came after ${before}`);
      before = value ?? before;
      ctx.forget(round);
    }
  };
const close: WatchBody = ({ cell }) => cell.close();
/** Returns whether `use` threw because the cell is closed. */
function isRefused({ core }: WatchActor, use: () => void): boolean {
  try {
    use();
  } catch (failure) {
    // The explorer stops agents by errors of its own.
    if (!core.hasCode(failure, 'SLUICE_CLOSED')) throw failure;
    return true;
  }
  return false;
}
/** Sets a value, unless the cell is closed. */
const trySet =
  (value: number): WatchBody =>
  (actor) => {
    const refused = isRefused(actor, () => actor.cell.set(value));
    actor.ctx.forget(Number(refused));
  };
/** Reads a cell until it is closed. The last value that it read has to be the end (`WatchPlan.ends`). */
const followToEnd =
  (last: number): WatchBody =>
  (actor) => {
    const { ctx, cell } = actor;
    let value = cell.get();
    while (
      !isRefused(actor, () => {
        const next = cell.changed();
        ctx.assert(next > value, `${next} came after ${value}`);
        value = next;
      })
    ) {
      ctx.forget(value);
    }
    ctx.assert(last === ANY || value === last, `the last value was ${value} instead of ${last}`);
  };
const ANY = -1;
function check({ ctx, cell }: WatchActor): void {
  ctx.assert(cell.get() > 0, 'admitted before a value was set');
}
/** An async wait as the event loop drives it. An abort may end it at any moment. */
const waitOrAbort: WatchBody = (actor) => {
  const { core, ctx, context, policy, line } = actor;
  const element = drawTicket(actor, () =>
    (context.kernel as WatchKernel).enqueueAtWatch(CELL, TAG, context.agent, 1, 0, 0),
  );
  if (element === TAKEN) {
    check(actor);
    return;
  }
  const abort = ctx.choose(3, 'abort before linking, after it, never');
  if (abort > 0) core.enterChain(context, element);
  const at = { line, entry: 0 } as const;
  const verdict =
    abort < 2 ? core.leaveLine(context, at, element) : core.sleepInLine(context, at, element, policy, Infinity);
  if (endWait(actor, element, verdict)) check(actor);
};
/** Sleeps until the end, whether a value was set or not. */
const sleepToEnd: WatchBody = (actor) => {
  actor.ctx.assert(sleepOn(actor, 0), 'a wait without a limit ended without its verdict');
};
const sleep: WatchBody = (actor) => {
  actor.ctx.assert(sleepOn(actor, 0), 'a wait without a limit ended without its verdict');
  check(actor);
};
const leave: WatchBody = (actor) => {
  if (giveUp(actor, 0)) check(actor);
};
const leaveClosed: WatchBody = (actor) => void giveUp(actor, 0);
const both =
  (...bodies: readonly WatchBody[]): WatchBody =>
  (actor) => {
    for (const body of bodies) body(actor);
  };

export function watchCases(core: WatchCore): Case[] {
  const make = (name: string, bodies: readonly WatchBody[], options: Options, plan: WatchPlan = {}): Case =>
    watchCase(core, name, bodies, options, plan);
  return [
    make('one set, one follower', [set(1), follow(1)], ALL),
    make('two sets, one follower', [set(1, 2), follow(2)], ALL, { free: 0b10 }),
    make('two sets, one reader', [set(1, 2), read(1)], ALL, { free: 0b10 }),
    make('three sets, one reader', [set(1, 2, 3), read(2)], THREE_PREEMPTIONS, { free: 0b10 }),
    make('a get after a set', [setAndGet, read(3)], TWO_PREEMPTIONS),
    make('the version wraps during a get', [getAndOverwrite, goRound], TWO_PREEMPTIONS),
    make('one set, two followers', [set(1), follow(1), follow(1)], TWO_PREEMPTIONS),
    make('two writers', [set(1), set(2)], ALL),
    make('two writers and a reader', [set(1), set(2), readAny], TWO_PREEMPTIONS),
    make('two writers and a sleeper', [set(1), set(2), sleep], TWO_PREEMPTIONS, { asleep: [2] }),
    make('a follower may time out', [set(1), tryChanged(2)], ALL),
    make('a follower may be aborted', [set(1), waitOrAbort], ALL),
    make('one of two followers may be aborted', [set(1), waitOrAbort, follow(1)], ONE_PREEMPTION),
    make('two sets, one sleeper and one follower', [set(1, 2), sleep, follow(2)], ONE_PREEMPTION, { asleep: [1] }),
    ...[2n ** 31n - 16n, 2n ** 32n - 16n, 2n ** 63n - 16n].map((word) =>
      make(`the word starts at ${word}`, [set(1, 2), sleep, follow(2)], ONE_PREEMPTION, { word, asleep: [1] }),
    ),
    make('one of two sleepers cancels', [set(1), sleep, leave], TWO_PREEMPTIONS, { asleep: [1, 2] }),
    make('both of two sleepers cancel', [set(1), leave, leave], TWO_PREEMPTIONS, { asleep: [1, 2] }),
    make('both of two sleepers cancel at a cell that does not change', [leave, leave], ALL, { asleep: [0, 1] }),
    make('a sleeper cancels while a value is set, every word watched', [set(1), leave, sleep], LOCAL, {
      asleep: [1, 2],
    }),
    make('two buckets', [set(1), leave, sleep], TWO_PREEMPTIONS, { asleep: [1, 2], buckets: 2 }),
    make('two buckets, from the second version', [set(1), sleep], ALL, { asleep: [1], buckets: 2, word: 16n }),
    make('close() with a follower', [close, followToEnd(0)], ALL, { ends: [1] }),
    make('close() with a sleeper', [close, sleepToEnd], ALL, { asleep: [1] }),
    make('close() while one of two sleepers cancels', [close, sleepToEnd, leaveClosed], TWO_PREEMPTIONS, {
      asleep: [1, 2],
    }),
    make('set() before close(), with a follower', [both(set(1), close), followToEnd(1)], ALL, { ends: [1] }),
    make('set() races close(), with a follower', [trySet(1), close, followToEnd(ANY)], TWO_PREEMPTIONS, { ends: [2] }),
    make('two calls of close() race, with a follower', [close, close, followToEnd(0)], TWO_PREEMPTIONS, { ends: [2] }),
    make('two buckets, set() races close()', [trySet(1), close, sleepToEnd], TWO_PREEMPTIONS, {
      asleep: [2],
      buckets: 2,
    }),
  ];
}

const glance: WatchBody = ({ cell }) => cell.tryChanged(1);
/** Sets a value after a death, as another agent. */
const rescue: WatchBody = (actor) => {
  reclaim(0)(actor);
  actor.cell.set(9);
};
const wakes: WatchBody = (actor) => void sleepOn(actor, 0);

export function watchDeathCases(core: WatchCore): Case[] {
  const make = (name: string, bodies: readonly WatchBody[], options: Options, plan: WatchPlan = {}): Case =>
    watchCase(core, name, bodies, options, { mayCrash: [0], ...plan });
  return [
    make('death of a writer', [set(1), reclaim(0)], ALL),
    make('death of a writer while another agent reads', [set(1), read(1), reclaim(0)], ONE_PREEMPTION),
    make('death of a writer while another writes', [set(1), rescue], ALL),
    make('death of a writer while another agent sleeps', [set(1), wakes, rescue], ONE_PREEMPTION, { asleep: [1] }),
    make(
      'death of an agent that closes while another sleeps',
      [
        close,
        wakes,
        (actor) => {
          reclaim(0)(actor);
          actor.cell.close();
        },
      ],
      ONE_PREEMPTION,
      { asleep: [1] },
    ),
    make('death of a writer at a closed cell', [trySet(1), reclaim(0)], ALL, { word: BigInt(CELL_CLOSED) }),
    make('death of a sleeper', [wakes, set(1), reclaim(0)], TWO_PREEMPTIONS, { asleep: [0] }),
    make('death of one of two sleepers', [wakes, wakes, set(1), reclaim(0)], NO_PREEMPTION, { asleep: [0, 1] }),
    make('death of a follower that may time out', [glance, set(1), reclaim(0)], TWO_PREEMPTIONS),
    make('death of a sleeper that cancels', [(actor) => void giveUp(actor, 0), glance, reclaim(0)], ONE_PREEMPTION, {
      asleep: [0],
    }),
    make(
      'death of a writer, then of its reclaimer',
      [
        set(1),
        wakes,
        reclaim(0),
        (actor) => {
          reclaim(2, 0)(actor);
          actor.cell.set(9);
        },
      ],
      NO_PREEMPTION,
      { asleep: [1], mayCrash: [0, 2], deaths: 2 },
    ),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'watch cell', entry: ENTRY, cases: watchCases, mutants: MUTANTS },
  { name: 'watch cell death', entry: ENTRY, cases: watchDeathCases, mutants: DEATH_MUTANTS },
];
