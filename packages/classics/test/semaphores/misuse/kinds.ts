import type { Kind } from '../../../../core/test/support/misuse-table.ts';
import { MEMBERS, type Member, type MemberClass } from '../support/members.ts';

/** The semaphore under test has that many permits, one of them taken, and a bound. */
export const PERMITS = 3;
export const MOST = 5;

export interface MemberKind extends Kind<Member> {
  readonly Class: MemberClass;
}

export const KINDS: readonly MemberKind[] = MEMBERS.map((Class) => ({
  what: Class.name,
  Class,
  create: (options) => Class.create(PERMITS, isObject(options) ? { max: MOST, ...options } : options),
  from: (handle, options) => Class.from(handle, options),
}));

function isObject(options: unknown): options is object {
  return typeof options === 'object' && options !== null;
}
