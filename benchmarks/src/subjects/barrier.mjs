// @ts-check
import { Barrier } from '@sluice/barrier';
import { Arena } from '@sluice/core';
import { agentOptions, arenaOptions } from './agent-options.mjs';

/**
 * @typedef {{ arena: Arena['handle'], barrier: import('@sluice/barrier').BarrierHandle, options:
 *   import('./agent-options.mjs').AgentOptions }} Handle
 */

/** @param {import('./subject.mjs').SubjectOptions} options @returns {Handle} */
export function create({ parties = 2, ...options }) {
  const arena = Arena.create(arenaOptions(agentOptions(options)));
  return { arena: arena.handle, barrier: Barrier.create(parties, { arena }).handle, options: agentOptions(options) };
}

/** @param {Handle} handle */
export function open({ arena, barrier, options }) {
  Arena.from(arena, arenaOptions(options));
  const opened = Barrier.from(barrier);
  return { meet: () => void opened.wait() };
}
