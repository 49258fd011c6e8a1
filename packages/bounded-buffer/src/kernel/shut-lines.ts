// The lines of a buffer that is closed: their tags become negative. Words and invariants: sides.ts.

import { AGENT_SWEEP, BLOCK_TAG, HEADER_BUCKET_MASK, type AgentAddress, type LineAddress } from '@sluice/core/format';
import { cas32, get32, load32, put32 } from '@sluice/core/kernel';
import { isClosed, moreOf, otherOf, semaphoreOf, unitsNow } from './sides.ts';

/** Closes both lines: that of the consumers only once the buffer is empty. */
export function shutBoth(producers: LineAddress, agent: AgentAddress): void {
  shutSide(producers, agent);
  shutWhenEmpty(otherOf(producers), agent);
}

/**
 * Closes the consumers' line once the buffer is closed and empty. Until then waiting consumers are served in FIFO
 * order.
 */
export function shutWhenEmpty(consumers: LineAddress, agent: AgentAddress): boolean {
  if (!isClosed(otherOf(consumers)) || isClosed(consumers) || unitsNow(consumers) !== 0) return false;
  shutSide(consumers, agent);
  return true;
}

/** Closes a line of a side. May be repeated. */
function shutSide(side: LineAddress, agent: AgentAddress): void {
  shut(moreOf(side));
  shut(semaphoreOf(side));
  put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);
}

function shut(line: LineAddress): void {
  const tag = load32(line + BLOCK_TAG);
  if (tag > 0) cas32(line + BLOCK_TAG, tag, -tag);
}
