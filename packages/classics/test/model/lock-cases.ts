// The scenarios of the locks. Each is small enough to be explored completely, or completely within a bound on
// preemptions.

import type { Options } from '@sluice/model';
import type { Plan } from '../../../core/test/model/office-world.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import {
  glance,
  leave,
  leaveAndReturn,
  leaveAndTry,
  pass,
  passAfter,
  passOrAbort,
  tryPass,
  unlock,
  wait,
  waitTimed,
} from './lock-bodies.ts';
import { LIFO, MCS, RECIPROCATING, TICKET, TTS, type LockKind, type LocksCore } from './lock-kinds.ts';
import { LockWorld, ownedWith, type LockActor, type LockBody, type LockSetup } from './lock-world.ts';
import { MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const THREE_PREEMPTIONS: Options = { preemptions: 3 };
const LOCAL: Options = { preemptions: 2, scheduleLocal: true };

/** Just below where 64-bit counters stop being right. */
const WRAP = 2n ** 63n - 1n;

export type More = Partial<LockSetup & Plan<LockActor>>;
type Make = (name: string, bodies: readonly LockBody[], options: Options, more?: More) => Case;

export const maker =
  (core: LocksCore, kind: LockKind): Make =>
  (name, bodies, options, more = {}) => {
    const world = new LockWorld(core, kind, { agents: bodies.length, ...more });
    return world.case({ name: `${kind.name}, ${name}`, bodies, options, ...more });
  };

export function lockCases(core: LocksCore): Case[] {
  return [TTS, MCS, LIFO, RECIPROCATING].flatMap((kind) => casesOf(kind, maker(core, kind))).concat(ticketCases(core));
}

function casesOf(kind: LockKind, make: Make): Case[] {
  const line = (waiters: number, watched = true): More => ({ before: ownedWith(kind, waiters, watched), watched });
  // It has many more states: a woken waiter parks again as often as others are faster.
  const competing = kind === TTS;
  const fewer = competing ? ONE_PREEMPTION : TWO_PREEMPTIONS;
  return [
    make('two agents', [pass(2), pass(competing ? 1 : 2)], ALL),
    make('one of two may time out', [pass(competing ? 1 : 2), tryPass()], ALL),
    make('both may time out, one of them twice', [tryPass(), tryPass(2)], THREE_PREEMPTIONS),
    make('a try without waiting', [pass(2), glance], ALL),
    make('an abort against a handover', [pass(), passOrAbort], ALL),
    make('three agents', [pass(), pass(), pass()], TWO_PREEMPTIONS),
    make('three agents, all may time out', [tryPass(), tryPass(), tryPass()], TWO_PREEMPTIONS),
    make('one leaves and one enters', [unlock, leave, pass()], TWO_PREEMPTIONS, line(1)),
    make('one enters behind one that waits', [unlock, wait, pass()], TWO_PREEMPTIONS, line(1)),
    make('a cancelling waiter does not wait for an owner', [unlock, leave, passAfter(1)], fewer, line(1)),
    make('one leaves twice', [unlock, leaveAndTry, wait], fewer, line(2)),
    make('one leaves and comes back', [unlock, leaveAndReturn], ALL, line(1)),
    make('one leaves and comes back before another', [unlock, leaveAndReturn, wait], ONE_PREEMPTION, line(2)),
    make('the first of two leaves', [unlock, leave, wait], competing ? TWO_PREEMPTIONS : THREE_PREEMPTIONS, line(2)),
    make('the last of two leaves', [unlock, wait, leave], competing ? TWO_PREEMPTIONS : THREE_PREEMPTIONS, line(2)),
    make('both of two leave', [unlock, leave, leave], fewer, line(2)),
    make('both of two may time out', [unlock, waitTimed, waitTimed], TWO_PREEMPTIONS, line(2)),
    make('one comes before two that wait', [unlock, wait, wait, pass()], ONE_PREEMPTION, line(2)),
    // Words that an agent should have for itself are watched, too.
    make('an abort, every word watched', [pass(), passOrAbort], LOCAL, { watched: false }),
    make(
      'the first of two leaves, every word watched',
      [unlock, leave, wait],
      { ...LOCAL, preemptions: 1 },
      line(2, false),
    ),
  ];
}

/** What only a ticket lock has. Its line is the semaphore's, with models of its own. */
function ticketCases(core: LocksCore): Case[] {
  const make = maker(core, TICKET);
  const line = (waiters: number): More => ({ before: ownedWith(TICKET, waiters) });
  return [
    make('two agents', [pass(2), pass()], ALL),
    make('one of two may time out twice', [pass(), tryPass(2)], THREE_PREEMPTIONS, { start: WRAP }),
    make('a try without waiting', [pass(2), glance], ALL),
    make('three agents', [pass(), pass(), pass()], TWO_PREEMPTIONS),
    make('the first of two leaves', [unlock, leave, wait], TWO_PREEMPTIONS, line(2)),
    make('one comes before two that wait', [unlock, wait, wait, pass()], ONE_PREEMPTION, line(2)),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'locks', entry: new URL('entry.ts', import.meta.url), cases: lockCases, mutants: MUTANTS },
];
