// Cases of async calls on a buffer, as event loops drive them. Every wake-up, timeout and abort may come at any moment.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import {
  andTell,
  blocking,
  both,
  calls,
  close,
  closeSoon,
  loopOnce,
  orAbort,
  pop,
  popDuringClaim,
  popMany,
  push,
  pushMany,
  pushThenPopDuringClaim,
} from './async-bodies.ts';
import { AsyncBufferWorld } from './async-world.ts';
import type { BufferBody, BufferCore, More } from './buffer-world.ts';
import { ASYNC_MUTANTS } from './async-mutants.ts';

/** One preemption more in the soak, which costs minutes. */
const TWO: Options = { preemptions: soakSize(1, 2) };
const MORE: Options = { preemptions: soakSize(2, 3) };
const ONE: Options = { preemptions: 1 };
const NONE: Options = { preemptions: soakSize(0, 1) };

export function asyncBufferCases(core: BufferCore): Case[] {
  const make = (name: string, room: number, bodies: readonly BufferBody[], options: Options, more: More = {}): Case =>
    new AsyncBufferWorld(core, { agents: bodies.length, room, ...more }).case({ name, bodies, options, ...more });
  const may = { mayWait: true };
  const closing = { closes: true };
  const dying = { mayCrash: [0], ...may };
  return [
    make('an async push and a blocking pop', 1, [calls(push()), blocking(pop())], MORE),
    make('a blocking push and an async pop', 1, [blocking(push()), calls(pop())], MORE),
    make('an async push and an async pop', 1, [calls(push()), calls(pop())], MORE),
    make('two async pops of one agent', 1, [calls(pop(), pop()), blocking(push(), push())], TWO),
    make('two async pushes of one agent', 1, [calls(push(), push()), blocking(pop(), pop())], TWO),
    make(
      'async pops and a blocking pop',
      2,
      [calls(pop(), pop()), blocking(push(), push(), push()), blocking(pop())],
      NONE,
    ),
    make('async pops of two agents', 1, [calls(pop()), calls(pop()), blocking(push(), push())], ONE),
    make('async pushes of two agents', 1, [calls(push()), calls(push()), blocking(pop(), pop())], ONE),
    make('three async pops of one agent', 2, [calls(pop(), pop(), pop()), blocking(push(), push(), push())], NONE),
    make('an agent pushes and pops', 1, [calls(pop(), push()), blocking(push(), pop())], TWO),
    make('an async pop may be aborted', 1, [calls(pop('abort')), blocking(push())], MORE),
    make('an async pop may be aborted after its value came', 1, [orAbort(pop('abort')), andTell(push())], MORE),
    make(
      'an async push of two units may be aborted after its room came',
      2,
      [orAbort(push(), push('abort', 2)), andTell(pop())],
      TWO,
      may,
    ),
    make('an async push may be aborted', 1, [calls(push(), push('abort')), blocking(pop())], TWO),
    make('the first of two async pops may be aborted', 1, [calls(pop('abort'), pop()), blocking(push())], TWO, may),
    make(
      'the second of two async pops may be aborted',
      1,
      [calls(pop(), pop('abort')), blocking(push(), push())],
      TWO,
      may,
    ),
    make(
      'an async pop may be aborted while another agent blocks',
      1,
      [calls(pop('abort')), blocking(push()), blocking(pop())],
      ONE,
      may,
    ),
    make('an async pop may time out', 1, [calls(pop('timeout')), blocking(push())], MORE),
    make(
      'the first of two async pushes may time out',
      1,
      [calls(push(), push('timeout'), push()), blocking(pop(), pop())],
      NONE,
      may,
    ),
    make(
      'an async push of two units may be aborted while it is the head of the line',
      2,
      [calls(push(), push('abort', 2), push()), blocking(pop())],
      TWO,
      may,
    ),
    make(
      'an async push of two units waits as the head of the line',
      2,
      [calls(push(), push(undefined, 2)), blocking(pop(), pop())],
      TWO,
    ),
    make(
      'an async push of two units waits behind another push',
      2,
      [calls(push(undefined, 2), push(), push(undefined, 2)), blocking(pop(), pop(), pop())],
      ONE,
    ),
    make(
      'an async push of two units may be aborted while another agent pushes',
      2,
      [calls(push(), push('abort', 2)), blocking(pop()), calls(push())],
      NONE,
      may,
    ),
    make('calls for many values race', 2, [calls(pushMany(2)), calls(popMany(2), popMany(2))], TWO, may),
    make('close() while async pops wait', 1, [calls(pop(), pop()), close], TWO, closing),
    make(
      'close() races a push while async pops wait',
      1,
      [calls(pop(), pop()), both(blocking(push()), close)],
      TWO,
      closing,
    ),
    make(
      'close() races two pushes while async pops wait',
      2,
      [calls(pop(), pop()), both(blocking(push(), push()), close)],
      TWO,
      closing,
    ),
    make('closeAsync() while async pushes wait', 1, [calls(push(), push(), push()), closeSoon], TWO, closing),
    make(
      'closeAsync() races a pop and a push that may be aborted',
      1,
      [calls(pop('abort')), calls(push()), closeSoon],
      ONE,
      closing,
    ),
    make('a loop ends early', 1, [loopOnce, blocking(push())], MORE, may),
    make('a loop ends early while there is no value', 1, [loopOnce, blocking(pop('timeout'))], MORE, may),
    make('a loop ends early while another agent pops', 1, [loopOnce, blocking(push()), calls(pop())], ONE, may),
    make('an async pop begins during a claim of its agent', 2, [popDuringClaim, blocking(push(), pop())], ONE),
    make(
      'an async pop makes room during a claim of its agent',
      2,
      [pushThenPopDuringClaim, blocking(push(undefined, 2))],
      ONE,
      may,
    ),
    make('death of an agent with an async pop', 1, [calls(pop()), blocking(push()), reclaim(0)], ONE, dying),
    make(
      'death of an agent with two async pops ahead of another agent',
      1,
      [calls(pop(), pop()), blocking(push()), both(reclaim(0), calls(pop()))],
      NONE,
      dying,
    ),
    make('death of an agent with async pushes', 1, [calls(push(), push()), calls(pop()), reclaim(0)], NONE, dying),
    make(
      'death of an agent that pushes while an async pop waits',
      1,
      [blocking(push()), calls(pop('abort')), reclaim(0)],
      NONE,
      dying,
    ),
    make(
      'death of the head of a line',
      2,
      [calls(push(), push(undefined, 2)), blocking(pop()), both(reclaim(0), calls(push()))],
      NONE,
      dying,
    ),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'async buffer',
    entry: new URL('entry.ts', import.meta.url),
    lowered: true,
    cases: asyncBufferCases,
    mutants: ASYNC_MUTANTS,
  },
];
