// The limit of one key of a remote keyed limit. It has no state of its own.

import type { WaitOptions } from '@sluice/core';
import { INSPECT, refusePosting } from '@sluice/core/calls';
import type { RemoteGuard } from '../primitives/guard.ts';
import { UNPOSTABLE } from '../primitives/unpostable.ts';
import { keyTitle } from '../line/remote-key.ts';

/** The calls of a keyed limit, which take a key first. */
interface LimitsByKey {
  toString(): string;
  holdAsync(key: string, options?: WaitOptions): Promise<RemoteGuard>;
  tryHold(key: string, timeoutMs?: number): Promise<RemoteGuard | null>;
  runAsync<T>(key: string, body: (guard: RemoteGuard) => T | PromiseLike<T>, options?: WaitOptions): Promise<T>;
}

/** The limit of one key of a `RemoteKeyedLimit`, which `for` returns. */
export class RemoteKeyLimit {
  readonly key: string;
  readonly #limit: LimitsByKey;

  /** @internal */
  constructor(limit: LimitsByKey, key: string) {
    refusePosting(this, UNPOSTABLE);
    this.#limit = limit;
    this.key = key;
  }

  toString(): string {
    return keyTitle(this.#limit.toString(), this.key);
  }

  /** Takes the slots as `RemoteKeyedLimit.holdAsync` does. */
  holdAsync(options?: WaitOptions): Promise<RemoteGuard> {
    return this.#limit.holdAsync(this.key, options);
  }

  /** Takes the slots as `RemoteKeyedLimit.tryHold` does. */
  tryHold(timeoutMs?: number): Promise<RemoteGuard | null> {
    return this.#limit.tryHold(this.key, timeoutMs);
  }

  /** Calls `body` in the slots as `RemoteKeyedLimit.runAsync` does. */
  runAsync<T>(body: (guard: RemoteGuard) => T | PromiseLike<T>, options?: WaitOptions): Promise<T> {
    return this.#limit.runAsync(this.key, body, options);
  }

  [INSPECT](): string {
    return `RemoteKeyLimit { of: '${this.#limit.toString()}', key: ${JSON.stringify(this.key)} }`;
  }
}
