// Where things lie in a model's world: as in an arena, only closer together.

import { AGENT_STRIDE, BLOCK_LINE, ELEMENT_STRIDE } from '../../src/kernel/layout.ts';

const AGENTS = 512;
const SEMAPHORES = 1536;
const ELEMENTS = 1792;
/** Ledger entries, one for each agent and semaphore. */
export const ENTRIES = 2304;

export const agentAt = (index: number): number => AGENTS + index * AGENT_STRIDE;
export const semaphoreAddress = (index: number): number => SEMAPHORES + index * BLOCK_LINE;
export const elementAt = (index: number): number => ELEMENTS + index * ELEMENT_STRIDE;
export const tagOf = (index: number): number => 7 + index;

/** Which place an address belongs to. */
export function placeOf(address: number): { kind: 'header' | 'agent' | 'semaphore' | 'element' | 'entry'; index: number; offset: number } {
  if (address >= ENTRIES) return { kind: 'entry', index: (address - ENTRIES) >> 5, offset: (address - ENTRIES) & 31 };
  if (address >= ELEMENTS) return { kind: 'element', index: (address - ELEMENTS) >> 6, offset: (address - ELEMENTS) & 63 };
  if (address >= SEMAPHORES) {
    return { kind: 'semaphore', index: (address - SEMAPHORES) >> 7, offset: (address - SEMAPHORES) & 127 };
  }
  if (address >= AGENTS) return { kind: 'agent', index: (address - AGENTS) >> 7, offset: (address - AGENTS) & 127 };
  return { kind: 'header', index: 0, offset: address };
}
