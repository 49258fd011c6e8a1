// Recovery of the blocks that a dead agent had taken off the heap or out of use.

import {
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_OWNER,
  BLOCK_SIZE,
  FLAG_OWN_CHAIN,
  FLAGS,
  KIND_CLAIMED,
  LAST_BASE_KIND,
} from '../kernel/layout.ts';
import type { Words } from '../kernel/words.ts';
import { blocks, MAX_LINES } from '../memory/blocks.ts';
import { clearTags, isInHand } from '../memory/heap.ts';
import { endWaitsOfFreed } from '../agent/end-waits.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import type { AgentAddress } from '../kernel/addresses.ts';

/** Frees the blocks that the agent with that record had claimed or was freeing. Returns their number. */
export function freeBlocksInHand(context: AgentContext, record: AgentAddress, id: number): number {
  const { words, heap } = context;
  let freed = 0;
  for (const block of blocks(words)) {
    if (!isInHand(words, block, id)) continue;
    freed += 1;
    if (words.load32(block + BLOCK_KIND) === KIND_CLAIMED) heap.free(context, block);
    else {
      clearTags(words, block);
      endWaitsOfFreed(context, record, block, linesOf(words, block));
      heap.retire(context, block);
    }
  }
  return freed;
}

/** Frees the blocks that an agent of an ended thread had claimed before it had a record. */
export function freeBlocksOfJoiners(context: AgentContext, thread: number): void {
  const { words, heap } = context;
  for (const block of blocks(words)) {
    if (!isInHand(words, block, -thread)) continue;
    // Several agents may do this at once. Only one of them claims the block.
    if (words.cas32(block + BLOCK_OWNER, -thread, context.id) !== -thread) continue;
    if (words.load32(block + BLOCK_KIND) === KIND_CLAIMED) heap.free(context, block);
    // This is a retired block that the dead agent was looking at. Other agents may still refer to it.
    else heap.retire(context, block);
  }
}

/** Returns the number of lines that may have chains of their own, in a block that was taken out of use. */
function linesOf(words: Words, block: number): number {
  const first = block + BLOCK_LINE;
  const end = Math.min(block + words.get32(block + BLOCK_SIZE), block + MAX_LINES * BLOCK_LINE);
  // Count the lines whose kind equals the kind of the first line behind the block's own. Behind the lines there may be
  // bytes with any contents.
  let lines = 1;
  for (let line = first; line < end && hasOwnChain(words, line) && isEqualLine(words, line, first); line += BLOCK_LINE)
    lines += 1;
  return lines;
}

function hasOwnChain(words: Words, line: number): boolean {
  return words.load32(line + BLOCK_KIND) > LAST_BASE_KIND && (words.get32(line + FLAGS) & FLAG_OWN_CHAIN) !== 0;
}

function isEqualLine(words: Words, line: number, first: number): boolean {
  return [BLOCK_KIND, FLAGS].every((word) => words.load32(line + word) === words.load32(first + word));
}
