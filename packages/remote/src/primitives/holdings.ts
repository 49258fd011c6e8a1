// The common part of a remote semaphore and a remote lock: it takes grants and gives them back, with or without guards.

import { hasCode, MisuseError, type WaitOptions } from '@sluice/core';
import { checkAsyncBody, checkTimeout, checkWait, plural, threadBudget } from '@sluice/core/calls';
import type { LocalWaiters } from '../session/local-waiters.ts';
import type { Grant } from '../session/grant.ts';
import { RemoteGuard } from './guard.ts';
import type { RemotePrimitive } from '../line/remote-primitive.ts';

export class Holdings {
  readonly line: RemotePrimitive;
  readonly #front: LocalWaiters;
  /** The grants without a guard, oldest first. */
  readonly #grants: Grant[] = [];
  /** The grants that were not given back yet, and the number of waiting callers. */
  readonly #live = new Set<Grant>();
  #waiting = 0;
  readonly #onUnused: (() => void) | undefined;

  /** `onUnused` is called when this process neither holds the primitive nor waits for it any more. */
  constructor(line: RemotePrimitive, front: LocalWaiters, onUnused?: () => void) {
    this.line = line;
    this.#front = front;
    this.#onUnused = onUnused;
  }

  /** Whether this process holds a grant. */
  get held(): boolean {
    for (const grant of this.#live) if (!grant.lost) return true;
    return false;
  }

  /** `priority`: among the waiting calls of this process. */
  async take(permits: number, options: WaitOptions, priority = 0): Promise<Grant> {
    this.#waiting++;
    try {
      const grant = await this.#front.take(permits, checkWait(options), priority);
      // The front may answer without the server, in a microtask. A loop of such calls must let the event loop turn.
      const later = threadBudget.spend();
      if (later !== undefined) await later;
      if (grant === undefined) throw this.line.timedOut(permits, 0);
      if (this.line.signal) grant.session.settle(this.line, grant.seq);
      else this.#live.add(grant);
      return grant;
    } finally {
      this.#waiting--;
    }
  }

  /** Takes a grant as `take` does. Resolves with `undefined` if the time is up. */
  async tryTake(permits: number, timeoutMs: number): Promise<Grant | undefined> {
    checkTimeout(timeoutMs);
    try {
      return await this.take(permits, { timeout: timeoutMs });
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_TIMEOUT')) return undefined;
      throw failure;
    }
  }

  guard(grant: Grant): RemoteGuard {
    return new RemoteGuard(grant, (held) => this.#give(held));
  }

  async run<T>(
    body: (guard: RemoteGuard) => T | PromiseLike<T>,
    title: string,
    permits: number,
    options: WaitOptions,
  ): Promise<T> {
    checkAsyncBody(body, title);
    return this.runIn(await this.take(permits, options), body);
  }

  /** Runs `body` with a grant, and gives the grant back. */
  async runIn<T>(grant: Grant, body: (guard: RemoteGuard) => T | PromiseLike<T>): Promise<T> {
    const guard = this.guard(grant);
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

  keep(grant: Grant): void {
    if (!this.line.signal) this.#grants.push(grant);
  }

  /** Gives back `permits` of the grants without a guard, the oldest first. */
  async giveBack(permits: number): Promise<void> {
    const held = this.#grants.reduce((sum, grant) => sum + grant.permits, 0);
    if (permits > held) {
      throw new MisuseError(
        `${this.line.title}: cannot release ${plural(permits, 'permit')}: this process holds ${held} without a guard. Nothing was released.`,
      );
    }
    const given: Promise<void>[] = [];
    for (let left = permits; left > 0; ) {
      const grant = this.#grants[0];
      if (grant === undefined) break;
      const part = Math.min(left, grant.permits);
      left -= part;
      if (part === grant.permits) this.#grants.shift();
      given.push(this.#give(grant, grant.permits - part));
    }
    await Promise.all(given);
  }

  /** Calls `onUnused` if the primitive is unused. */
  tidy(): void {
    if (this.#live.size === 0 && this.#waiting === 0) this.#onUnused?.();
  }

  #give(grant: Grant, keeps = 0): Promise<void> {
    if (keeps === 0) this.#live.delete(grant);
    this.tidy();
    return this.line.signal ? grant.session.post(this.line, grant.permits) : this.#front.give(grant, keeps);
  }
}
