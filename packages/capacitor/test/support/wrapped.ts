// Two instances of one wrapped lock for two agents of one thread.

import type { Arena } from '@sluice/core';
import { vi } from 'vitest';
import { openAs } from '../../../core/test/support/second-agent.ts';
import { CapacitorLock, type CapacitorLockHandle, type CapacitorLockOptions } from '../../src/index.ts';
import type { InnerKind, OwnInner } from './inner-kinds.ts';

export interface Wrapped {
  readonly inner: OwnInner;
  readonly ours: CapacitorLock;
  readonly theirInner: OwnInner;
  readonly theirs: CapacitorLock;
}

/** Returns the handle for an agent whose arena has that name. */
export function renamedHandle(handle: CapacitorLockHandle, arena: string): CapacitorLockHandle {
  const { gate, inner } = handle;
  const there =
    gate.kind === 'sluice.random-lanes'
      ? { ...gate, lanes: gate.lanes.map((lane) => ({ ...lane, arena })) }
      : { ...gate, arena };
  return { ...handle, gate: there, inner: inner && { ...inner, arena } };
}

export function wrap(arena: Arena, other: Arena, kind: InnerKind, options: CapacitorLockOptions = {}): Wrapped {
  const inner = kind.create(arena);
  const ours = CapacitorLock.create(inner, options);
  const [theirInner, theirs] = openAs(other, inner.handle, (handle) => {
    const theirInner = kind.open(handle);
    return [theirInner, CapacitorLock.from(renamedHandle(ours.handle, handle.arena), theirInner)] as const;
  });
  return { inner, ours, theirInner, theirs };
}

/** Lets `Math.random` return these numbers in turn, then random ones again. Restore mocks after each test. */
export function fixRandom(...values: readonly number[]): void {
  const random = vi.spyOn(Math, 'random');
  for (const value of values) random.mockReturnValueOnce(value);
}
