// The bell of a line with FLAG_BELL, as agents without its kind ring it. Waiters that block there sleep on the word BELL, not at the gates of
// their elements. Bit 0 of the word is the kind's. A change of the bits above it means only: look again.
//
// A waiter looks at the line's tag and at HEADER_PENDING, and sleeps only if BELL is still what it was before that. An agent that changes one of
// these rings afterwards. If the agent dies first, its recovery does the same again: it frees the block, or tells the waiters what is pending.

import type { AgentContext } from './agent-context.ts';
import { AGENT_DUTY, AGENT_DUTY_KIND, AGENT_HAZARD, BELL, BLOCK_TAG, FLAG_BELL, FLAGS, SEM, TAG } from '../kernel/layout.ts';
import { RACED, TAKEN } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import type { AgentAddress, ElementAddress } from '../kernel/addresses.ts';
import { untilWon } from './retry.ts';

const ONE_RING = 2;
const BITS = 0x7fffffff;

export function hasBell(words: Words, line: number): boolean {
  return (words.get32(line + FLAGS) & FLAG_BELL) !== 0;
}

/** Wakes every waiter that sleeps on the bell of that line. The line's memory must not be reused meanwhile. */
export function ringBell({ words, parking }: AgentContext, line: number): void {
  untilWon(() => {
    const bell = words.load32(line + BELL);
    return words.cas32(line + BELL, bell, (bell + ONE_RING) & BITS) === bell ? TAKEN : RACED;
  });
  parking.notify(line + BELL);
}

/** As `ringBell`, for the line at which another agent's element waits. The wait may be over, and the line freed. */
export function ringBellOf(context: AgentContext, element: ElementAddress): void {
  const { words, agent } = context;
  const [line, tag] = [words.get32(element + SEM), words.get32(element + TAG)];
  words.store32(agent + AGENT_HAZARD, line);
  if (words.load32(line + BLOCK_TAG) === tag && hasBell(words, line)) ringBell(context, line);
  words.store32(agent + AGENT_HAZARD, 0);
}

/**
 * Rings for a dead agent, if its record leaves that to the walk of the kind: all that a walk does at a line with a bell. So an agent that has not
 * loaded the kind leaves nothing of it to others. AGENT_DUTY keeps the line's memory.
 */
export function ringForDead(context: AgentContext, record: AgentAddress): void {
  const { words } = context;
  const line = words.get32(record + AGENT_DUTY);
  if (words.get32(record + AGENT_DUTY_KIND) === 0 || line === 0 || !hasBell(words, line)) return;
  ringBell(context, line);
  // After the notification: if this agent dies before, the next one rings again.
  words.put32(record + AGENT_DUTY_KIND, 0);
  words.put32(record + AGENT_DUTY, 0);
}
