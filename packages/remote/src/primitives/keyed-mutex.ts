// A mutex for each key, over all processes of a namespace. Each key is a line with one permit.

import type { WaitOptions } from '@sluice/core';
import { INSPECT, refusePosting } from '@sluice/core/calls';
import { checkKey, prefixOf } from '../line/remote-key.ts';
import type { RemoteGuard } from './guard.ts';
import type { Holdings } from './holdings.ts';
import { RemoteKeyLock } from './key-lock.ts';
import { readKeys, type RemoteKeyedMutexReport } from '../report/key-report.ts';
import type { RemotePrimitive } from '../line/remote-primitive.ts';
import type { Namespace } from './namespace.ts';
import { place } from './lock-position.ts';
import { UNPOSTABLE } from './unpostable.ts';

/**
 * A mutex for each key, shared by all processes of a namespace. Made by `space.keyedMutex`. Keys are strings of at most
 * 4,096 UTF-16 code units.
 *
 * - Callers exclude each other only if they lock the same key. The waiters of a key are served in FIFO order over all
 *   processes.
 * - A key takes memory of the server and of this process only while a caller holds it or waits for it.
 * - When a process dies, the keys that it held go to their next waiters after its lease.
 * - Each grant has a fencing token, which is greater than that of every earlier grant of the namespace. This also holds
 *   if the key was unused in between.
 */
export class RemoteKeyedMutex {
  readonly name: string;
  readonly #space: Namespace;
  readonly #prefix: string;
  readonly #make: (line: KeyLineOptions, onUnused: () => void) => Holdings;
  readonly #used = new Map<string, Holdings>();

  /** @internal */
  constructor(space: Namespace, name: string, make: (line: KeyLineOptions, onUnused: () => void) => Holdings) {
    refusePosting(this, UNPOSTABLE);
    this.#space = space;
    this.name = name;
    this.#make = make;
    this.#prefix = prefixOf(name);
  }

  toString(): string {
    return `KeyedMutex '${this.name}'`;
  }

  /**
   * Returns the lock of a key, with the operations of a `RemoteLock`. It takes no memory of the server until it is
   * locked.
   *
   * @throws {TypeError} If the key is not a string.
   * @throws {RangeError} If the key is too long.
   */
  at(key: string): RemoteKeyLock {
    const lock = new RemoteKeyLock(this, checkKey(key));
    place(lock, {
      space: this.#space,
      key: `k:${this.#prefix}${key}`,
      title: lock.toString(),
      permits: 1,
      most: 1,
      addsUp: false,
      take: (_, options) => this.holdAsync(key, options),
    });
    return lock;
  }

  /**
   * Locks a key. The promise resolves when this process holds it. Rejects with the errors of `RemoteLock.lockAsync`,
   * and with `TypeError` or `RangeError` for a wrong key.
   */
  lockAsync(key: string, options: WaitOptions = {}): Promise<void> {
    return this.#use(key, async (holdings) => holdings.keep(await holdings.take(1, options)));
  }

  /**
   * Locks a key if it becomes available within `timeoutMs`. With 0, the default, it does not wait. Resolves with
   * whether it locked the key.
   */
  tryLock(key: string, timeoutMs = 0): Promise<boolean> {
    return this.#use(key, async (holdings) => {
      const grant = await holdings.tryTake(1, timeoutMs);
      if (grant !== undefined) holdings.keep(grant);
      return grant !== undefined;
    });
  }

  /**
   * Unlocks a key. Rejects with `MisuseError` if this process does not hold the key, or holds it only by a guard.
   * Rejects with `LeaseLostError` if the key was lost.
   */
  unlock(key: string): Promise<void> {
    return this.#use(key, (holdings) => holdings.giveBack(1));
  }

  /** Locks a key as `lockAsync` does; resolves with a guard that unlocks it. */
  holdAsync(key: string, options: WaitOptions = {}): Promise<RemoteGuard> {
    return this.#use(key, async (holdings) => holdings.guard(await holdings.take(1, options)));
  }

  /** Locks a key as `tryLock` does; resolves with a guard, or `null`. */
  tryHold(key: string, timeoutMs = 0): Promise<RemoteGuard | null> {
    return this.#use(key, async (holdings) => {
      const grant = await holdings.tryTake(1, timeoutMs);
      return grant === undefined ? null : holdings.guard(grant);
    });
  }

  /**
   * Runs `body` with the key locked. Unlocks the key when the promise that `body` returns settles. `body` gets the
   * guard.
   */
  runAsync<T>(key: string, body: (guard: RemoteGuard) => T | PromiseLike<T>, options: WaitOptions = {}): Promise<T> {
    return this.#use(key, (holdings) => holdings.run(body, holdings.line.title, 1, options));
  }

  /** Whether this process holds a key, through this object. */
  owns(key: string): boolean {
    return this.#used.get(checkKey(key))?.held ?? false;
  }

  /**
   * Resolves with a snapshot over all processes: the keys that are held or waited for. The server visits all of them.
   */
  async inspect(): Promise<RemoteKeyedMutexReport> {
    const prefix = `k:${this.#prefix}`;
    return { kind: 'keyed-mutex', name: this.name, keys: readKeys(await this.#space.ask('keys', prefix), prefix) };
  }

  [INSPECT](): string {
    return `RemoteKeyedMutex { name: '${this.name}' }`;
  }

  /**
   * Calls a function with this process's holdings of a key. The holdings are dropped when the process neither holds the
   * key nor waits for it.
   */
  async #use<T>(key: string, call: (holdings: Holdings) => Promise<T>): Promise<T> {
    const name = checkKey(key);
    const line: KeyLineOptions = {
      name: this.#prefix + name,
      title: `${this.toString()}, key ${JSON.stringify(name)}`,
    };
    const holdings = this.#used.get(name) ?? this.#add(name, line);
    try {
      return await call(holdings);
    } finally {
      holdings.tidy();
    }
  }

  #add(name: string, line: KeyLineOptions): Holdings {
    const added: Holdings = this.#make(line, () => {
      // An unlock tidies twice. In between, the next caller may have added its own holdings.
      if (this.#used.get(name) === added) this.#used.delete(name);
    });
    this.#used.set(name, added);
    return added;
  }
}

/** The options of a key's line: its name on the server, and its title. */
export type KeyLineOptions = Pick<RemotePrimitive, 'name' | 'title'>;
