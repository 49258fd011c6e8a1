// @ts-check
import { Arena } from '@sluice/core';
import { agentOptions, arenaOptions, wakeUps } from './agent-options.mjs';

/**
 * A subject made of one of the family's primitives, in an arena of its own.
 * @template {{ handle: unknown }} Primitive
 * @template {import('./subject.mjs').Opened} Face
 * @param {{ create(options: { arena: Arena }): Primitive, from(handle: Primitive['handle']): Primitive }} kind
 * @param {(primitive: Primitive) => Face} face what of the primitive is used
 */
export function subjectOf(kind, face) {
  return {
    create: (/** @type {import('./subject.mjs').SubjectOptions} */ options) => {
      const arena = Arena.create(arenaOptions(agentOptions(options)));
      return { arena: arena.handle, primitive: kind.create({ arena }).handle, options: agentOptions(options) };
    },
    open: (/** @type {PrimitiveHandle<Primitive['handle']>} */ { arena, primitive, options }) => {
      Arena.from(arena, arenaOptions(options));
      return face(kind.from(primitive));
    },
    wakeUps,
  };
}

/**
 * @template Handle
 * @typedef {{ arena: Arena['handle'], primitive: Handle, options: import('./agent-options.mjs').AgentOptions }}
 *   PrimitiveHandle
 */
