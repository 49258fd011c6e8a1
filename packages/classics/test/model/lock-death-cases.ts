// Cases in which agents die: before any kernel step, write or notification, or asleep. The next owner learns of the
// death, unless the dead owner never knew that it was the owner.

import type { Options } from '@sluice/model';
import { checkNotice } from '../../../core/test/model/notice.ts';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import {
  change,
  changeAsOwner,
  leaveCrashing,
  passOrAbort,
  reclaimAndRefill,
  returnCrashing,
  runInside,
  tryChange,
  waitCrashing,
} from './lock-bodies.ts';
import { maker, type More } from './lock-cases.ts';
import { LIFO, MCS, RECIPROCATING, TICKET, TTS, type LockKind, type LocksCore } from './lock-kinds.ts';
import { ownedWith, type LockBody } from './lock-world.ts';
import { DEATH_MUTANTS } from './mutants.ts';

const ALL: Options = {};
const NO_PREEMPTION: Options = { preemptions: 0 };
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const TWO_DEATHS: More = { mayCrash: [0, 1], deaths: 2 };

type Make = (name: string, bodies: readonly LockBody[], options: Options, more?: More) => Case;

export function lockDeathCases(core: LocksCore): Case[] {
  return [
    ...[TTS, MCS, LIFO, RECIPROCATING].flatMap((kind) => casesOf(kind, mayCrash(core, kind))),
    // The queued locks differ in the waiter that they admit next, but not in their recovery.
    ...[TTS, MCS].flatMap((kind) => casesOfTwo(mayCrash(core, kind))),
    ...ticketCases(mayCrash(core, TICKET)),
  ];
}

function mayCrash(core: LocksCore, kind: LockKind): Make {
  const make = maker(core, kind);
  return (name, bodies, options, more) => make(name, bodies, options, { mayCrash: [0], final: checkNotice, ...more });
}

function casesOf(kind: LockKind, make: Make): Case[] {
  const line = (waiters: number, victim: number): More => ({ before: ownedWith(kind, waiters), mayCrash: [victim] });
  const calm = kind === TTS ? NO_PREEMPTION : ONE_PREEMPTION;
  return [
    make('death of one of two agents', [change, change, reclaim(0)], TWO_PREEMPTIONS),
    make('death of an agent that may time out', [tryChange, change, reclaim(0)], TWO_PREEMPTIONS),
    make('death of an agent while another may time out', [change, tryChange, reclaim(0)], TWO_PREEMPTIONS),
    make('death of an async waiter', [passOrAbort, change, reclaim(0)], TWO_PREEMPTIONS),
    make('death of an agent while another runs a body', [change, runInside, reclaim(0)], ONE_PREEMPTION),
    make('death of a waiter', [changeAsOwner, waitCrashing, reclaimAndRefill(1)], ALL, { ...line(1, 1), elements: 2 }),
    make('death of a waiter that cancels', [changeAsOwner, leaveCrashing, reclaimAndRefill(1)], ALL, {
      ...line(1, 1),
      elements: 2,
    }),
    make(
      'death of a waiter that cancels and comes back',
      [changeAsOwner, returnCrashing, reclaim(1)],
      TWO_PREEMPTIONS,
      line(1, 1),
    ),
    make(
      'death of the first of two waiters',
      [changeAsOwner, waitCrashing, waitCrashing, reclaim(1)],
      ONE_PREEMPTION,
      line(2, 1),
    ),
    make(
      'death of the last of two waiters',
      [changeAsOwner, waitCrashing, waitCrashing, reclaim(2)],
      ONE_PREEMPTION,
      line(2, 2),
    ),
    make(
      'death of the first of two waiters, and the last cancels',
      [changeAsOwner, waitCrashing, leaveCrashing, reclaim(1)],
      calm,
      line(2, 1),
    ),
    make(
      'death of a waiter ahead of another',
      [changeAsOwner, waitCrashing, change, reclaim(1)],
      NO_PREEMPTION,
      line(1, 1),
    ),
    make('death of one of three agents', [change, tryChange, change, reclaim(0)], NO_PREEMPTION),
  ];
}

/** Cases in which two agents die. */
function casesOfTwo(make: Make): Case[] {
  return [
    make(
      'death of an owner, then of the next owner',
      [change, change, change, reclaim(0, 1)],
      NO_PREEMPTION,
      TWO_DEATHS,
    ),
    make('death of an owner, then of its reclaimer', [change, change, reclaim(0), reclaim(2, 0)], NO_PREEMPTION, {
      mayCrash: [0, 2],
      deaths: 2,
    }),
  ];
}

/** Cases of the ticket lock alone: a ledger names its owner. */
function ticketCases(make: Make): Case[] {
  return [
    make('death of one of two agents', [change, change, reclaim(0)], TWO_PREEMPTIONS),
    make('death of an agent while another runs a body', [change, runInside, reclaim(0)], ONE_PREEMPTION),
    make(
      'death of an owner, then of the next owner',
      [change, change, change, reclaim(0, 1)],
      NO_PREEMPTION,
      TWO_DEATHS,
    ),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'locks death', entry: new URL('entry.ts', import.meta.url), cases: lockDeathCases, mutants: DEATH_MUTANTS },
];
