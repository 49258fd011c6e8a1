// Scenarios in which agents die: before any kernel step, write or notification, or asleep. What a dead agent was
// putting in is not in, what it was taking is in still, what was promised to it is promised to the next one, and no
// agent waits for it.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { both, close, drain, pop, popNow, push, pushNow, tryPop, tryPush, untilClosed } from './buffer-bodies.ts';
import { maker, nothingLeft } from './buffer-cases.ts';
import type { BufferBody, BufferCore, More } from './buffer-world.ts';
import { DEATH_MUTANTS } from './mutants.ts';

const ONE: Options = { preemptions: 1 };
/** One more in the soak: that costs minutes. */
const NONE: Options = { preemptions: soakSize(0, 1) };

export function bufferDeathCases(core: BufferCore): Case[] {
  const buffer = maker(core);
  const make = (name: string, room: number, bodies: readonly BufferBody[], options: Options, more: More = {}): Case =>
    buffer(name, room, bodies, options, { mayCrash: [0], mayWait: true, turns: false, ...more });
  const two = { deaths: 2 };
  const int32 = { isInt32: true };
  const closing = { closes: true };
  const drained = { ...closing, final: nothingLeft };
  return [
    make('death of a producer', 1, [push(1), pop(), reclaim(0)], ONE),
    make('death of a consumer', 1, [pop(), push(1), reclaim(0)], ONE),
    make('death of a consumer before the next one comes', 1, [pop(), push(1), both(reclaim(0), pop())], NONE),
    make('death of a producer that waits', 1, [push(1, 1), pop(2), reclaim(0)], NONE),
    make('death of a consumer that comes twice', 1, [pop(2), push(1, 1), reclaim(0)], NONE),
    make('death of a producer before another', 1, [push(1), push(1), pop(2), reclaim(0)], NONE),
    make('death of a consumer before another', 1, [pop(), pop(), push(1, 1), reclaim(0)], NONE),
    make('death of a consumer beside one that may give up', 1, [pop(), tryPop(), push(1), reclaim(0)], NONE),
    make('death of one that may give up', 1, [tryPush(1, 1), pop(2), reclaim(0)], NONE),
    make('death of one that wants two units', 2, [push(1, 2), push(1), pop(), reclaim(0)], NONE),
    make('death of the agent that promises', 2, [push(1, 1), pop(), pop(), reclaim(0)], NONE),
    make('death beside looks', 1, [push(1), pushNow(1), popNow(2), reclaim(0)], NONE),
    make('death of a producer and of a consumer', 1, [push(1), pop(), reclaim(0, 1)], NONE, {
      mayCrash: [0, 1],
      ...two,
    }),
    make('death of a reclaimer', 1, [push(1), reclaim(0), both(reclaim(1, 0), popNow())], NONE, {
      mayCrash: [0, 1],
      ...two,
    }),
    make(
      'death of the closing agent',
      1,
      [close, untilClosed(push(1, 1)), drain, both(reclaim(0), close)],
      NONE,
      drained,
    ),
    make(
      'death of the closing agent while a producer waits',
      1,
      [close, untilClosed(push(1, 1)), untilClosed(pop()), reclaim(0)],
      NONE,
      closing,
    ),
    make('int32, death of a producer', 1, [push(1, 1), pop(2), reclaim(0)], ONE, int32),
    make('int32, death of a consumer', 1, [pop(2), push(1, 1), reclaim(0)], ONE, int32),
    make('int32, death of a producer before another', 1, [push(1), push(1), pop(2), reclaim(0)], NONE, int32),
    make('int32, death of a consumer before another', 1, [pop(), pop(), push(1, 1), reclaim(0)], NONE, int32),
    make(
      'death of a producer before a close',
      1,
      [untilClosed(push(1, 1)), drain, both(reclaim(0), close)],
      NONE,
      drained,
    ),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'buffer death',
    entry: new URL('entry.ts', import.meta.url),
    cases: bufferDeathCases,
    mutants: DEATH_MUTANTS,
  },
];
