// A cache as two agents of one thread see it, with a clock that the test sets.

import { Arena } from '../../../core/src/index.ts';
import type { Engine } from '../../../core/src/kernel/kernel.ts';
import { engineNamed } from '../../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../../core/test/support/second-agent.ts';
import type { SharedCache } from '../../src/index.ts';
import type { SharedCacheOptions } from '../../src/options.ts';
import { createWithClock, openWithClock } from '../../src/shared-cache.ts';
import './kinds.ts';

export interface Pair<T> {
  readonly arena: Arena;
  readonly ours: SharedCache<T>;
  readonly theirs: SharedCache<T>;
  /** The time of both agents in ms. */
  readonly clock: { now: number };
}

export function pairOf<T>(options: Partial<SharedCacheOptions<T>> = {}, engine: Engine = 'wasm'): Pair<T> {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 128, policy: { spinMicros: 0 } });
  const clock = { now: 1_000_000 };
  const ours = createWithClock<T>({ maxBytes: 65_536, ...options, arena, name: 'users' }, () => clock.now);
  const { codec } = options;
  const theirs = openAs(secondAgent(arena), ours.handle, (handle) =>
    openWithClock<T>(handle, typeof codec === 'object' ? { codec } : {}, () => clock.now),
  );
  return { arena, ours, theirs, clock };
}

/** A function that computes when the test lets it. */
export class Gate<T> {
  calls = 0;
  readonly compute: () => Promise<T>;
  readonly #open: { readonly resolve: (value: T) => void; readonly reject: (failure: Error) => void }[] = [];

  constructor() {
    this.compute = async () => {
      this.calls += 1;
      return new Promise<T>((resolve, reject) => this.#open.push({ resolve, reject }));
    };
  }

  /** The number of computations that have begun and not ended. */
  get running(): number {
    return this.#open.length;
  }

  pass(value: T): void {
    this.#open.shift()?.resolve(value);
  }

  fail(failure: Error): void {
    this.#open.shift()?.reject(failure);
  }
}
