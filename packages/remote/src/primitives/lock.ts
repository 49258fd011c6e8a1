// A lock over all processes. It takes a fixed number of a line's permits.

import { INSPECT, MAX_PERMITS, NO_WAIT_OPTIONS, refusePosting } from '@sluice/core/calls';
import type { RemoteGuard } from './guard.ts';
import type { Holdings } from './holdings.ts';
import type { RemoteReport } from '../report/report.ts';
import type { Namespace } from './namespace.ts';
import { place } from './lock-position.ts';
import { UNPOSTABLE_BUT_BRIDGED } from './unpostable.ts';

/** The number of permits in the line of a read-write lock. A reader takes one, a writer takes all. */
export const ALL_PERMITS = MAX_PERMITS;

/**
 * A fair lock, shared by all processes of a namespace: a mutex, a capacitor, or one side of a read-write lock.
 *
 * Waits, timeouts, errors and dead processes are handled as by `RemoteSemaphore`.
 */
export class RemoteLock {
  readonly name: string;
  readonly #space: Namespace;
  readonly #holdings: Holdings;
  readonly #permits: number;

  /** @internal */
  constructor(space: Namespace, holdings: Holdings, permits = 1) {
    refusePosting(this, UNPOSTABLE_BUT_BRIDGED);
    this.#space = space;
    this.#holdings = holdings;
    this.#permits = permits;
    this.name = holdings.line.name;
    const { line } = holdings;
    place(this, {
      space,
      key: line.key,
      title: line.title,
      permits,
      most: line.permits,
      addsUp: line.key.startsWith('s:'),
      take: async (n, options) => holdings.guard(await holdings.take(n, options)),
    });
  }

  toString(): string {
    return this.#holdings.line.title;
  }

  /** Acquires the lock. The promise resolves when this process holds it. */
  async lockAsync(options = NO_WAIT_OPTIONS): Promise<void> {
    this.#holdings.keep(await this.#holdings.take(this.#permits, options));
  }

  /**
   * Acquires the lock if it becomes available within `timeoutMs`. With 0, the default, it does not wait. Resolves with
   * whether it acquired it.
   */
  async tryLock(timeoutMs = 0): Promise<boolean> {
    const grant = await this.#holdings.tryTake(this.#permits, timeoutMs);
    if (grant !== undefined) this.#holdings.keep(grant);
    return grant !== undefined;
  }

  /**
   * Releases the lock. Rejects with `MisuseError` if this process does not hold it without a guard, and with
   * `LeaseLostError` if it was lost.
   */
  unlock(): Promise<void> {
    return this.#holdings.giveBack(this.#permits);
  }

  /** Acquires the lock as `lockAsync` does; resolves with a guard that releases it. */
  async holdAsync(options = NO_WAIT_OPTIONS): Promise<RemoteGuard> {
    return this.#holdings.guard(await this.#holdings.take(this.#permits, options));
  }

  /** Acquires the lock as `tryLock` does; resolves with a guard, or `null`. */
  async tryHold(timeoutMs = 0): Promise<RemoteGuard | null> {
    const grant = await this.#holdings.tryTake(this.#permits, timeoutMs);
    return grant === undefined ? null : this.#holdings.guard(grant);
  }

  /**
   * Runs `body` with the lock held. Releases it when the promise that `body` returns settles. `body` gets the guard.
   */
  async runAsync<T>(body: (guard: RemoteGuard) => T | PromiseLike<T>, options = NO_WAIT_OPTIONS): Promise<T> {
    return this.#holdings.run(body, this.toString(), this.#permits, options);
  }

  /** Resolves with a snapshot over all processes. */
  inspect(): Promise<RemoteReport> {
    return this.#space.look(this.#holdings.line);
  }

  /** Closes the lock for all processes: every waiter and every later attempt fails with `ClosedError`. */
  close(): Promise<void> {
    return this.#space.shut(this.#holdings.line);
  }

  [INSPECT](): string {
    return `RemoteLock { name: '${this.name}' }`;
  }
}

/**
 * A fair read-write lock, shared by all processes of a namespace: any number of readers, or one writer. Made by
 * `space.rwLock`.
 */
export class RemoteRwLock {
  readonly name: string;
  /**
   * The read lock. Any number of processes can hold it at once. A reader that arrives after a waiting writer waits
   * behind it.
   */
  readonly reader: RemoteLock;
  /** The write lock. One process can hold it, while no process holds the read lock. */
  readonly writer: RemoteLock;

  /** @internal */
  constructor(space: Namespace, readers: Holdings, writers: Holdings) {
    this.name = readers.line.name;
    this.reader = new RemoteLock(space, readers, 1);
    this.writer = new RemoteLock(space, writers, ALL_PERMITS);
  }
}
