// Scenarios of the slots of two keys and of both together.

import type { Options } from '@sluice/model';
import { soakSize } from '@sluice/harness';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { SLOTS_MUTANTS } from './slots-mutants.ts';
import { bury, giveUp, run, SlotsWorld, tryRun, type Plan, type SlotsBody, type SlotsCore } from './slots-world.ts';

const TWO: Options = { preemptions: 2 };
/** One preemption more in the soak, which costs minutes. */
const FEW: Options = { preemptions: soakSize(1, 2) };

export function slotsCases(core: SlotsCore): Case[] {
  const make = (
    name: string,
    sizes: readonly [number, number],
    bodies: readonly SlotsBody[],
    options: Options,
    more: Partial<Plan> = {},
  ): Case => new SlotsWorld(core, { name, sizes, bodies, options, ...more }).case;
  return [
    make('two calls of one key', [1, 1], [run('a'), run('a')], TWO),
    make('calls of two keys share one slot', [1, 1], [run('a'), run('b')], TWO),
    make('a call that runs only at once beside another key', [1, 1], [run('a'), tryRun('b')], TWO),
    make('two calls of one key beside one of another', [1, 1], [run('a'), run('a'), run('b')], FEW),
    make('calls of a key with two slots beside one of another', [2, 1], [run('a'), run('a'), run('b')], FEW),
    make('two slots for both keys', [1, 2], [run('a'), run('a'), run('b')], FEW),
    make('a call gives up at its key', [1, 2], [run('a'), giveUp('a')], TWO, { givesUp: true }),
    make('a call gives up at the slots of all keys', [1, 1], [run('a'), giveUp('b')], TWO, { givesUp: true }),
    make('two calls give up', [1, 1], [run('a'), giveUp('a'), giveUp('b')], FEW, { givesUp: true }),
    make('death of a call', [1, 1], [run('a'), bury(0)], TWO, { mayCrash: [0], givesUp: true }),
    make('death of a call while another waits', [1, 1], [run('a'), run('b'), bury(0)], FEW, {
      mayCrash: [0],
      givesUp: true,
    }),
    make('death of a call that gives up', [1, 1], [giveUp('b'), run('a'), bury(0)], FEW, {
      mayCrash: [0],
      givesUp: true,
    }),
    make('two calls of a key in turns', [1, 1], [run('a', 2), run('b')], TWO),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'keyed limit', entry: new URL('slots-entry.ts', import.meta.url), cases: slotsCases, mutants: SLOTS_MUTANTS },
];
