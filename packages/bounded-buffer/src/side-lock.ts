// The lock of a side, as one agent sees it. An agent holds the lock while it copies values.

import { MisuseError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import {
  BLOCK_TAG,
  Bouncer,
  mayBlock,
  OFFICE,
  setRef,
  TAKEN,
  throwIfAborted,
  type Account,
  type LocalState,
  type Place,
  WAITING,
} from '@sluice/core/internal';
import { SIDE_LOCK } from './kinds.ts';

/**
 * A call with a timeout of 0 still waits this many ms for the lock. It does not wait longer: a killed agent holds the
 * lock until it is recovered.
 */
export const LOCK_MS = 1;
/** The time between two attempts of an async call. */
const APART_MS = 1;

export class SideLock {
  readonly #line: Place;
  readonly #door: Bouncer;
  readonly #what: Account;

  /** `line` is the side's own line. */
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
    // The owner word of a freed buffer keeps its last value, so the tag is checked, too.
    return context.words.load32(address + OFFICE) === context.id && context.words.load32(address + BLOCK_TAG) === tag;
  }

  /** Throws `MisuseError` if this agent holds the lock: it would wait for itself. */
  refuseToNest(): void {
    if (!this.isOwn) return;
    throw new MisuseError(
      `${this.#what.toString()} cannot be used here: this agent is in its own \`onTake\` or the \`decode\` of its codec, or has an open claim or peek.`,
    );
  }

  /** Takes the lock if it is free. Returns whether it took the lock. */
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
   * Takes the lock without blocking for longer than a moment, which is nearly always enough. Then it tries once per ms
   * instead of waiting in line: in line, a thread that is busy with other work would delay the waiters behind it. Calls
   * `entered` in the same task that takes the lock. Does not call it if the buffer was freed. Rejects with
   * `TimeoutError`, which names the timeout of the whole call, `callTimeout`, or with the signal's reason.
   */
  async lockAsync(
    { timeout = Infinity, signal, ref = true }: WaitOptions,
    entered: () => void,
    callTimeout = timeout,
  ): Promise<void> {
    const { parking } = this.#line.context;
    const end = parking.now() + timeout;
    let outcome = this.#door.enter(mayBlock() ? LOCK_MS : 0);
    while (outcome === WAITING) {
      throwIfAborted(signal);
      if (parking.now() >= end) throw this.#what.timedOut(callTimeout, 0);
      await new Promise((resolve) => setRef(setTimeout(resolve, APART_MS), ref));
      outcome = this.#door.enter(0);
    }
    if (outcome === TAKEN) entered();
  }
}
