// @ts-check
import { CapacitorLock } from '@sluice/capacitor';
import { Arena } from '@sluice/core';
import { agentOptions, arenaOptions, wakeUps } from './agent-options.mjs';

/**
 * @template Handle
 * @typedef {object} InnerKind one of the locks of `@sluice/classics`
 * @property {(options: { arena: Arena }) => InnerLock & { readonly handle: Handle }} create
 * @property {(handle: Handle) => InnerLock} from
 */

/** @typedef {{ lock(): void, unlock(): void, tryLock(timeoutMs?: number): boolean }} InnerLock */

/**
 * @template Handle
 * @typedef {object} MaybeWrapped
 * @property {Arena['handle']} arena
 * @property {Handle} inner
 * @property {CapacitorLock['handle'] | undefined} wrapped
 * @property {import('./agent-options.mjs').AgentOptions} options
 */

/**
 * A lock of that kind, in an arena of its own: bare, or behind a capacitor where the options have one.
 * @template Handle
 * @param {InnerKind<Handle>} kind
 */
export function wrappable(kind) {
  return {
    /** @param {import('./subject.mjs').SubjectOptions} options @returns {MaybeWrapped<Handle>} */
    create: (options) => {
      const arena = Arena.create(arenaOptions(agentOptions(options)));
      const inner = kind.create({ arena });
      const wrapped = options.capacitor && CapacitorLock.create(inner, options.capacitor).handle;
      return { arena: arena.handle, inner: inner.handle, wrapped, options: agentOptions(options) };
    },
    /** @param {MaybeWrapped<Handle>} handle @returns {import('./subject.mjs').FamilyLock} */
    open: ({ arena, inner, wrapped, options }) => {
      Arena.from(arena, arenaOptions(options));
      const bare = kind.from(inner);
      return wrapped ? CapacitorLock.from(wrapped, bare) : bare;
    },
    wakeUps,
  };
}
