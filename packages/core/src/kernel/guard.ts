// The hazard word: keeps the memory of a freed primitive from being used again while a step acts on it.
//
// A freed block is used again only when no agent refers to it (../memory/references.ts). A reference is an element in
// use, a stub with a ticket, a word of an agent record that names the block, or the hazard word. Most steps act on a
// line while one of the others names it. A step that gives up the other reference before its last write to the line
// does so under guard. The hazard word is written before the other reference goes, and cleared after the last write.
//
// The recovery of a dead agent begins with what a ledger or a block says, which are no references: it writes the hazard
// word first and checks afterwards that the block is still what it was.

import { AGENT_HAZARD } from './layout.ts';
import { store32 } from './words.ts';
import type { AgentAddress, LineAddress } from './addresses.ts';

/** From here on the memory of that line is not reused. */
export function guard(agent: AgentAddress, line: LineAddress): void {
  store32(agent + AGENT_HAZARD, line);
}

export function unguard(agent: AgentAddress): void {
  store32(agent + AGENT_HAZARD, 0);
}
