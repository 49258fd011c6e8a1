// @ts-check
import { Arena } from '@sluice/core';
import * as family from '@sluice/classics';
import { agentOptions, arenaOptions } from './agent-options.mjs';

export { wakeUps } from './agent-options.mjs';

/**
 * Which semaphore of the family.
 * @typedef {object} Member
 * @property {string} name of its class
 * @property {boolean} [conservative]
 * @property {import('@sluice/classics').TicketHash} [hash]
 */

/** @typedef {{ acquire(): void, acquireAsync(): Promise<void>, release(): void }} PermitLock */

/**
 * @typedef {object} Kind
 * @property {(permits: number, options: { arena: Arena } & Omit<Member, 'name'>) => PermitLock & { readonly handle:
 *   unknown }} create
 * @property {(handle: never) => PermitLock} from
 */

/**
 * @typedef {{ arena: Arena['handle'], member: string, semaphore: unknown, options:
 *   import('./agent-options.mjs').AgentOptions }} MemberHandle
 */

/** @param {string} name @returns {Kind} */
function kindOf(name) {
  const kind = Object.entries(family).find(([exported]) => exported === name && exported.endsWith('Semaphore'))?.[1];
  if (kind === undefined) throw new Error(`the family has no ${name}`);
  return /** @type {Kind} */ (/** @type {unknown} */ (kind));
}

/** @param {import('./subject.mjs').SubjectOptions} options @returns {MemberHandle} */
export function create({ member = { name: 'ChainSemaphore' }, ...options }) {
  const { name, ...more } = member;
  const arena = Arena.create(arenaOptions(agentOptions(options)));
  const semaphore = kindOf(name).create(1, { arena, ...more });
  return { arena: arena.handle, member: name, semaphore: semaphore.handle, options: agentOptions(options) };
}

/** @param {MemberHandle} handle */
export function open({ arena, member, semaphore, options }) {
  Arena.from(arena, arenaOptions(options));
  return kindOf(member).from(/** @type {never} */ (semaphore));
}
