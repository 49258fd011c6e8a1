// Cases whose agents record their calls and results, with a clock among the words. The history of each schedule is
// checked as the stress test checks those of real workers. The cases are small, because the clock makes any two calls
// conflict.

import { soakSize } from '@sluice/harness';
import { checkHistory } from '@sluice/linear';
import type { Options } from '@sluice/model';
import type { Case, Model } from '../../../core/test/model/case.ts';
import * as bodies from './buffer-bodies.ts';
import { maker } from './buffer-cases.ts';
import { roomOf } from './buffer-places.ts';
import type { BufferBody, BufferCore, More } from './buffer-world.ts';
import { unitsIn } from './cells.ts';
import { historyOf, HISTORY_BYTES, recorded } from './history-tape.ts';
import { HISTORY_MUTANTS } from './history-mutants.ts';

const { both, close, drain, pop, popMany, popNow, push, pushMany, pushNow, tryPop, tryPush, untilClosed } = bodies;

const ALL: Options = {};
const ONE: Options = { preemptions: 1 };
const FEW: Options = { preemptions: soakSize(1, 2) };
/** One preemption more in the soak, which costs minutes. */
const NONE: Options = { preemptions: soakSize(0, 1) };

export function historyCases(core: BufferCore): Case[] {
  const plain = maker(core);
  const make = (name: string, room: number, bodies: readonly BufferBody[], options: Options, more: More = {}): Case => {
    const { scenario } = plain(`history of ${name}`, room, bodies.map(recorded), options, { inOrder: false, ...more });
    const final: typeof scenario.final = (words, outcomes) => {
      const wrong = scenario.final?.(words, outcomes);
      if (wrong !== undefined && wrong !== true) return wrong;
      const { linearizable, reason = '' } = checkHistory(historyOf(words), { room: roomOf(words), unitsOf: unitsIn });
      return linearizable === true ? undefined : `not linearizable: ${reason}`;
    };
    return { scenario: { ...scenario, bytes: HISTORY_BYTES, final }, options };
  };
  const closing = { closes: true };
  return [
    make('two producers and a consumer', 1, [push(1), push(1), pop()], ONE),
    make('a producer and two consumers', 2, [push(1, 1), pop(), pop()], ONE),
    make('values that go to waiters in queue order', 2, [pushMany(2), pop(), pop()], ONE),
    make('two producers and a consumer, more values', 2, [push(1, 1), push(1), pop(3)], NONE),
    make('a producer and two consumers, more values', 1, [push(1, 1, 1), pop(2), pop()], NONE),
    make('non-blocking calls', 1, [pushNow(1, 1), popNow(2)], ALL),
    make('non-blocking calls while agents wait', 1, [push(1, 1), popNow(2)], FEW, { mayWait: true }),
    make('producers and consumers that may time out', 1, [tryPush(1, 1), tryPop()], ONE),
    make('calls for many values and non-blocking calls', 2, [pushMany(3), both(popMany(2), popNow(2))], ONE, {
      mayWait: true,
    }),
    make('a value of two units beside one of one unit', 2, [push(2), push(1), pop(2)], NONE),
    make('close() and a push', 1, [close, untilClosed(push(1)), drain], ONE, closing),
    make(
      'close() and non-blocking calls',
      1,
      [close, both(untilClosed(pushNow(1)), untilClosed(popNow(2)))],
      ONE,
      closing,
    ),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'buffer history',
    entry: new URL('entry.ts', import.meta.url),
    cases: historyCases,
    mutants: HISTORY_MUTANTS,
  },
];
