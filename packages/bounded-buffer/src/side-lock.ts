// The lock of a side, as one agent sees it. An agent holds it for the time of a copy.

import { MisuseError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import {
  BLOCK_TAG,
  Bouncer,
  mayBlock,
  OFFICE,
  TAKEN,
  type Account,
  type LocalState,
  type Place,
} from '@sluice/core/internal';
import { SIDE_LOCK } from './kinds.ts';

/**
 * Calls that are not to wait still wait this many ms for the lock. They do not wait longer, because an agent that was
 * killed holds the lock until it is recovered.
 */
export const LOCK_MS = 1;

export class SideLock {
  readonly #line: Place;
  readonly #door: Bouncer;
  readonly #what: Account;

  /** `line`: the side's own. */
  constructor(line: Place, policy: WaitingPolicy, what: Account) {
    const { context, address, tag } = line;
    const { kernel, steps } = context.load(SIDE_LOCK);
    const enqueue = (mayWait: number) => kernel.enqueueAtSideLock(address, tag, context.agent, mayWait);
    this.#line = line;
    this.#what = what;
    this.#door = new Bouncer(line, policy, { unordered: true, competing: true, line: steps }, enqueue, what);
  }

  get localState(): LocalState {
    return this.#door.localState;
  }

  /** Whether this agent holds the lock. */
  get isOwn(): boolean {
    const { context, address, tag } = this.#line;
    // The owner word of a freed buffer keeps its value.
    return context.words.load32(address + OFFICE) === context.id && context.words.load32(address + BLOCK_TAG) === tag;
  }

  /** Throws `MisuseError` if this agent holds the lock: otherwise it would wait for itself. */
  refuseToNest(): void {
    if (!this.isOwn) return;
    throw new MisuseError(
      `${this.#what.toString()} cannot be used here: this agent is in its own \`onTake\` or the \`decode\` of its codec, or has an open claim or peek.`,
    );
  }

  /** Takes the lock if it is free. Returns whether it did. */
  tryLockNow(): boolean {
    return this.#door.enter(0) === TAKEN;
  }

  /** Waits at most `timeoutMs` ms, or LOCK_MS if that is longer. Returns whether this agent holds the lock. */
  tryLock(timeoutMs: number): boolean {
    return this.#door.enter(mayBlock() ? Math.max(timeoutMs, LOCK_MS) : 0) === TAKEN;
  }

  /**
   * Blocks until this agent holds the lock. Returns `false` if the buffer was freed. Throws `MisuseError` where the
   * thread may not block.
   */
  lock(): boolean {
    return this.tryLockNow() || this.#door.enter(Infinity) === TAKEN;
  }

  /**
   * Blocks at most for a moment, which is nearly always enough. `entered` runs in the same task that takes the lock.
   * `callTimeout`: the timeout of the call.
   */
  async lockAsync(options: WaitOptions, entered: () => void, callTimeout?: number): Promise<void> {
    if (this.tryLock(0)) entered();
    else await this.#door.enterSoon(options, entered, callTimeout);
  }
}
