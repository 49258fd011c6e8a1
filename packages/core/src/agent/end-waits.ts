// Ends the waits at a primitive that is being freed.

import { BLOCK_KIND, BLOCK_LINE, BLOCK_TAG } from '../kernel/layout.ts';
import { asLine, type AgentAddress, type BlockAddress } from '../kernel/addresses.ts';
import type { AgentContext } from './agent-context.ts';
import { wakeSleepers } from './sleep-word.ts';

/**
 * Does the second half of `freePrimitive`: ends every wait at a block that was taken out of use. `agent` is the record
 * of the agent that frees the block.
 */
export function endWaitsOfFreed(
  context: AgentContext,
  agent: AgentAddress,
  address: BlockAddress,
  lines: number,
): void {
  const { kernel, words } = context;
  for (let line = 1; line < lines; line++) {
    words.store32(address + line * BLOCK_LINE + BLOCK_TAG, 0);
    // From here on any agent can walk the elements at the line: all waiters there get the same verdict
    // (kernel/chain.ts).
    words.store32(address + line * BLOCK_LINE + BLOCK_KIND, 0);
    kernel.detachTombstones(agent, asLine(address + line * BLOCK_LINE));
  }
  wakeSleepers(context, address, 0);
  // Walk before the block is freed: the walk gives the elements at its lines their verdicts.
  context.finishWalk(agent);
}
