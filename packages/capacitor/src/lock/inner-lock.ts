// The methods that an inner lock must have, and those that it may have.

import {
  hasCode,
  type AsyncLock,
  type RecoveryGuard,
  type OwnerDiedOptions,
  type Inheritable,
  type Lock,
  type WaitOptions,
} from '@sluice/core';
import { show } from '@sluice/core/calls';

/**
 * Any lock. `lock` and `unlock` are required. If the lock lacks `tryLock` or `lockAsync`, the wrapped lock lacks it,
 * too.
 */
export type InnerLock = Pick<Lock, 'lock' | 'unlock'> & Partial<Pick<Lock, 'tryLock'> & Pick<AsyncLock, 'lockAsync'>>;

/** Throws `TypeError` if `inner` is not such a lock. */
export function checkInner(inner: unknown): asserts inner is InnerLock {
  if (typeof inner !== 'object' || inner === null)
    throw new TypeError(`The inner lock must be an object with lock and unlock: received ${show(inner)}`);
  for (const method of ['lock', 'unlock']) {
    if (!isMethod(inner, method)) throw new TypeError(`The inner lock must have ${method}(): received ${show(inner)}`);
  }
}

function isMethod(object: object, name: string): boolean {
  return typeof (object as Record<string, unknown>)[name] === 'function';
}

/** The arena and the address of a lock of the `@sluice` family. */
export interface InnerRef {
  readonly kind: string;
  readonly arena: string;
  readonly address: number;
  readonly tag: number;
}

/** Returns `undefined` for a third-party lock, and for a lock without a block in an arena. */
export function refOf(inner: InnerLock): InnerRef | undefined {
  const { handle } = inner as { readonly handle?: Partial<InnerRef> | null };
  if (typeof handle !== 'object' || handle === null) return undefined;
  const { kind, arena, address, tag } = handle;
  if (typeof kind !== 'string' || typeof arena !== 'string' || typeof address !== 'number' || typeof tag !== 'number')
    return undefined;
  return { kind, arena, address, tag };
}

/**
 * An owned lock, which detects that its owner died. Its `run` can pass on a notice, and `lock` cannot. It can be taken
 * over.
 */
export interface OwnedInner extends InnerLock, Inheritable {
  run<T>(body: () => T, options?: OwnerDiedOptions): T;
  runAsync<T>(body: () => T | PromiseLike<T>, options?: object): Promise<T>;
  /** Absent in a third-party lock that cannot be taken over. */
  takeOver?(): RecoveryGuard | null;
  takeOverAsync?(options?: WaitOptions): Promise<RecoveryGuard | null>;
}

export function isOwned(inner: InnerLock): inner is OwnedInner {
  return ['markConsistent', 'run', 'runAsync'].every((name) => isMethod(inner, name));
}

/** Whether this agent owns the inner lock, for locks that report it. */
export function saysOwned(inner: InnerLock): boolean {
  return (inner as { readonly owned?: unknown }).owned === true;
}

/** Whether the lock was acquired although this error was thrown. */
export function cameWithLock(failure: unknown): failure is Error {
  return hasCode(failure, 'SLUICE_OWNER_DIED') && failure.guard !== undefined;
}
