// Cases of the locks. Each is small enough for a complete search, or for a complete search within a bound on
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

/** A value just below those at which 64-bit counters lose precision. */
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
  // This lock has many more states: a woken waiter parks again each time another agent is faster.
  const competing = kind === TTS;
  const fewer = competing ? ONE_PREEMPTION : TWO_PREEMPTIONS;
  return [
    make('two agents', [pass(2), pass(competing ? 1 : 2)], ALL),
    make('one of two agents may time out', [pass(competing ? 1 : 2), tryPass()], ALL),
    make('both agents may time out, one of them twice', [tryPass(), tryPass(2)], THREE_PREEMPTIONS),
    make('a non-blocking call', [pass(2), glance], ALL),
    make('an abort races a handover', [pass(), passOrAbort], ALL),
    make('three agents', [pass(), pass(), pass()], TWO_PREEMPTIONS),
    make('three agents, all of which may time out', [tryPass(), tryPass(), tryPass()], TWO_PREEMPTIONS),
    make('a waiter cancels while another agent arrives', [unlock, leave, pass()], TWO_PREEMPTIONS, line(1)),
    make('an agent arrives behind a waiter', [unlock, wait, pass()], TWO_PREEMPTIONS, line(1)),
    make('a cancelling waiter does not wait for the next owner', [unlock, leave, passAfter(1)], fewer, line(1)),
    make('a waiter cancels twice', [unlock, leaveAndTry, wait], fewer, line(2)),
    make('a waiter cancels and comes back', [unlock, leaveAndReturn], ALL, line(1)),
    make('the first of two waiters cancels and comes back', [unlock, leaveAndReturn, wait], ONE_PREEMPTION, line(2)),
    make(
      'the first of two waiters cancels',
      [unlock, leave, wait],
      competing ? TWO_PREEMPTIONS : THREE_PREEMPTIONS,
      line(2),
    ),
    make(
      'the last of two waiters cancels',
      [unlock, wait, leave],
      competing ? TWO_PREEMPTIONS : THREE_PREEMPTIONS,
      line(2),
    ),
    make('both of two waiters cancel', [unlock, leave, leave], fewer, line(2)),
    make('both of two waiters may time out', [unlock, waitTimed, waitTimed], TWO_PREEMPTIONS, line(2)),
    make('an agent arrives while two wait', [unlock, wait, wait, pass()], ONE_PREEMPTION, line(2)),
    // Every word is watched, even words that only one agent should use.
    make('an abort races a handover, every word watched', [pass(), passOrAbort], LOCAL, { watched: false }),
    make(
      'the first of two waiters cancels, every word watched',
      [unlock, leave, wait],
      { ...LOCAL, preemptions: 1 },
      line(2, false),
    ),
  ];
}

/** Cases of the ticket lock alone. Its queue is the semaphore's, which has models of its own. */
function ticketCases(core: LocksCore): Case[] {
  const make = maker(core, TICKET);
  const line = (waiters: number): More => ({ before: ownedWith(TICKET, waiters) });
  return [
    make('two agents', [pass(2), pass()], ALL),
    make('one of two agents may time out twice', [pass(), tryPass(2)], THREE_PREEMPTIONS, { start: WRAP }),
    make('a non-blocking call', [pass(2), glance], ALL),
    make('three agents', [pass(), pass(), pass()], TWO_PREEMPTIONS),
    make('the first of two waiters cancels', [unlock, leave, wait], TWO_PREEMPTIONS, line(2)),
    make('an agent arrives while two wait', [unlock, wait, wait, pass()], ONE_PREEMPTION, line(2)),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'locks', entry: new URL('entry.ts', import.meta.url), cases: lockCases, mutants: MUTANTS },
];
