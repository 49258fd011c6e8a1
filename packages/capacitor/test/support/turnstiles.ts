// Two instances of one turnstile for two agents of one thread, and a setter of its B.

import type { Arena } from '@sluice/core';
import { LIMIT } from '@sluice/core/format';
import { contextOf } from '@sluice/core/internal';
import { openAs } from '../../../core/test/support/second-agent.ts';
import { Turnstile, type TurnstileOptions } from '../../src/index.ts';

export interface Sides {
  readonly ours: Turnstile;
  readonly theirs: Turnstile;
}

export function createSides(arena: Arena, other: Arena, options: TurnstileOptions = {}): Sides {
  const ours = Turnstile.create({ arena, ...options });
  return { ours, theirs: openAs(other, ours.handle, (handle) => Turnstile.from(handle)) };
}

export function setLimit(turnstile: Turnstile, passes: number): void {
  contextOf(turnstile.arena).words.store32(turnstile.handle.address + LIMIT, passes);
}
