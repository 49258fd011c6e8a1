// The end of a primitive: no line of it has waiters any more.

import { BLOCK_KIND, BLOCK_LINE, BLOCK_TAG } from '../kernel/layout.ts';
import { asLine, type AgentAddress, type BlockAddress } from '../kernel/addresses.ts';
import type { AgentContext } from './agent-context.ts';
import { ringBell } from './bell.ts';

/**
 * The second half of `freePrimitive`, for the agent with that record: ends every wait at a block that was taken out of
 * use.
 */
export function takeApart(context: AgentContext, agent: AgentAddress, address: BlockAddress, lines: number): void {
  const { kernel, words } = context;
  for (let line = 1; line < lines; line++) {
    words.store32(address + line * BLOCK_LINE + BLOCK_TAG, 0);
    // From here on any agent can walk what hangs at the line: all waiters there get the same verdict (kernel/chain.ts).
    words.store32(address + line * BLOCK_LINE + BLOCK_KIND, 0);
    kernel.detachTombstones(agent, asLine(address + line * BLOCK_LINE));
  }
  ringBell(context, address, 0);
  // Before the block is freed: the walk gives the elements that hang at its lines their verdicts.
  context.finishWalk(agent);
}
