// The limit of one key of a keyed limit, as a lock that several calls hold at once.

import { Holdable, MisuseError, type Guard, type NotPromise, type WaitOptions } from '@sluice/core';
import {
  checkTimeout,
  checkWait,
  INSPECT,
  NO_WAIT_OPTIONS,
  consoleText,
  refusePosting,
  refuseToBlock,
  rejected,
} from '@sluice/core/calls';
import { mayBlock } from '@sluice/core/internal';
import { quoted } from '../table/key.ts';
import type { KeySlots } from './key-slots.ts';

/** The slots of a call as a lock, for the scoped forms. */
export class SlotLock extends Holdable {
  readonly #slots: KeySlots;
  readonly #key: string;

  constructor(slots: KeySlots, key: string) {
    super();
    refusePosting(this);
    this.#slots = slots;
    this.#key = key;
  }

  override toString(): string {
    return `${this.#slots.keys.title}, key ${quoted(this.#key)}`;
  }

  override lock(): void {
    if (!mayBlock()) refuseToBlock();
    this.#slots.take(this.#key, Infinity);
  }

  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs === 0) return this.#slots.tryTake(this.#key);
    checkTimeout(timeoutMs);
    if (!mayBlock()) refuseToBlock();
    return this.#slots.take(this.#key, timeoutMs);
  }

  override lockAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    try {
      return this.#slots.takeAsync(this.#key, checkWait(options));
    } catch (failure) {
      return rejected(failure);
    }
  }

  override unlock(): void {
    this.#slots.release(this.#key);
  }
}

/**
 * The limit of one key of a `KeyedLimit`. `KeyedLimit.for` returns it. It takes no memory in the arena until a call
 * uses it.
 */
export class KeyLimit {
  readonly #lock: SlotLock;
  readonly #key: string;

  /** @internal */
  constructor(slots: KeySlots, key: string) {
    refusePosting(this);
    // A program may call the constructor.
    if ((slots as unknown) === undefined)
      throw new MisuseError('Use KeyedLimit.for: the constructor is not for callers.');
    this.#lock = new SlotLock(slots, key);
    this.#key = key;
  }

  /** The key whose slots these are, as the caller named it. */
  get key(): string {
    return this.#key;
  }

  /** Returns the title for messages, such as 'KeyedLimit 'api', key "tenant 7"'. */
  toString(): string {
    return this.#lock.toString();
  }

  /** Takes a slot as `KeyedLimit.hold` does. */
  hold(): Guard {
    return this.#lock.hold();
  }

  /** Takes a slot as `KeyedLimit.tryHold` does. */
  tryHold(timeoutMs = 0): Guard | null {
    return this.#lock.tryHold(timeoutMs);
  }

  /** Takes a slot as `KeyedLimit.holdAsync` does. */
  holdAsync(options?: WaitOptions): Promise<Guard> {
    return this.#lock.holdAsync(options);
  }

  /** Calls `body` in a slot as `KeyedLimit.run` does. */
  run<T>(body: () => NotPromise<T>): T {
    return this.#lock.run(body);
  }

  /** Calls `body` in a slot as `KeyedLimit.runAsync` does. */
  runAsync<T>(body: () => T | PromiseLike<T>, options?: WaitOptions): Promise<T> {
    return this.#lock.runAsync(body, options);
  }

  [INSPECT](): string {
    return consoleText('KeyLimit', () => ({ of: this.toString() }));
  }
}
