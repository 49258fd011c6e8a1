// Cases in which agents die: before any kernel step, write or notification, or asleep. A value that a dead agent was
// writing is not in the buffer, and one that it was reading is still there. Units granted to it are granted to the next
// waiter, and no agent waits for it.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { both, close, drain, pop, popNow, push, pushNow, tryPop, tryPush, untilClosed } from './buffer-bodies.ts';
import { maker, nothingLeft } from './buffer-cases.ts';
import type { BufferBody, BufferCore, More } from './buffer-world.ts';
import { DEATH_MUTANTS } from './mutants.ts';

const ONE: Options = { preemptions: 1 };
/** One preemption more in the soak, which costs minutes. */
const NONE: Options = { preemptions: soakSize(0, 1) };

export function bufferDeathCases(core: BufferCore): Case[] {
  const buffer = maker(core);
  const make = (name: string, room: number, bodies: readonly BufferBody[], options: Options, more: More = {}): Case =>
    buffer(name, room, bodies, options, { mayCrash: [0], mayWait: true, inOrder: false, ...more });
  const two = { deaths: 2 };
  const int32 = { isInt32: true };
  const closing = { closes: true };
  const drained = { ...closing, final: nothingLeft };
  return [
    make('death of a producer', 1, [push(1), pop(), reclaim(0)], ONE),
    make('death of a consumer', 1, [pop(), push(1), reclaim(0)], ONE),
    make('death of a consumer before the next one arrives', 1, [pop(), push(1), both(reclaim(0), pop())], NONE),
    make('death of a producer of two values', 1, [push(1, 1), pop(2), reclaim(0)], NONE),
    make('death of a consumer of two values', 1, [pop(2), push(1, 1), reclaim(0)], NONE),
    make('death of a producer ahead of another', 1, [push(1), push(1), pop(2), reclaim(0)], NONE),
    make('death of a consumer ahead of another', 1, [pop(), pop(), push(1, 1), reclaim(0)], NONE),
    make('death of a consumer beside one that may time out', 1, [pop(), tryPop(), push(1), reclaim(0)], NONE),
    make('death of a producer that may time out', 1, [tryPush(1, 1), pop(2), reclaim(0)], NONE),
    make('death of a producer that needs two units', 2, [push(1, 2), push(1), pop(), reclaim(0)], NONE),
    make('death of the agent that grants units', 2, [push(1, 1), pop(), pop(), reclaim(0)], NONE),
    make('death of a producer while non-blocking calls race', 1, [push(1), pushNow(1), popNow(2), reclaim(0)], NONE),
    make('death of a producer and a consumer', 1, [push(1), pop(), reclaim(0, 1)], NONE, {
      mayCrash: [0, 1],
      ...two,
    }),
    make('death of a producer, then of its reclaimer', 1, [push(1), reclaim(0), both(reclaim(1, 0), popNow())], NONE, {
      mayCrash: [0, 1],
      ...two,
    }),
    make(
      'death of the agent that closes',
      1,
      [close, untilClosed(push(1, 1)), drain, both(reclaim(0), close)],
      NONE,
      drained,
    ),
    make(
      'death of the agent that closes while a producer waits',
      1,
      [close, untilClosed(push(1, 1)), untilClosed(pop()), reclaim(0)],
      NONE,
      closing,
    ),
    make('int32: death of a producer', 1, [push(1, 1), pop(2), reclaim(0)], ONE, int32),
    make('int32: death of a consumer', 1, [pop(2), push(1, 1), reclaim(0)], ONE, int32),
    make('int32: death of a producer ahead of another', 1, [push(1), push(1), pop(2), reclaim(0)], NONE, int32),
    make('int32: death of a consumer ahead of another', 1, [pop(), pop(), push(1, 1), reclaim(0)], NONE, int32),
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
