// @ts-check
import { Arena } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';

/**
 * The engine and the waiting policy are an agent's own choice and do not travel with a handle: each agent asks for its
 * own.
 * @typedef {{ engine?: 'wasm' | 'js', policy?: Partial<Arena['policy']> }} AgentOptions
 */

/**
 * Only what a specification names is passed on; the rest is the library's own default.
 * @param {import('./subject.mjs').SubjectOptions} options
 * @returns {AgentOptions}
 */
export function agentOptions({ engine, policy }) {
  return { ...(engine !== undefined && { engine }), ...(policy !== undefined && { policy }) };
}

/**
 * What `Arena.create` and `Arena.from` take for these options, which travel to workers as plain data.
 * @param {AgentOptions} options
 */
export function arenaOptions({ engine, policy }) {
  return { ...(engine === 'js' && { engine: jsEngine }), ...(policy !== undefined && { policy }) };
}

/**
 * THE ONE PLACE THAT READS THE LIBRARY'S COUNTER: how often the calling agent has woken from a park so far. Each worker
 * asks at the start and at the end of the counted time; the difference is used.
 * @param {{ arena: Arena['handle'] }} handle
 */
export function wakeUps({ arena: handle }) {
  const arena = Arena.from(handle);
  return arena.inspect().agents.find(({ agent }) => agent === arena.agentId)?.wakeUps ?? 0;
}
