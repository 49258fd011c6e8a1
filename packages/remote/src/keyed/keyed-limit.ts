// A limit of concurrency for each key, and one for all keys together, over all processes of a namespace.
//
// A call takes a slot of its key first, and then one of all keys. So a key with many waiting calls has at most
// `concurrency` of them in the second line.

import { hasCode, UnsupportedError, type WaitOptions } from '@sluice/core';
import {
  checkAsyncBody,
  checkInteger,
  checkOptions,
  checkTimeout,
  checkWait,
  INSPECT,
  MAX_PERMITS,
  NO_WAIT_OPTIONS,
  refusePosting,
} from '@sluice/core/calls';
import type { Grant } from '../session/grant.ts';
import { RemoteGuard } from '../primitives/guard.ts';
import type { Holdings } from '../primitives/holdings.ts';
import type { Namespace } from '../primitives/namespace.ts';
import { UNPOSTABLE } from '../primitives/unpostable.ts';
import { readReport } from '../report/report.ts';
import { readKeys } from '../report/key-report.ts';
import { RemoteKeyLimit } from './key-limit.ts';
import type { RemoteKeyedLimitReport } from './keyed-limit-report.ts';
import { checkKey, keyTitle, prefixOf } from '../line/remote-key.ts';

export interface RemoteKeyedLimitOptions {
  /** The maximum of calls for one key that run at a time, over all processes: 1 to 2^31 − 1. */
  readonly concurrency: number;
  /** The maximum of calls for all keys together, over all processes. Default: none. */
  readonly total?: number | undefined;
  /**
   * The number of calls of this process for one key that one slot of the key may serve before it goes back to the server.
   * Default: 4. With 1, every waiting call has its own place in the line of the server.
   */
  readonly bypass?: number | undefined;
}

/** Makes what this process holds of a key, or of all keys. */
export interface SlotsMaker {
  /** The time of the monotonic clock in ms. */
  readonly now: () => number;
  readonly ofKey: (name: string, title: string, permits: number, bypass: number, onUnused: () => void) => Holdings;
  readonly ofAll: (permits: number) => Holdings;
}

/**
 * Limits how many calls run at a time: at most `concurrency` for each key, and at most `total` for all keys together,
 * over all processes of a namespace. Made by `space.keyedLimit`. Keys are strings of at most 4,096 UTF-16 code units.
 *
 * - The slots of a key are granted in FIFO order to processes, and a slot serves at most `bypass` calls of a process before
 *   the next one has its turn. A call then waits for a slot of all keys, in FIFO order over all processes.
 * - Keys share the total fairly: at most `concurrency` waiting calls of each other key start before the first call of a
 *   key.
 * - A call that times out or is aborted takes no slot.
 * - When a process dies, its slots and its places in line are free after its lease.
 * - A key takes memory of the server and of this process only while a call of it runs or waits.
 */
export class RemoteKeyedLimit {
  readonly name: string;
  /** The maximum of calls for one key that run at a time. */
  readonly concurrency: number;
  /** The maximum of calls for all keys that run at a time; `Infinity` without a maximum. */
  readonly total: number;
  readonly #space: Namespace;
  readonly #bypass: number;
  readonly #prefix: string;
  readonly #make: SlotsMaker;
  readonly #all: Holdings | undefined;
  readonly #used = new Map<string, Holdings>();

  /** @internal */
  constructor(space: Namespace, name: string, options: RemoteKeyedLimitOptions, make: SlotsMaker) {
    refusePosting(this, UNPOSTABLE);
    checkOptions(options, ['concurrency', 'total', 'bypass']);
    const { concurrency, total, bypass = 4 } = options;
    const title = `KeyedLimit '${name}'`;
    this.concurrency = checkInteger(`${title}: concurrency`, concurrency, 1, MAX_PERMITS);
    this.total = total === undefined ? Infinity : checkInteger(`${title}: total`, total, 1, MAX_PERMITS);
    this.#bypass = checkInteger(`${title}: bypass`, bypass, 1, MAX_PERMITS);
    this.#space = space;
    this.name = name;
    this.#prefix = prefixOf(name);
    this.#make = make;
    this.#all = total === undefined ? undefined : make.ofAll(total);
  }

  toString(): string {
    return `KeyedLimit '${this.name}'`;
  }

  /**
   * Returns the limit of a key as an object.
   *
   * @throws {TypeError} If the key is not a string.
   * @throws {RangeError} If the key is too long.
   */
  for(key: string): RemoteKeyLimit {
    return new RemoteKeyLimit(this, checkKey(key));
  }

