// Cases of selections while other agents call: each takes from one source, and leaves no wait and no value behind.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { blocking, both, calls, pop, push } from './async-bodies.ts';
import { AsyncBufferWorld } from './async-world.ts';
import type { BufferBody, BufferCore, More } from './buffer-world.ts';
import { declining, selecting } from './select-bodies.ts';
import { SELECT_MUTANTS } from './select-mutants.ts';

const TWO: Options = { preemptions: soakSize(2, 3) };
const ONE: Options = { preemptions: 1 };
const NONE: Options = { preemptions: soakSize(0, 1) };

export function selectCases(core: BufferCore): Case[] {
  const make = (name: string, room: number, bodies: readonly BufferBody[], options: Options, more: More = {}): Case =>
    new AsyncBufferWorld(core, { agents: bodies.length, room, ...more }).case({ name, bodies, options, ...more });
  const may = { mayWait: true };
  return [
    make('a pop that declines leaves the value', 1, [declining('take'), blocking(push())], TWO, may),
    make('a pop that declines admits the next head', 1, [declining('take'), blocking(push()), calls(pop())], NONE, may),
    make('a push that declines leaves the room', 1, [declining('put'), blocking(push(), pop())], TWO, may),
    make('a selection of one source', 1, [selecting(['take']), blocking(push())], TWO),
    make(
      'a selection of two takes consumes one value',
      2,
      [selecting(['take', 'take']), blocking(push(), push(), pop())],
      ONE,
    ),
    make(
      'a selection of two takes leaves the second value to another agent',
      2,
      [selecting(['take', 'take']), blocking(push(), push()), blocking(pop())],
      NONE,
    ),
    make(
      'a selection of two puts adds one value',
      1,
      [selecting(['put', 'put']), blocking(push()), blocking(pop(), pop())],
      NONE,
    ),
    make(
      'several selections of two takes',
      2,
      [selecting(['take', 'take'], { rounds: 2 }), blocking(push(), push())],
      ONE,
    ),
    make(
      'selections of takes and puts',
      1,
      [selecting(['take', 'put'], { rounds: 2 }), selecting(['take', 'put'], { rounds: 2 })],
      ONE,
      may,
    ),
    make(
      'a selection may be aborted',
      1,
      [selecting(['take', 'take'], { mayAbort: true }), blocking(push())],
      ONE,
      may,
    ),
    make(
      'a selection may be aborted while another consumer waits',
      1,
      [selecting(['take', 'take'], { mayAbort: true }), blocking(push()), calls(pop())],
      NONE,
      may,
    ),
    make(
      'death of an agent with a selection',
      1,
      [selecting(['take', 'take']), blocking(push()), both(reclaim(0), calls(pop()))],
      NONE,
      { mayCrash: [0], ...may },
    ),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'selections',
    entry: new URL('entry.ts', import.meta.url),
    lowered: true,
    cases: selectCases,
    mutants: SELECT_MUTANTS,
  },
];
