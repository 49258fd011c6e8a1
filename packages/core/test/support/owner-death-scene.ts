// The description of an owned lock for the suite about owner deaths.

import { expect } from 'vitest';
import type { OwnedLock } from '../../src/index.ts';
import { expectAtRest } from './at-rest.ts';
import type { OwnerDeathScene, LockKind } from './lock-scene.ts';

/** The handle of a primitive, which has its address. */
export interface Located {
  readonly arena: string;
  readonly address: number;
}

export interface InspectedKind<Lock extends OwnedLock, Handle extends Located> extends LockKind<Lock, Handle> {
  /** Creates the lock, with the name "scene". */
  readonly create: LockKind<Lock, Handle>['create'];
  /** Returns the consistency of the lock according to `inspect`. */
  consistency(handle: Handle): string;
  /** Whether the last waiter is served first. Default false. */
  readonly lastFirst?: boolean;
}

export type NewScene<Lock extends OwnedLock, Handle extends Located> = () => OwnerDeathScene<Lock, Handle>;

export function expectFree<Lock extends OwnedLock, Handle extends Located>(scene: OwnerDeathScene<Lock, Handle>): void {
  expect(scene.isFree).toBe(true);
  expectAtRest(scene.first.arena, scene.handle);
}

export function consistencyOf<Lock extends OwnedLock, Handle extends Located>(
  scene: OwnerDeathScene<Lock, Handle>,
  kind: InspectedKind<Lock, Handle>,
): string {
  return kind.consistency(scene.world.handle(scene.handle, scene.first));
}

/** Lets waiters join so that the lock serves them in the given order. Returns the results of `join` in this order. */
export function standInLine<Waiter, Joined>(
  { lastFirst = false }: { readonly lastFirst?: boolean },
  waiters: readonly Waiter[],
  join: (waiter: Waiter) => Joined,
): Joined[] {
  if (!lastFirst) return waiters.map(join);
  return waiters.toReversed().map(join).toReversed();
}
