// The interface of the Web Locks API over an arena. W3C, Web Locks API: https://w3c.github.io/web-locks/

import { MisuseError, type Arena } from '@sluice/core';
import { HEADER_ID } from '@sluice/core/format';
import { checkOptions, INSPECT, consoleText, refusePosting } from '@sluice/core/calls';
import { checkOpened, chosenArena, type PrimitiveHandle } from '@sluice/core/internal';
import { asInterface, type LockMode } from './held-lock.ts';
import { KeyTable, type TableTraits } from '../table/key-table.ts';
import { MARK_LOCKS, USUALLY_KEPT } from '../table/layout.ts';
import { ALL, LINES } from './request-queue.ts';
import { LockLines } from './lock-lines.ts';
import { readRequest, type LockCallback, type LockOrNullCallback, type LockRequestOptions } from './lock-request.ts';
import { OpenRequest, type ManagerParts } from './open-request.ts';
import { WaitingRequests } from './waiting-requests.ts';

const KIND = 'sluice.lock-manager';

export type LockManagerHandle = PrimitiveHandle<typeof KIND>;

export interface LockManagerOptions {
  /** The arena that contains the lock manager. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
}

// These are the types of the DOM, in which members are optional and writable. So code for `navigator.locks` compiles
// unchanged.

/** A lock that is held or requested, in a snapshot. All members are present. */
export interface LockInfo {
  name?: string;
  mode?: LockMode;
  /** The `clientId` of the thread that holds or requests it. */
  clientId?: string;
}

/** The result of `query`. Both members are present. */
export interface LockManagerSnapshot {
  held?: LockInfo[];
  /** The waiting requests. The requests of one name are in the order in which they will be served. */
  pending?: LockInfo[];
}

const OPTIONS: readonly string[] = ['arena', 'name'];
const TRAITS: TableTraits = {
  mark: MARK_LOCKS,
  payload: 0,
  kept: USUALLY_KEPT,
  className: 'LockManager',
  what: 'The lock manager',
  entries: LINES,
};
let construct: (keys: KeyTable) => LockManager;

/**
 * Locks by name with the interface of `navigator.locks`, for all threads of an arena.
 *
 * - The requests of one name are served in the order in which they were made. A request with `mode: 'shared'` may hold
 *   the lock together with others.
 * - A thread holds the lock until the promise of its callback settles, or until the callback throws.
 * - If a thread dies and is recovered, its locks are released and its requests are gone.
 * - Names are strings of at most 4,096 UTF-16 code units.
 *
 * ```ts run
 * import { LockManager } from '@sluice/named';
 *
 * const locks = LockManager.create();
 * await locks.request('orders', async (lock) => {
 *   console.log(lock.name, lock.mode); // orders exclusive
 *   await locks.request('orders', { ifAvailable: true }, (other) => console.log(other)); // null
 *   console.log((await locks.query()).held?.length); // 1
 * });
 * ```
 */
export class LockManager {
  /** The handle to post to another thread. Pass it to `LockManager.from` there. */
  readonly handle: LockManagerHandle;
  readonly #keys: KeyTable;
  readonly #parts: ManagerParts;

  static {
    construct = (keys) => new this(keys);
    asInterface(this, 'LockManager', ['request', 'query']);
    // The number of arguments that the specification requires.
    Object.defineProperty(Reflect.get(this.prototype, 'request'), 'length', { value: 2 });
  }

  private constructor(...[keys]: readonly [keys: KeyTable]) {
    refusePosting(this);
    checkOpened(keys, 'LockManager');
    this.#keys = keys;
    this.#parts = { keys, lines: new LockLines(keys), waiting: new WaitingRequests(keys.context) };
    this.handle = Object.freeze(keys.handle(KIND));
  }

  /**
   * Creates a lock manager.
   *
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {RangeError} If an option is out of range.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: LockManagerOptions = {}): LockManager {
    checkOptions(options, OPTIONS);
    return construct(KeyTable.create(chosenArena(options.arena), options.name, TRAITS, true));
  }

  /**
   * Opens the lock manager that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live lock manager.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: LockManagerHandle): LockManager {
    return construct(KeyTable.open(handle, KIND, TRAITS));
  }

  /** Returns the title for messages, such as "LockManager 'locks'". */
  toString(): string {
    return this.#keys.title;
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    this.#keys.checkThere();
    return this.#keys.name;
  }

  /** The arena that contains the lock manager. */
  get arena(): Arena {
    return this.#keys.arena;
  }

  /** Identifies this thread in snapshots, in this arena. */
  get clientId(): string {
    return this.#clientIdOf(this.#keys.context.id);
  }

  /**
   * Requests the lock of that name, and calls `callback` when this thread holds it. When the callback's result has
   * settled, the lock is released. Then the returned promise settles with the same value or error.
   *
   * A pending request keeps the event loop alive. Members of `options` that the specification does not know are
   * ignored.
   *
   * Rejects with
   * - `TypeError` for a wrong argument, and `RangeError` for a name of more than 4,096 code units;
   * - a `DOMException` named `NotSupportedError` if the name begins with '-', or if options exclude each other;
   * - `signal.reason` if the signal is aborted before the callback is called;
   * - a `DOMException` named `AbortError` if another request stole the lock;
   * - `MisuseError` if the lock manager was freed, and `ArenaFullError` if the arena has no room for the request.
   */
  request<T>(name: string, callback: LockCallback<T>): Promise<Awaited<T>>;
  request<T>(
    name: string,
    options: LockRequestOptions & { readonly ifAvailable?: false },
    callback: LockCallback<T>,
  ): Promise<Awaited<T>>;
  request<T>(name: string, options: LockRequestOptions, callback: LockOrNullCallback<T>): Promise<Awaited<T>>;
  request(...given: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      new OpenRequest(this.#parts, readRequest(given), resolve, reject).begin();
    });
  }

  /** Returns a snapshot of the held locks and the waiting requests. */
  async query(): Promise<LockManagerSnapshot> {
    await this.#keys.context.budget.done();
    const held: LockInfo[] = [];
    const pending: LockInfo[] = [];
    const { table } = this.#keys;
    this.#keys.under(() => {
      for (const entry of table.busy()) {
        const name = table.keyOf(entry);
        const { holders, waiters } = this.#parts.lines.open(entry).semaphore.inspect();
        for (const holder of holders) held.push(...this.#infos(name, holder));
        for (const waiter of waiters) pending.push(...this.#infos(name, waiter));
      }
    });
    return { held, pending };
  }

  [INSPECT](): string {
    return consoleText('LockManager', () => ({ name: this.name }));
  }

  /**
   * Frees the lock manager's memory, which another primitive may reuse. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If a lock is held or requested, or it was already freed.
   */
  free(): void {
    this.#keys.free(
      (entry) =>
        new MisuseError(
          `${this.toString()} is in use and cannot be freed: the lock ${JSON.stringify(this.#keys.table.keyOf(entry))} is held or requested.`,
        ),
    );
  }

  #infos(name: string, { agent, permits }: { readonly agent: number; readonly permits: number }): LockInfo[] {
    const clientId = this.#clientIdOf(agent);
    if (permits >= ALL) return [{ name, mode: 'exclusive', clientId }];
    return Array.from({ length: permits }, () => ({ name, mode: 'shared', clientId }));
  }

  #clientIdOf(agent: number): string {
    const arena = BigInt.asUintN(64, this.#keys.context.words.load64(HEADER_ID)).toString(16).padStart(16, '0');
    return `${arena}-${agent}`;
  }
}
