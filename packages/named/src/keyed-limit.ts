// A limit of concurrency for each key, and one for all keys together.

import {
  HandleError,
  Semaphore,
  type Arena,
  type Guard,
  type NotPromise,
  type SemaphoreHandle,
  type WaitOptions,
} from '@sluice/core';
import {
  checkInteger,
  checkOptions,
  checkPlace,
  chosenArena,
  corrupt,
  findPrimitive,
  handleTo,
  INSPECT,
  MAX_PERMITS,
  consoleText,
  refusePosting,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { MUTEX } from '@sluice/mutex/internal';
import { checkKey } from './key.ts';
import { KeyLimit, SlotLock } from './key-limit.ts';
import { KeySlots } from './key-slots.ts';
import { KeyTable, type TableTraits } from './key-table.ts';
import { MARK_SLOTS, USUALLY_KEPT } from './layout.ts';
import { lineOf, SlotEntries } from './slot-line.ts';
import { reportSlots, type KeyedLimitReport } from './slot-report.ts';

/** The handle to post to another thread. Pass it to `KeyedLimit.from` there. */
export interface KeyedLimitHandle extends PrimitiveHandle<'sluice.keyed-limit'> {
  /** Present if the keys have a limit together. */
  readonly total?: SemaphoreHandle;
}

export interface KeyedLimitOptions {
  /** The maximum of calls for one key that run at a time: 1 to 2^31 − 1. */
  readonly concurrency: number;
  /** The maximum of calls for all keys that run at a time: 1 to 2^31 − 1. Default: no maximum. */
  readonly total?: number | undefined;
  /** The arena that contains the limit. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
}

const OPTIONS: readonly string[] = ['concurrency', 'total', 'arena', 'name'];

// Words of the table, behind its lists.
const CONCURRENCY = 0;
const TOTAL = 4; // the block of the slots of all keys together, 0 = no limit
const OWN_BYTES = 8;

function traitsOf(entries: SlotEntries): TableTraits {
  return {
    mark: MARK_SLOTS,
    payload: 0,
    kept: USUALLY_KEPT,
    className: 'KeyedLimit',
    what: 'The keyed limit',
    entries,
  };
}

/** An open keyed limit. */
interface Opened {
  readonly keys: KeyTable;
  readonly concurrency: number;
  readonly total: Semaphore | undefined;
}

let construct: (opened: Opened) => KeyedLimit;

/**
 * Limits how many calls run at a time: at most `concurrency` for each key, and at most `total` for all keys together,
 * over all agents that share the limit. Keys are strings of at most 4,096 UTF-16 code units.
 *
 * - The slots of a key are granted in FIFO order, to blocking and async calls together. A call then waits for a slot of
 *   all keys, also in FIFO order.
 * - Keys share the total fairly: of the calls of each other key that wait already, at most `concurrency` start before the
 *   first call of a key.
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
export class KeyedLimit {
  /** The handle to post to another thread. Pass it to `KeyedLimit.from` there. */
  readonly handle: KeyedLimitHandle;
  readonly #slots: KeySlots;
  readonly #concurrency: number;
  readonly #total: number;

  static {
    construct = (opened) => new this(opened);
  }

  private constructor(opened: Opened) {
    refusePosting(this);
    checkPlace(opened, 'KeyedLimit');
    const { keys, concurrency, total } = opened;
    this.#slots = new KeySlots(keys, total === undefined ? undefined : lineOf(total));
    this.#concurrency = concurrency;
    this.#total = total?.max ?? Infinity;
    this.handle = Object.freeze({
      ...handleTo('sluice.keyed-limit', keys.place),
      modules: keys.modules,
      ...(total === undefined ? {} : { total: total.handle }),
    });
  }

  /**
   * Creates a keyed limit. No call runs.
   *
   * @throws {RangeError} If a number is out of range, or the name is too long.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: KeyedLimitOptions): KeyedLimit {
    checkOptions(options, OPTIONS);
    const { concurrency, total: most, name } = options;
    checkInteger('concurrency', concurrency, 1, MAX_PERMITS);
    if (most !== undefined) checkInteger('total', most, 1, MAX_PERMITS);
    const arena = chosenArena(options.arena);
    const total = most === undefined ? undefined : Semaphore.create(most, { arena, name, max: most });
    try {
      const entries = new SlotEntries();
      entries.concurrency = concurrency;
      const keys = KeyTable.create(arena, name, traitsOf(entries), true, {
        bytes: OWN_BYTES,
        fill: (words, address) => {
          words.put32(address + CONCURRENCY, concurrency);
          words.put32(address + TOTAL, total?.handle.address ?? 0);
        },
      });
      return construct({ keys, concurrency, total });
    } catch (failure) {
      total?.free();
      throw failure;
    }
  }

  /**
   * Opens the keyed limit that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live keyed limit.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: KeyedLimitHandle): KeyedLimit {
    const { arena, address } = findPrimitive(handle, 'sluice.keyed-limit', MUTEX.code);
    const entries = new SlotEntries();
    const keys = KeyTable.at(arena, address, traitsOf(entries));
    if (keys === undefined)
      throw new HandleError(`Not a handle of kind sluice.keyed-limit: address ${address} holds another kind.`);
    const { words } = keys.context;
    entries.concurrency = words.get32(keys.data.address + CONCURRENCY);
    if (entries.concurrency < 1) throw corrupt(`a keyed limit has ${entries.concurrency} slots for each key`);
    // Otherwise the calls of this agent would not count.
    if ((handle.total?.address ?? 0) !== words.get32(keys.data.address + TOTAL))
      throw new HandleError('Not a handle of kind sluice.keyed-limit: its total is not that of the limit.');
    const total = handle.total === undefined ? undefined : Semaphore.from(handle.total);
    // Otherwise an address of one arena would be used in another.
    if (total !== undefined && total.handle.arena !== handle.arena)
      throw new HandleError('Not a handle of kind sluice.keyed-limit: its parts lie in different arenas.');
    return construct({ keys, concurrency: entries.concurrency, total });
  }

  /** Returns the title for messages, such as "KeyedLimit 'tenants'". */
  toString(): string {
    return this.#slots.keys.title;
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    this.#slots.keys.checkThere();
    return this.#slots.keys.name;
  }

  /** The arena that contains the keyed limit. */
  get arena(): Arena {
    return this.#slots.keys.arena;
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
    this.#slots.keys.checkThere();
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
    this.#slots.keys.checkThere();
    return reportSlots(this.#slots, this.#concurrency, this.#total);
  }

  [INSPECT](): string {
    // Without `inspect`, which scans the arena for each key.
    return consoleText('KeyedLimit', () => ({ name: this.name, concurrency: this.#concurrency, total: this.#total }));
  }

  /**
   * Frees the limit's memory, which another primitive may reuse. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If a call runs or waits, or it was already freed.
   */
  free(): void {
    this.#slots.free();
  }

  #lockOf(key: string): SlotLock {
    return new SlotLock(this.#slots, checkKey('The key', key));
  }
}
