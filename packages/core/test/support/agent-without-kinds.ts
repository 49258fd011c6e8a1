// An agent that has not loaded the kinds of the other agents.

import { contextOf } from '../../src/arena/arena.ts';
import { Arena } from '../../src/index.ts';
import { LAYOUT_VERSION } from '../../src/kernel/layout.ts';
import type { Agent, World } from './crash-world.ts';
import { bornAs, Life } from './crash.ts';

/** Joins the arena of `first` without the kinds that `World.join` loads. */
export function joinWithoutKinds(world: World, first: Agent): Arena {
  const { memory } = world;
  const arena = world.handle({ kind: 'sluice.arena', layout: LAYOUT_VERSION, memory, arena: '' }, first).arena;
  return bornAs(new Life(world.lot), () => {
    const id = (BigInt(`0x${arena}`) + 0x1000_0000n).toString(16).padStart(16, '0');
    const other = { arena: { id } } as unknown as Agent;
    const joined = Arena.from(world.handle({ kind: 'sluice.arena', layout: LAYOUT_VERSION, memory, arena: id }, other));
    contextOf(joined);
    return joined;
  });
}
