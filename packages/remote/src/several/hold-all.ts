// Several locks of a space at once. Every call takes its locks one after the other, in the order of the names of their
// lines on the server. So calls of all processes never wait for each other in a cycle.

import { hasCode, MisuseError, type WaitOptions } from '@sluice/core';
import { checkAsyncBody, checkTimeout, checkWait, show } from '@sluice/core/calls';
import type { Timing } from '../engine/timing.ts';
import type { RemoteGuard } from '../primitives/guard.ts';
import { RemoteGuards } from './guards.ts';
import { positionOf, type LockPosition } from '../primitives/lock-position.ts';

/** One line, and the permits to take there. */
interface Planned {
  readonly position: LockPosition;
  readonly permits: number;
}

/** Takes several locks of one space. */
export class SeveralLocks {
  readonly #space: object;
  readonly #timing: Timing;

  constructor(space: object, timing: Timing) {
    this.#space = space;
    this.#timing = timing;
  }

  async hold(title: string, locks: readonly unknown[], options: WaitOptions): Promise<RemoteGuards> {
    const plan = this.#planOf(title, locks);
    return this.#take(title, plan, checkWait(options));
  }

  async tryHold(title: string, locks: readonly unknown[], timeoutMs: number): Promise<RemoteGuards | null> {
    const plan = this.#planOf(title, locks);
    try {
      return await this.#take(title, plan, { timeout: checkTimeout(timeoutMs) });
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_TIMEOUT')) return null;
      throw failure;
    }
  }

  async run<T>(
    title: string,
    locks: readonly unknown[],
    body: (guard: RemoteGuards) => T | PromiseLike<T>,
    options: WaitOptions,
  ): Promise<T> {
    checkAsyncBody(body, title);
    const guard = await this.hold(title, locks, options);
    let result: T;
    try {
      result = await body(guard);
    } catch (failure) {
      // The caller must see the failure of the body.
      await guard.release().catch(() => undefined);
      throw failure;
    }
    await guard.release();
    return result;
  }

  async #take(title: string, plan: readonly Planned[], options: WaitOptions): Promise<RemoteGuards> {
    const { timeout = Infinity } = options;
    const ends = this.#timing.now() + timeout;
    const guards: RemoteGuard[] = [];
    try {
      for (const { position, permits } of plan) {
        const left = timeout === 0 ? 0 : Math.max(1, ends - this.#timing.now());
        guards.push(await position.take(permits, { ...options, timeout: left }));
      }
      // A lease may have ended while the call waited for a later lock.
      for (const guard of guards) guard.assertHeld();
      return new RemoteGuards(title, guards);
    } catch (failure) {
      await Promise.allSettled(guards.map((guard) => guard.release()));
      throw failure;
    }
  }

  #planOf(title: string, locks: unknown): readonly Planned[] {
    if (!Array.isArray(locks)) throw new TypeError(`${title} takes an array of locks: received ${show(locks)}`);
    const byKey = new Map<string, Planned>();
    for (const lock of locks as unknown[]) {
      const position = positionOf(lock);
      if (position === undefined) throw new TypeError(`${title} takes locks of a space: received ${show(lock)}`);
      if (position.space !== this.#space)
        throw new MisuseError(`${title}: ${position.title} belongs to another space. No lock was taken.`);
      const before = byKey.get(position.key)?.permits ?? 0;
      const permits = position.addsUp ? before + position.permits : Math.max(before, position.permits);
      if (permits > position.most)
        throw new RangeError(
          `${title}: the locks of ${position.title} take ${permits} permits together, and it has ${position.most}. No lock was taken.`,
        );
      byKey.set(position.key, { position, permits });
    }
    return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, planned]) => planned);
  }
}
