// @ts-check
import { Arena, Semaphore } from '@sluice/core';

/** @typedef {import('./subject.mjs').SubjectOptions} SubjectOptions */

/**
 * A semaphore's handle and, beside it, what each agent must ask for itself: the engine and the waiting policy are an
 * agent's own choice and do not travel with a handle.
 * @typedef {object} SluiceHandle
 * @property {Arena['handle']} arena
 * @property {Semaphore['handle']} semaphore
 * @property {AgentOptions} options
 */

/** @typedef {{ engine?: 'wasm' | 'js', policy?: Partial<Arena['policy']> }} AgentOptions */

/**
 * Only what a specification names is passed on; the rest is the library's own default.
 * @param {SubjectOptions} options
 * @returns {AgentOptions}
 */
function agentOptions({ engine, policy }) {
  return { ...(engine !== undefined && { engine }), ...(policy !== undefined && { policy }) };
}

/** @param {SubjectOptions} options @returns {SluiceHandle} */
export function create(options) {
  const arena = Arena.create(agentOptions(options));
  const { recovery } = options;
  const semaphore = Semaphore.create(1, { arena, ...(recovery !== undefined && { recovery }) });
  return { arena: arena.handle, semaphore: semaphore.handle, options: agentOptions(options) };
}

/** @param {SluiceHandle} handle */
export function open({ arena, semaphore, options }) {
  Arena.from(arena, options);
  return Semaphore.from(semaphore);
}

/**
 * THE ONE PLACE THAT READS THE LIBRARY'S COUNTER: how often the calling agent has woken from a park so far. Each worker
 * asks at the start and at the end of the counted time; the difference is used.
 * @param {SluiceHandle} handle
 */
export function wakeUps({ arena: handle }) {
  const arena = Arena.from(handle);
  return arena.inspect().agents.find(({ agent }) => agent === arena.agentId)?.wakeUps ?? 0;
}
