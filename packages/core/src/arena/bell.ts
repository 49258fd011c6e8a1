// The bell of a line with FLAG_BELL, as agents without its kind ring it. Waiters that block there sleep on the word BELL, not at the gates of
// their elements. Bit 0 of the word is the kind's. A waiter that sees a change of the bits above it looks again.
//
// A waiter looks at the line's tag and at HEADER_PENDING, and sleeps only if BELL is still what it was before that. An agent that changes one of
// these rings afterwards. If the agent dies first, its recovery does the same again: it frees the block, or tells the waiters what is pending.

import { AGENT_HAZARD, BELL, BLOCK_TAG, FLAG_BELL, FLAGS } from '../kernel/layout.ts';
import type { AgentContext } from './agent-context.ts';

const ONE_RING = 2;
const BITS = 0x7fffffff;

/** Wakes every waiter that sleeps on the bell of that line, if the line has one and still has that tag. */
export function ringBell({ words, parking, agent }: AgentContext, line: number, tag: number): void {
  words.store32(agent + AGENT_HAZARD, line);
  if (words.load32(line + BLOCK_TAG) === tag && (words.get32(line + FLAGS) & FLAG_BELL) !== 0) {
    const bell = words.load32(line + BELL);
    // If the swap fails, another agent has rung meanwhile, or a waiter has set its bit and has not looked yet.
    words.cas32(line + BELL, bell, (bell + ONE_RING) & BITS);
    parking.notify(line + BELL);
  }
  words.store32(agent + AGENT_HAZARD, 0);
}
