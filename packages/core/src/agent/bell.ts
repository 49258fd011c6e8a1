// Rings the bell of a line with FLAG_BELL, for agents that have not loaded the line's kind. The blocked waiters of such
// a line sleep on the word BELL, not at the gates of their elements. Bit 0 of the word belongs to the kind. When the
// bits above it change, a waiter checks again.
//
// A waiter reads BELL, then the line's tag and HEADER_PENDING, and sleeps only if BELL is unchanged. An agent that
// changes the tag or HEADER_PENDING rings afterwards. If the agent dies before it rings, its recovery frees the block
// or notifies the waiters of the pending recovery, and rings.

import type { AgentAddress } from '../kernel/addresses.ts';
import { AGENT_DUTY, AGENT_DUTY_KIND, AGENT_HAZARD, BELL, BLOCK_TAG, FLAG_BELL, FLAGS } from '../kernel/layout.ts';
import type { AgentContext } from './agent-context.ts';

const ONE_RING = 2;
const BITS = 0x7fffffff;

/** Wakes every waiter that sleeps on the bell of that line, if the line has one and still has that tag. */
export function ringBell({ words, parking, agent }: AgentContext, line: number, tag: number): void {
  words.store32(agent + AGENT_HAZARD, line);
  if (words.load32(line + BLOCK_TAG) === tag && (words.get32(line + FLAGS) & FLAG_BELL) !== 0) {
    const bell = words.load32(line + BELL);
    // If the swap fails, another agent has rung meanwhile, or a waiter has set bit 0 and has not checked yet.
    words.cas32(line + BELL, bell, (bell + ONE_RING) & BITS);
    parking.notify(line + BELL);
  }
  words.store32(agent + AGENT_HAZARD, 0);
}

/**
 * Rings the bell that a dead agent was about to ring. Its record (AGENT_DUTY) names the line, and keeps the line's
 * memory from being reused. At a line with a bell, the walk of the kind does nothing else. So an agent that has not
 * loaded the kind can finish the walk.
 */
export function ringForDead(context: AgentContext, record: AgentAddress): void {
  const { words } = context;
  const line = words.get32(record + AGENT_DUTY);
  const code = words.get32(record + AGENT_DUTY_KIND);
  if (code === 0 || line === 0 || context.kindWith(code) !== undefined || (words.get32(line + FLAGS) & FLAG_BELL) === 0)
    return;
  ringBell(context, line, words.load32(line + BLOCK_TAG));
  // Clear the record after the notification: if this agent dies in between, the next reclaimer rings again.
  words.put32(record + AGENT_DUTY_KIND, 0);
  words.put32(record + AGENT_DUTY, 0);
}
