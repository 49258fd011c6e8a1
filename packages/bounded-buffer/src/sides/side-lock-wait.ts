// The lock of a side, as one agent sees it. An agent holds the lock while it copies values.

import { MisuseError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import { BLOCK_TAG, OFFICE, RACED, TAKEN, WAITING, type ElementAddress, type Poll } from '@sluice/core/format';
import { refuseToBlock, reserveStack, setRef, throwIfAborted } from '@sluice/core/calls';
import {
  blockInLine,
  deadlineIn,
  finishPending,
  mayBlock,
  retryOrThrow,
  orCorrupt,
  spinIfItPays,
  type PrimitiveErrors,
  type LineState,
  type BlockRef,
} from '@sluice/core/internal';
import { SIDE_LOCK, type BufferKernel } from './kinds.ts';

/**
 * A call with a timeout of 0 still waits this many ms for the lock. It does not wait longer: a killed agent holds the
 * lock until it is recovered.
 */
export const LOCK_MS = 1;
/** The time between two attempts of an async call. */
const APART_MS = 1;

export class SideLock {
  readonly lineState: LineState;
  readonly #line: BlockRef;
  readonly #policy: WaitingPolicy;
  readonly #enqueue: BufferKernel['enqueueAtSideLock'];
  readonly #errors: PrimitiveErrors;

  /** `line` is the side's own line. */
  constructor(line: BlockRef, policy: WaitingPolicy, errors: PrimitiveErrors) {
    const { context, address, tag } = line;
    const { kernel, steps } = context.load(SIDE_LOCK);
    this.lineState = context.lineState(address, tag, { recorded: false, ordered: false, line: steps });
    this.#line = line;
    this.#policy = policy;
    this.#enqueue = kernel.enqueueAtSideLock;
    this.#errors = errors;
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
      `${this.#errors.toString()} cannot be used here: this agent is in its own \`onTake\` or the \`decode\` of its codec, or has an open claim or peek.`,
    );
  }

  /** Takes the lock if it is free. Returns whether it took the lock. */
  tryLockNow(): boolean {
    return this.#tryOnce() === TAKEN;
  }

  /** Waits at most `timeoutMs` ms, or LOCK_MS if that is longer. Returns whether this agent holds the lock. */
  tryLock(timeoutMs: number): boolean {
    return this.#enter(mayBlock() ? Math.max(timeoutMs, LOCK_MS) : 0) === TAKEN;
  }

  /**
   * Blocks until this agent holds the lock. Returns `false` if the buffer was freed. Throws `MisuseError` where the
   * thread may not block.
   */
  lock(): boolean {
    return this.tryLockNow() || this.#enter(Infinity) === TAKEN;
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
    const end = deadlineIn(parking, timeout);
    let outcome = this.#enter(mayBlock() ? LOCK_MS : 0);
    while (outcome === WAITING) {
      throwIfAborted(signal);
      if (parking.now() >= end) throw this.#errors.timedOut(callTimeout, 0);
      await new Promise((resolve) => setRef(setTimeout(resolve, APART_MS), ref));
      outcome = this.#tryOnce();
    }
    if (outcome === TAKEN) entered();
  }

  /** Competes for the lock, then waits in line for it, for at most `timeoutMs` ms. SHUT: the buffer was freed. */
  #enter(timeoutMs: number): Poll {
    reserveStack();
    if (timeoutMs === 0) return this.#tryOnce();
    if (!mayBlock()) refuseToBlock();
    const { context } = this.#line;
    const seen = spinIfItPays(context, this.#policy, () => this.#tryOnce());
    if (seen !== WAITING) return seen;
    context.refill();
    const outcome = blockInLine(context, this.lineState, this.#visit(1), this.#policy, timeoutMs, this.#errors);
    // A waiter can time out although the lock is free: the woken waiter has not taken it yet.
    return outcome === WAITING ? this.#tryOnce() : outcome;
  }

  #tryOnce(): Poll {
    return this.#visit(0) as Poll;
  }

  /** Takes the lock if it is free. Otherwise draws a ticket, or returns WAITING if `mayWait` is 0. */
  #visit(mayWait: number): Poll | ElementAddress {
    const { context, address, tag } = this.#line;
    for (let tries = 1; ; tries++) {
      const outcome = orCorrupt(() => this.#enqueue(address, tag, context.agent, mayWait), this.#errors);
      if (outcome === RACED) retryOrThrow(tries);
      else if (outcome !== WAITING || !finishPending(context)) return outcome;
    }
  }
}
