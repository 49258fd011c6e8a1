// @ts-check
import { Arena, Semaphore } from '@sluice/core';
import { agentOptions, arenaOptions } from './agent-options.mjs';

export { wakeUps } from './agent-options.mjs';

/**
 * A semaphore's handle and, beside it, what each agent must ask for itself.
 * @typedef {object} SluiceHandle
 * @property {Arena['handle']} arena
 * @property {Semaphore['handle']} semaphore
 * @property {import('./agent-options.mjs').AgentOptions} options
 */

/** @param {import('./subject.mjs').SubjectOptions} options @returns {SluiceHandle} */
export function create(options) {
  const arena = Arena.create(arenaOptions(agentOptions(options)));
  const { recovery } = options;
  const semaphore = Semaphore.create(1, { arena, ...(recovery !== undefined && { recovery }) });
  return { arena: arena.handle, semaphore: semaphore.handle, options: agentOptions(options) };
}

/** @param {SluiceHandle} handle */
export function open({ arena, semaphore, options }) {
  Arena.from(arena, arenaOptions(options));
  return Semaphore.from(semaphore);
}