  /**
   * Takes a slot of a key and one of all keys; resolves with a guard that releases them. Rejects with the errors of
   * `RemoteSemaphore.acquireAsync`, and with `TypeError` or `RangeError` for a wrong key. The timeout is for both waits
   * together.
   */
  async holdAsync(key: string, options: WaitOptions = NO_WAIT_OPTIONS): Promise<RemoteGuard> {
    return this.#hold(checkKey(key), checkWait(options));
  }

  /**
   * Takes the slots as `holdAsync` does, if they are free within `timeoutMs`. Resolves with a guard, or `null`. With 0,
   * the default, the call does not wait.
   */
  async tryHold(key: string, timeoutMs = 0): Promise<RemoteGuard | null> {
    checkTimeout(timeoutMs);
    try {
      return await this.#hold(checkKey(key), { timeout: timeoutMs });
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_TIMEOUT')) return null;
      throw failure;
    }
  }

  /**
   * Calls `body` in the slots that `holdAsync` takes, and settles as its result does. Releases them when the promise
   * that `body` returns settles. `body` gets the guard.
   */
  async runAsync<T>(
    key: string,
    body: (guard: RemoteGuard) => T | PromiseLike<T>,
    options: WaitOptions = NO_WAIT_OPTIONS,
  ): Promise<T> {
    checkAsyncBody(body, this);
    const guard = await this.holdAsync(key, options);
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

  /**
   * Resolves with a snapshot over all processes: the keys in use, with the sessions that have their slots and those that
   * wait. The call asks the server once for each key, so the keys are not seen at the same moment.
   */
  async inspect(): Promise<RemoteKeyedLimitReport> {
    const prefix = `n:${this.#prefix}`;
    const keys = await Promise.all(
      readKeys(await this.#space.ask('keys', prefix), prefix).map(async ({ key }) => {
        const { holders, waiters } = readReport(key, 0, await this.#space.ask('look', prefix + key));
        return { key, holders, waiters };
      }),
    );
    const all = this.#all && (await this.#space.look(this.#all.line));
    const { concurrency, total } = this;
    const running = all?.holders.length ?? keys.reduce((sum, { holders }) => sum + holders.length, 0);
    return {
      kind: 'keyed-limit',
      name: this.name,
      concurrency,
      ...(total === Infinity ? {} : { total }),
      running,
      waiting: all?.waiters.length ?? 0,
      keys: keys.filter(({ holders, waiters }) => holders.length + waiters.length > 0),
    };
  }

  /**
   * Not possible over a server.
   *
   * @throws {UnsupportedError} Always.
   */
  hold(): never {
    throw this.#blocks('holdAsync');
  }

  /**
   * Not possible over a server.
   *
   * @throws {UnsupportedError} Always.
   */
  run(): never {
    throw this.#blocks('runAsync');
  }

  [INSPECT](): string {
    return `RemoteKeyedLimit { name: '${this.name}', concurrency: ${this.concurrency}, total: ${this.total} }`;
  }

  async #hold(key: string, options: WaitOptions): Promise<RemoteGuard> {
    const { timeout = Infinity } = options;
    const ends = this.#make.now() + timeout;
    const slots = this.#slotsOf(key);
    let own: Grant;
    try {
      own = await slots.take(1, options);
    } catch (failure) {
      slots.tidy();
      throw failure;
    }
    const all = this.#all;
    if (all === undefined) return slots.guard(own);
    const ofKey = slots.guard(own);
    let ofAll: RemoteGuard | undefined;
    try {
      const left = timeout === 0 ? 0 : Math.max(1, ends - this.#make.now());
      const shared = await all.take(1, { ...options, timeout: left });
      const guard = (ofAll = all.guard(shared));
      // The session may have been lost between the two waits.
      own.assertHeld();
      return new RemoteGuard(shared, () => releaseBoth(guard, ofKey));
    } catch (failure) {
      await ofAll?.release().catch(() => undefined);
      await ofKey.release().catch(() => undefined);
      throw failure;
    }
  }

  #slotsOf(key: string): Holdings {
    const known = this.#used.get(key);
    if (known !== undefined) return known;
    const added: Holdings = this.#make.ofKey(
      this.#prefix + key,
      keyTitle(this.toString(), key),
      this.concurrency,
      this.#bypass,
      () => {
        if (this.#used.get(key) === added) this.#used.delete(key);
      },
    );
    this.#used.set(key, added);
    return added;
  }

  #blocks(instead: string): UnsupportedError {
    return new UnsupportedError(`${this.toString()} is on a server, so no thread can block on it: use ${instead}.`);
  }
}

/** Releases the slot of all keys first, so that the next call of this key is behind the waiting calls of other keys. */
async function releaseBoth(ofAll: RemoteGuard, ofKey: RemoteGuard): Promise<void> {
  const [first, second] = await Promise.allSettled([ofAll.release(), ofKey.release()]);
  if (first.status === 'rejected') throw first.reason;
  if (second.status === 'rejected') throw second.reason;
}
