// Cases of the once. Each is small enough for a complete search, or for a complete search within a bound on
// preemptions.

import { STUCK, type Options, type Words } from '@sluice/model';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { ONCE_CLOSED, ONCE_IDLE } from '../../src/kernel/layout.ts';
import {
  close,
  CLOSED,
  failAndRun,
  failing,
  finish,
  glance,
  leave,
  run,
  runAndClose,
  runOrAbort,
  runOrClosed,
  runTwice,
  sleep,
  sleepAndRun,
  tryRun,
  tryWait,
  wait,
  waitOrClosed,
} from './once-bodies.ts';
import { IS_DONE, onceCase, stateAt, type OnceBody, type OnceCore, type OncePlan } from './once-world.ts';
import { MUTANTS } from './once-mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const LOCAL: Options = { preemptions: 1, scheduleLocal: true };

/** Checks that a wait lasts forever only while no initialiser runs and none has returned. */
export const idle = (words: Words, outcomes: readonly unknown[]): string | undefined =>
  stateAt(words) === ONCE_IDLE || !outcomes.includes(STUCK)
    ? undefined
    : `an agent waits forever in state ${stateAt(words)}`;
/** Checks that the once is closed if an agent closed it, and otherwise done. */
const doneOrClosed = (words: Words, outcomes: readonly unknown[]): string | undefined => {
  const state = stateAt(words);
  const isRight = outcomes.includes(CLOSED) ? state === ONCE_CLOSED : state === IS_DONE;
  return isRight ? undefined : `the state ends as ${state} after ${outcomes.map(String).join(', ')}`;
};

export function onceCases(core: OnceCore): Case[] {
  const make = (name: string, bodies: readonly OnceBody[], options: Options, plan: OncePlan = {}): Case =>
    onceCase(core, name, bodies, options, plan);
  const any = { ends: 'any' } as const;
  return [
    make('two agents call', [run, run], ALL),
    make('two agents call, one of them twice', [runTwice, run], ALL),
    make('three agents call', [run, run, run], TWO_PREEMPTIONS),
    make('an initialiser throws', [failing, run], ALL),
    make('an initialiser throws, and its agent tries again', [failAndRun, run], TWO_PREEMPTIONS),
    make('two initialisers throw', [failing, failing, run], ONE_PREEMPTION),
    make('an agent waits while another calls', [run, wait], ALL),
    make('an agent waits while an initialiser throws', [failAndRun, wait], TWO_PREEMPTIONS),
    make('an agent waits while two others call', [run, run, wait], TWO_PREEMPTIONS),
    make('an agent waits while no initialiser returns', [failing, wait], ALL, { ends: ONCE_IDLE, stuck: idle }),
    make('a call may time out', [run, tryRun], ALL),
    make('a call may time out while an initialiser throws', [failing, tryRun], TWO_PREEMPTIONS, any),
    make('a non-blocking call', [run, glance], ALL),
    make('a wait may time out', [run, tryWait], ALL),
    make('a call may be aborted', [run, runOrAbort], ALL),
    make('a call may be aborted while an initialiser throws', [failing, runOrAbort], TWO_PREEMPTIONS, any),
    make('one of three calls may be aborted', [run, runOrAbort, run], ONE_PREEMPTION),
    make('a sleeper, and an initialiser that returns', [finish(1), sleep], ALL, { runs: 0, asleep: [1] }),
    make('two sleepers, and an initialiser that returns', [finish(1), sleep, sleepAndRun], TWO_PREEMPTIONS, {
      runs: 0,
      asleep: [1, 2],
    }),
    make('a sleeper, and an initialiser that throws', [finish(0), sleepAndRun], ALL, { runs: 0, asleep: [1] }),
    make('two sleepers, and an initialiser that throws', [finish(0), sleepAndRun, sleepAndRun], TWO_PREEMPTIONS, {
      runs: 0,
      asleep: [1, 2],
    }),
    make('one of two sleepers cancels', [finish(1), sleep, leave], TWO_PREEMPTIONS, { runs: 0, asleep: [1, 2] }),
    make('two sleepers cancel while an initialiser runs', [leave, leave, finish(1)], ONE_PREEMPTION, {
      runs: 2,
      asleep: [0, 1],
    }),
    make('a sleeper before the first attempt', [run, sleep], ALL, { asleep: [1] }),
    make('two buckets', [finish(1), leave, sleep], TWO_PREEMPTIONS, { runs: 0, asleep: [1, 2], buckets: 2 }),
    make('every word watched', [finish(0), sleepAndRun], LOCAL, { runs: 0, asleep: [1] }),
    ...[0x7fffffff, -1].map((attempts) =>
      make(`the counter of attempts starts at ${attempts}`, [finish(0), sleepAndRun, run], ONE_PREEMPTION, {
        attempts,
        runs: 0,
        asleep: [1],
      }),
    ),
    make('close() of a completed once', [runAndClose, run], ALL),
    make('close() races a call', [close, runOrClosed], ALL, { ...any, final: doneOrClosed }),
    make('close() races a call and a wait', [close, runOrClosed, waitOrClosed], TWO_PREEMPTIONS, {
      ...any,
      final: doneOrClosed,
    }),
    make('close() while an initialiser runs', [finish(1), close, waitOrClosed], TWO_PREEMPTIONS, {
      ...any,
      runs: 0,
      final: doneOrClosed,
    }),
    make('close() while an initialiser throws', [finish(0), close, runOrClosed], TWO_PREEMPTIONS, {
      ...any,
      runs: 0,
      final: doneOrClosed,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'once', entry: new URL('entry.ts', import.meta.url), cases: onceCases, mutants: MUTANTS },
];
