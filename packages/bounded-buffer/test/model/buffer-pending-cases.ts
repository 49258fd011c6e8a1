// Cases in which the agent that recovers a dead one has not loaded the kind of buffers, and leaves the recovery to
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
 * One preemption more in the soak, which costs minutes. Agents with the kind make one call each: `forget` does not keep
 * what an agent knows of pending recoveries.
 */
const NONE: Options = { preemptions: soakSize(0, 1) };

export function bufferPendingCases(core: BufferCore): Case[] {
  const buffer = maker(core);
  const make = (name: string, room: number, bodies: readonly BufferBody[], more: More = {}): Case =>
    buffer(name, room, bodies, NONE, {
      mayCrash: [0],
      mayWait: true,
      inOrder: false,
      without: [bodies.length - 1],
      ...more,
    });
  return [
    make('recovery of a producer is left to a consumer', 1, [push(1), pop(), reclaim(0)]),
    make('recovery of a consumer is left to a producer', 1, [pop(), push(1), reclaim(0)]),
    make('recovery of a waiting producer is left to a consumer', 1, [push(1, 1), pop(), reclaim(0)]),
    make('recovery of a consumer is left to the next consumer', 1, [pop(), pop(), push(1), reclaim(0)]),
    make('recovery of a consumer is left to a consumer that may time out', 1, [pop(), tryPop(), push(1), reclaim(0)]),
    make('recovery of a producer is left to a non-blocking producer', 1, [push(1), popNow(), reclaim(0)]),
    make(
      'recovery of an agent that closes is left to both sides',
      1,
      [close, untilClosed(push(1)), untilClosed(pop()), reclaim(0)],
      {
        closes: true,
      },
    ),
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
