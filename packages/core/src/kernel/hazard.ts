// The hazard word prevents the reuse of a freed primitive's memory while a step acts on it.
//
// A freed block is reused only when no agent refers to it (../memory/references.ts). A reference is an element in use,
// a stub with a ticket, a word of an agent record that names the block, or the hazard word. During most steps, one of
// the first three names the line. A step that drops this reference before its last write to the line does so under the
// hazard word: it sets it before it drops the reference, and clears it after the last write.
//
// The recovery of a dead agent begins with a ledger or a block, and neither is a reference. So recovery writes the
// hazard word first, and then checks that the block is still the same.

import { AGENT_HAZARD } from './layout.ts';
import { store32 } from './words.ts';
import type { AgentAddress, LineAddress } from './addresses.ts';

/** Prevents the reuse of that line's memory from here on. */
export function setHazard(agent: AgentAddress, line: LineAddress): void {
  store32(agent + AGENT_HAZARD, line);
}

export function clearHazard(agent: AgentAddress): void {
  store32(agent + AGENT_HAZARD, 0);
}
