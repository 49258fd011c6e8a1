// A limit of concurrency for each key, and one for all keys together.

import { type Guard, type NotPromise, type WaitOptions } from '@sluice/core';
import { checkOpened, Primitive } from '@sluice/core/internal';
import { checkKey } from '../table/key.ts';
import { KeyLimit, SlotLock } from './key-limit.ts';
import { KeySlots } from './key-slots.ts';
import { lineOf } from './slot-line.ts';
import {
  createSlots,
  KIND,
  NAMING,
  openSlots,
  type KeyedLimitHandle,
  type KeyedLimitOptions,
  type OpenedLimitTable,
} from './limit-table.ts';
import { reportSlots, type KeyedLimitReport } from './slot-report.ts';

let construct: (opened: OpenedLimitTable) => KeyedLimit;

/**
 * Limits how many calls run at a time: at most `concurrency` for each key, and at most `total` for all keys together,
 * over all agents that share the limit. Keys are strings of at most 4,096 UTF-16 code units.
 *
 * - The slots of a key are granted in FIFO order, to blocking and async calls together. A call then waits for a slot of
 *   all keys, also in FIFO order.
 * - Keys share the total fairly. When the first call of a key begins to wait, at most `concurrency` calls of each other
 *   key that wait already start before it.
 * - A call that times out or is aborted takes no slot.
 * - If an agent dies, its recovery releases its slots and its places in line.
 * - A key takes memory while a call runs or waits for it. At most 128 idle keys keep their memory for the next use.
 *
 * ```ts run
 * import { KeyedLimit } from '@sluice/named';
 *
 * const tenants = KeyedLimit.create({ concurrency: 2, total: 20, name: 'tenants' });
 * const one = tenants.hold('acme');
 * const two = tenants.hold('acme');
 * console.log(tenants.tryHold('acme'), tenants.inspect().running); // null 2
 * console.log(await tenants.runAsync('other', async () => tenants.inspect().running)); // 3
 * one.release();
 * two.release();
 * console.log(tenants.inspect().keys); // []
 * ```
 */
export class KeyedLimit extends Primitive {
  /** The handle to post to another thread. Pass it to `KeyedLimit.from` there. */
  readonly handle: KeyedLimitHandle;
  readonly #slots: KeySlots;
  readonly #concurrency: number;
  readonly #total: number;

  static {
    construct = (opened) => new this(opened);
  }

  private constructor(opened: OpenedLimitTable | undefined) {
    super(opened?.keys.ref, NAMING);
    checkOpened(opened, NAMING.className);
    const { keys, concurrency, total } = opened;
    this.#slots = new KeySlots(keys, total === undefined ? undefined : lineOf(total));
    this.#concurrency = concurrency;
    this.#total = total?.max ?? Infinity;
    this.handle = Object.freeze({ ...keys.handle(KIND), ...(total === undefined ? {} : { total: total.handle }) });
  }

  /**
   * Creates a keyed limit. No call runs.
   *
   * @throws {RangeError} If a number is out of range, or the name is too long.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: KeyedLimitOptions): KeyedLimit {
    return construct(createSlots(options));
  }

  /**
   * Opens the keyed limit that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live keyed limit.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: KeyedLimitHandle): KeyedLimit {
    return construct(openSlots(handle));
  }

  /** The maximum of calls for one key that run at a time. */
  get concurrency(): number {
    return this.#concurrency;
  }

  /** The maximum of calls for all keys that run at a time; `Infinity` without a maximum. */
  get total(): number {
    return this.#total;
  }

  /**
   * Returns the limit of a key as an object.
   *
   * @throws {TypeError} If the key is not a string.
   * @throws {RangeError} If the key is too long.
   */
  for(key: string): KeyLimit {
    checkKey('The key', key);
    this.checkThere();
    return new KeyLimit(this.#slots, key);
  }

  /**
   * Takes a slot of a key and one of all keys, blocking the calling thread until both are free. Returns a guard that
   * releases them.
   *
   * @throws {TypeError} If the key is not a string.
   * @throws {RangeError} If the key is too long.
   * @throws {MisuseError} On a browser's main thread; use `holdAsync`.
   * @throws {DeadlockError} If an async call of this agent waits for the key or for a slot of all keys. It could not
   *   settle while the agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the key or for the waiter.
   */
  hold(key: string): Guard {
    return this.#lockOf(key).hold();
  }

  /**
   * Takes the slots as `hold` does, if they are free within `timeoutMs`. Returns a guard, or `null`.
   *
   * With 0, the default, the call does not wait, and takes nothing while another call waits for the same slots.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `hold`.
   */
  tryHold(key: string, timeoutMs = 0): Guard | null {
    return this.#lockOf(key).tryHold(timeoutMs);
  }

  /**
   * Takes the slots without blocking the thread. Resolves with a guard that releases them.
   *
   * A pending call keeps the event loop alive, unless `ref` is `false`. If the promise rejects, no slot was taken. It
   * rejects with the errors of `hold`, with `TimeoutError` if `timeout` elapses first, and with `signal.reason` if the
   * signal is aborted first.
   */
  async holdAsync(key: string, options?: WaitOptions): Promise<Guard> {
    return this.#lockOf(key).holdAsync(options);
  }

  /**
   * Calls `body` in the slots that `hold` takes, and returns its result. Releases them even if `body` throws.
   *
   * @throws {MisuseError} If `body` is an async or generator function, or returns a thenable; use `runAsync`.
   * @throws The errors of `hold`.
   */
  run<T>(key: string, body: () => NotPromise<T>): T {
    return this.#lockOf(key).run(body);
  }

  /**
   * Calls `body` in the slots that `holdAsync` takes, and settles as its result does. Releases them when the promise
   * that `body` returns settles.
   */
  async runAsync<T>(key: string, body: () => T | PromiseLike<T>, options?: WaitOptions): Promise<T> {
    return this.#lockOf(key).runAsync(body, options);
  }

  /** Returns a snapshot: the keys in use, with the agents that have their slots and the calls that wait. */
  inspect(): KeyedLimitReport {
    this.checkThere();
    return reportSlots(this.#slots, this.#concurrency, this.#total);
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    // Without `inspect`, which scans the arena for each key.
    return { concurrency: this.#concurrency, total: this.#total };
  }

  /**
   * Frees the limit's memory, which another primitive may reuse. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If a call runs or waits, or it was already freed.
   */
  override free(): void {
    this.#slots.free();
  }

  #lockOf(key: string): SlotLock {
    return new SlotLock(this.#slots, checkKey('The key', key));
  }
}
