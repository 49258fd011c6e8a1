// Wakes the sleepers of a line with FLAG_SLEEP_WORD, for agents that have not loaded the line's kind. The blocked
// waiters of such a line sleep on SLEEP_WORD, not at the gates of their elements. Bit 0 of the word belongs to the
// kind. When the bits above it change, a waiter checks again.
//
// A waiter reads SLEEP_WORD, then the line's tag and HEADER_PENDING, and sleeps only if SLEEP_WORD is unchanged. An
// agent that changes the tag or HEADER_PENDING wakes the sleepers afterwards. If the agent dies before that, its
// recovery frees the block or notifies the waiters of the pending recovery, and wakes the sleepers.

import type { AgentAddress } from '../kernel/addresses.ts';
import {
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_HAZARD,
  SLEEP_WORD,
  BLOCK_TAG,
  FLAG_SLEEP_WORD,
  FLAGS,
} from '../kernel/layout.ts';
import type { AgentContext } from './agent-context.ts';

const ONE_WAKE = 2;
const BITS = 0x7fffffff;

/** Wakes every waiter that sleeps on SLEEP_WORD of that line, if the line has the word and still has that tag. */
export function wakeSleepers({ words, parking, agent }: AgentContext, line: number, tag: number): void {
  words.store32(agent + AGENT_HAZARD, line);
  if (words.load32(line + BLOCK_TAG) === tag && (words.get32(line + FLAGS) & FLAG_SLEEP_WORD) !== 0) {
    const before = words.load32(line + SLEEP_WORD);
    // If the swap fails, another agent has changed the word meanwhile, or a waiter has set bit 0 and has not checked yet.
    words.cas32(line + SLEEP_WORD, before, (before + ONE_WAKE) & BITS);
    parking.notify(line + SLEEP_WORD);
  }
  words.store32(agent + AGENT_HAZARD, 0);
}

/**
 * Wakes the sleepers that a dead agent was about to wake. Its record (AGENT_DUTY) names the line, and keeps the line's
 * memory from being reused. At a line with FLAG_SLEEP_WORD, the walk of the kind does nothing else. So an agent that has not
 * loaded the kind can finish the walk.
 */
export function wakeSleepersForDead(context: AgentContext, record: AgentAddress): void {
  const { words } = context;
  const line = words.get32(record + AGENT_DUTY);
  const code = words.get32(record + AGENT_DUTY_KIND);
  if (
    code === 0 ||
    line === 0 ||
    context.kindWith(code) !== undefined ||
    (words.get32(line + FLAGS) & FLAG_SLEEP_WORD) === 0
  )
    return;
  wakeSleepers(context, line, words.load32(line + BLOCK_TAG));
  // Clear the record after the notification: if this agent dies in between, the next reclaimer wakes them again.
  words.put32(record + AGENT_DUTY_KIND, 0);
  words.put32(record + AGENT_DUTY, 0);
}
