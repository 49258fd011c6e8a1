// Cases in which agents die: before any kernel step, write or notification, in the initialiser, or asleep.

import type { Options } from '@sluice/model';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import {
  close,
  failAndRun,
  finish,
  leave,
  run,
  runOrAbort,
  runOrClosed,
  sleep,
  sleepAndRun,
  tryRun,
  wait,
} from './once-bodies.ts';
import { onceCase, type OnceBody, type OnceCore, type OncePlan } from './once-world.ts';
import { DEATH_MUTANTS } from './once-mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const NO_PREEMPTION: Options = { preemptions: 0 };

/** Recovers agent 0 if it died, and then initialises if no other agent has. */
const rescue: OnceBody = (actor) => {
  reclaim(0)(actor);
  run(actor);
};

export function onceDeathCases(core: OnceCore): Case[] {
  const make = (name: string, bodies: readonly OnceBody[], options: Options, plan: OncePlan = {}): Case =>
    onceCase(core, name, bodies, options, { mayCrash: [0], ...plan });
  const twice = { mayCrash: [0, 2], deaths: 2 };
  return [
    make('death of an agent that runs an initialiser', [run, run, reclaim(0)], ALL),
    make('death of an agent that runs an initialiser while another sleeps', [finish(1), sleepAndRun, reclaim(0)], ALL, {
      runs: 0,
      asleep: [1],
    }),
    make('death of an agent that runs an initialiser while another waits', [run, wait, rescue], ONE_PREEMPTION),
    make('death of an agent whose initialiser throws', [failAndRun, run, reclaim(0)], ONE_PREEMPTION),
    make('death of an agent whose initialiser throws while another sleeps', [finish(0), sleepAndRun, reclaim(0)], ALL, {
      runs: 0,
      asleep: [1],
    }),
    make('death of a sleeper', [sleep, finish(1), reclaim(0)], ALL, { runs: 1, asleep: [0] }),
    make('death of a sleeper while an initialiser runs', [sleep, run, reclaim(0)], ONE_PREEMPTION, { asleep: [0] }),
    make('death of one of two sleepers', [sleepAndRun, sleepAndRun, finish(0), reclaim(0)], NO_PREEMPTION, {
      runs: 2,
      asleep: [0, 1],
    }),
    make('death of an agent whose call may time out', [tryRun, run, reclaim(0)], ONE_PREEMPTION),
    make('death of an agent whose call may be aborted', [runOrAbort, run, reclaim(0)], ONE_PREEMPTION),
    make('death of a sleeper that cancels', [leave, sleep, finish(1), reclaim(0)], NO_PREEMPTION, {
      runs: 2,
      asleep: [0, 1],
    }),
    make('death of an agent that closes the once', [close, runOrClosed, reclaim(0)], ALL, { ends: 'any' }),
    make('death of an agent that runs an initialiser while another closes', [runOrClosed, close, reclaim(0)], ALL, {
      ends: 'any',
    }),
    make(
      'death of an agent that runs an initialiser, then of its reclaimer',
      [finish(1), sleepAndRun, reclaim(0), reclaim(2, 0)],
      NO_PREEMPTION,
      { runs: 0, asleep: [1], ...twice },
    ),
    make('death of a sleeper, then of its reclaimer', [sleep, finish(1), reclaim(0), reclaim(2, 0)], NO_PREEMPTION, {
      runs: 1,
      asleep: [0],
      ...twice,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'once death', entry: new URL('entry.ts', import.meta.url), cases: onceDeathCases, mutants: DEATH_MUTANTS },
];
