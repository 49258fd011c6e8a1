// Scenarios in which the agent that recovers a dead one has not loaded the kind of buffers, and leaves the buffer to
// agents that have.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { close, pop, popNow, push, tryPop, untilClosed } from './buffer-bodies.ts';
import { maker } from './buffer-cases.ts';
import type { BufferBody, BufferCore, More } from './buffer-world.ts';
import { PENDING_MUTANTS } from './mutants.ts';

/**
 * One more in the soak: that costs minutes. Agents with the kind make one call each: what an agent knows of recoveries
 * that were left is no part of what `forget` keeps.
 */
const NONE: Options = { preemptions: soakSize(0, 1) };

export function bufferPendingCases(core: BufferCore): Case[] {
  const buffer = maker(core);
  const make = (name: string, room: number, bodies: readonly BufferBody[], more: More = {}): Case =>
    buffer(name, room, bodies, NONE, {
      mayCrash: [0],
      mayWait: true,
      turns: false,
      without: [bodies.length - 1],
      ...more,
    });
  return [
    make('a producer left to a consumer', 1, [push(1), pop(), reclaim(0)]),
    make('a consumer left to a producer', 1, [pop(), push(1), reclaim(0)]),
    make('a producer that waits left to a consumer', 1, [push(1, 1), pop(), reclaim(0)]),
    make('a consumer left to the next consumer', 1, [pop(), pop(), push(1), reclaim(0)]),
    make('a consumer left to one that may give up', 1, [pop(), tryPop(), push(1), reclaim(0)]),
    make('a producer left to one that looks once', 1, [push(1), popNow(), reclaim(0)]),
    make('one that closes left to both sides', 1, [close, untilClosed(push(1)), untilClosed(pop()), reclaim(0)], {
      closes: true,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'buffer pending',
    entry: new URL('entry.ts', import.meta.url),
    cases: bufferPendingCases,
    mutants: PENDING_MUTANTS,
  },
];
