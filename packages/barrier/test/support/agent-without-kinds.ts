// An agent that has not loaded the kinds of this package.

import { contextOf } from '../../../core/src/arena/arena.ts';
import { Arena } from '../../../core/src/index.ts';
import { LAYOUT_VERSION } from '../../../core/src/kernel/layout.ts';
import type { Agent, World } from '../../../core/test/support/crash-world.ts';
import { bornAs, Life } from '../../../core/test/support/crash.ts';

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
