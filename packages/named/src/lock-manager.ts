// The interface of the Web Locks API over an arena. W3C, Web Locks API: https://w3c.github.io/web-locks/

import { HandleError, hasCode, MisuseError, type Arena } from '@sluice/core';
import {
  BLOCK_TAG,
  checkOptions,
  checkPlace,
  chosenArena,
  findPrimitive,
  handleTo,
  HEADER_ID,
  INSPECT,
  kindCode,
  oneLine,
  reasonOf,
  refusePosting,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { asInterface, lockOf, type LockMode } from './held-lock.ts';
import { hashOf } from './key.ts';
import { KeyTable, type TableTraits } from './key-table.ts';
import { MARK_LOCKS, USUALLY_KEPT } from './layout.ts';
import { ALL, endLine, LINES, openLine, permitsOf, watch, type Holding, type Line } from './line.ts';
import { handled } from './locks.ts';
import {
  readRequest,
  stolen,
  type LockCallback,
  type LockOrNullCallback,
  type LockRequest,
  type LockRequestOptions,
} from './lock-request.ts';
import { WaitingRequests, type Waiting } from './waiting.ts';

export type LockManagerHandle = PrimitiveHandle<'sluice.lock-manager'>;

export interface LockManagerOptions {
  /** The arena that contains it. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
}

/** A lock that is held or requested, in a snapshot. */
export interface LockInfo {
  readonly name: string;
  readonly mode: LockMode;
  /** The `clientId` of the thread that holds or requests it. */
  readonly clientId: string;
}

/** What `query` resolves with. */
export interface LockManagerSnapshot {
  readonly held: readonly LockInfo[];
  /** The requests that wait, those of one name in the order in which they will be served. */
  readonly pending: readonly LockInfo[];
}

const OPTIONS: readonly string[] = ['arena', 'name'];
const TRAITS: TableTraits = { mark: MARK_LOCKS, payload: 0, kept: USUALLY_KEPT, className: 'LockManager', what: 'The lock manager', entries: LINES };
/** Opened lines that are kept for the next requests. */
const MOST_OPENED = 64;

let construct: (keys: KeyTable) => LockManager;

/**
 * Locks by name with the interface of `navigator.locks`, for all threads of an arena.
 *
 * - The requests of one name are served in the order in which they were made. A request with `mode: 'shared'` may hold the lock together with others.
 * - The lock is held until the promise that the callback returns settles, or the callback throws.
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
 *   console.log((await locks.query()).held.length); // 1
 * });
 * ```
 */
export class LockManager {
  /** Post this to another thread and give it to `LockManager.from` there. */
  readonly handle: LockManagerHandle;
  readonly #keys: KeyTable;
  readonly #lines = new Map<number, Line>();
  readonly #waiting: WaitingRequests;

  static {
    construct = (keys) => new this(keys);
    asInterface(this, 'LockManager', ['request', 'query']);
    // The arguments that the specification requires.
    Object.defineProperty(Reflect.get(this.prototype, 'request'), 'length', { value: 2 });
  }

  private constructor(...[keys]: readonly [keys: KeyTable]) {
    refusePosting(this);
    checkPlace(keys, 'LockManager');
    this.#keys = keys;
    this.#waiting = new WaitingRequests(keys.context);
    this.handle = Object.freeze({ ...handleTo('sluice.lock-manager', keys.place), modules: keys.modules });
  }

  /** Creates a lock manager. Throws `TypeError`, `RangeError` or `ArenaFullError`. */
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
    const { arena, address } = findPrimitive(handle, 'sluice.lock-manager', kindCode('mutex'));
    const keys = KeyTable.at(arena, address, TRAITS);
    if (keys === undefined) throw new HandleError(`Not a handle of kind sluice.lock-manager: address ${address} holds another kind.`);
    return construct(keys);
  }

  /** The title that messages use, such as "LockManager 'locks'". */
  toString(): string {
    return this.#keys.title;
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    this.#keys.checkThere();
    return this.#keys.name;
  }

  /** The arena that contains it. */
  get arena(): Arena {
    return this.#keys.arena;
  }

  /** Identifies this thread in snapshots, in this arena. */
  get clientId(): string {
    return this.#clientIdOf(this.#keys.context.id);
  }

  /**
   * Requests the lock of that name, and calls `callback` when this thread holds it. The promise settles as the callback's result does, after the
   * release.
   *
   * A pending request keeps the event loop alive. Members of `options` that the specification does not know are ignored.
   *
   * Rejects with
   * - `TypeError` for a wrong argument, and `RangeError` for a name of more than 4,096 code units;
   * - a `DOMException` named `NotSupportedError` if the name begins with '-', or if options exclude each other;
   * - `signal.reason` if the signal is aborted before the callback is called;
   * - a `DOMException` named `AbortError` if another request stole the lock;
   * - `MisuseError` if the lock manager was freed, and `ArenaFullError` if the arena has no room for the request.
   */
  request<T>(name: string, callback: LockCallback<T>): Promise<Awaited<T>>;
  request<T>(name: string, options: LockRequestOptions & { readonly ifAvailable?: false }, callback: LockCallback<T>): Promise<Awaited<T>>;
  request<T>(name: string, options: LockRequestOptions, callback: LockOrNullCallback<T>): Promise<Awaited<T>>;
  async request(...given: readonly unknown[]): Promise<unknown> {
    const request = readRequest(given);
    if (request.ifAvailable) return this.#requestIfAvailable(request);
    if (request.steal) return this.#hold(this.#steal(request.name), request);
    const line = await this.#wait(request);
    return this.#hold(line, request);
  }

  /** A snapshot of the locks that are held and of the requests that wait. */
  async query(): Promise<LockManagerSnapshot> {
    await Promise.resolve();
    const held: LockInfo[] = [];
    const pending: LockInfo[] = [];
    const { table } = this.#keys;
    this.#keys.under(() => {
      for (const entry of table.busy()) {
        const name = table.keyOf(entry);
        const { holders, waiters } = this.#open(entry).semaphore.inspect();
        for (const holder of holders) held.push(...this.#infos(name, holder));
        for (const waiter of waiters) pending.push(...this.#infos(name, waiter));
      }
    });
    return { held, pending };
  }

  [INSPECT](): string {
    return oneLine('LockManager', () => ({ name: this.name }));
  }

  /**
   * Frees its memory, which another primitive may reuse. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If a lock is held or requested, or it was already freed.
   */
  free(): void {
    this.#keys.free((entry) => new MisuseError(`${this.toString()} is in use and cannot be freed: the lock ${JSON.stringify(this.#keys.table.keyOf(entry))} is held or requested.`));
  }

  async #requestIfAvailable(request: LockRequest): Promise<unknown> {
    const { name, mode, callback } = request;
    const line = this.#keys.visit(name, (entry) => {
      const found = this.#open(entry);
      return found.semaphore.tryAcquire(permitsOf(mode)) ? found : undefined;
    });
    if (line !== undefined) return this.#hold(line, request);
    await Promise.resolve();
    return callback(null);
  }

  /** Waits for the lock; returns the line in which it is held. */
  async #wait(request: LockRequest): Promise<Line> {
    const { name, mode, signal } = request;
    for (let moved = this.#waiting.firstToMove(name); moved !== undefined; moved = this.#waiting.firstToMove(name)) await moved;
    let place: Waiting | undefined;
    try {
      for (;;) {
        const { line, wait } = this.#draw(request);
        if (place !== undefined) this.#waiting.remove(name, place);
        place = this.#waiting.add(name, line);
        try {
          await wait;
        } catch (failure) {
          this.#keys.afterWait(() => this.#tidy(line, name));
          // A request stole the lock: the line is another one now.
          if (hasCode(failure, 'SLUICE_CLOSED')) continue;
          throw failure;
        }
        // The abort may have come after the lock and before this.
        if (signal?.aborted !== true) return line;
        this.#release(line, name, mode);
        throw reasonOf(signal);
      }
    } finally {
      if (place !== undefined) this.#waiting.remove(name, place);
    }
  }

  /** Draws a ticket in the line of the name, under the mutex of the table. */
  #draw({ name, mode, signal }: LockRequest): { readonly line: Line; readonly wait: Promise<void> } {
    return this.#keys.visit(name, (entry) => {
      const line = this.#open(entry);
      return { line, wait: handled(line.semaphore.acquireAsync(permitsOf(mode), { signal })) };
    });
  }

  /** Takes the lock from its holders. */
  #steal(name: string): Line {
    const { table } = this.#keys;
    return this.#keys.visit(name, (entry) => {
      const old = this.#open(entry);
      if (old.semaphore.tryAcquire(ALL)) return old;
      // What earlier holders left whose lock was stolen before they died.
      table.collect();
      // Taken once it is in the table: what is beside the table is never held by an agent that died on the way.
      const taken = this.#open(table.replace(entry, name, hashOf(name)));
      taken.semaphore.tryAcquire(ALL);
      endLine(this.#keys.placeOf(entry));
      this.#tidy(old, name);
      return taken;
    });
  }

  /** Calls the callback with the lock, and releases it. */
  async #hold(line: Line, { name, mode, callback, signal }: LockRequest): Promise<unknown> {
    const { promise, holding } = this.#enter(line, name);
    // Never within the call of `request`.
    await Promise.resolve();
    if (signal?.aborted === true) {
      this.#leave(line, holding, name, mode);
      throw reasonOf(signal);
    }
    const body = new Promise<unknown>((resolve) => resolve(callback(lockOf(name, mode))));
    const ended = body.finally(() => this.#leave(line, holding, name, mode));
    return Promise.race([ended, promise]);
  }

  /** `promise`: rejects if the lock is stolen. */
  #enter(line: Line, name: string): { readonly promise: Promise<never>; readonly holding: Holding } {
    let onStolen = (): void => undefined;
    const promise = new Promise<never>((_, reject) => {
      onStolen = () => reject(stolen(name));
    });
    // A lock that is stolen before the callback is called rejects later, with the race.
    promise.catch(() => undefined);
    const holding = { onStolen: () => onStolen() };
    line.held.add(holding);
    watch(this.#keys.place, line);
    return { promise, holding };
  }

  #leave(line: Line, holding: Holding, name: string, mode: LockMode): void {
    line.held.delete(holding);
    this.#release(line, name, mode);
  }

  #release(line: Line, name: string, mode: LockMode): void {
    this.#keys.under(() => {
      line.semaphore.release(permitsOf(mode));
      this.#tidy(line, name);
    });
  }

  /** Lets go of a line if no agent uses it. */
  #tidy({ entry, tag }: Line, name: string): void {
    const { table, context } = this.#keys;
    // Another agent has freed it.
    if (Math.abs(context.words.load32(entry + BLOCK_TAG)) !== tag) return;
    if (table.find(name, hashOf(name)) === entry) table.tidy(entry);
    else if (this.#keys.isFree(entry)) this.#keys.drop(entry);
  }

  #open(entry: number): Line {
    const place = this.#keys.placeOf(entry);
    const known = this.#lines.get(entry);
    if (known?.tag === place.tag) return known;
    if (this.#lines.size >= MOST_OPENED) for (const [at, { held }] of this.#lines) if (held.size === 0) this.#lines.delete(at);
    const line = openLine(place);
    this.#lines.set(entry, line);
    return line;
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

