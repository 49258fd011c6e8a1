// The lock of a side, as one agent sees it. An agent holds the lock while it copies values.

import { MisuseError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import {
  BLOCK_TAG,
  deadlineIn,
  mayBlock,
  OFFICE,
  setRef,
  TAKEN,
  throwIfAborted,
  WaitLine,
  WAITING,
  type PrimitiveErrors,
  type LineState,
  type BlockRef,
  type Visit,
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
  readonly #line: BlockRef;
  readonly #waitLine: WaitLine;
  readonly #errors: PrimitiveErrors;

  /** `line` is the side's own line. */
  constructor(line: BlockRef, policy: WaitingPolicy, errors: PrimitiveErrors) {
    const { context, address, tag } = line;
    const { kernel, steps } = context.load(SIDE_LOCK);
    const { enqueueAtSideLock } = kernel;
    const visit: Visit = (mayWait) => enqueueAtSideLock(address, tag, context.agent, mayWait);
    this.#line = line;
    this.#waitLine = new WaitLine(line, policy, { unordered: true, competing: true, line: steps }, visit, errors);
    this.#errors = errors;
  }

  /** This agent's state for the lock's line. */
  get lineState(): LineState {
    return this.#waitLine.lineState;
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
    return this.#waitLine.enter(0) === TAKEN;
  }

  /** Waits at most `timeoutMs` ms, or LOCK_MS if that is longer. Returns whether this agent holds the lock. */
  tryLock(timeoutMs: number): boolean {
    return this.#waitLine.enter(mayBlock() ? Math.max(timeoutMs, LOCK_MS) : 0) === TAKEN;
  }

  /**
   * Blocks until this agent holds the lock. Returns `false` if the buffer was freed. Throws `MisuseError` where the
   * thread may not block.
   */
  lock(): boolean {
    return this.tryLockNow() || this.#waitLine.enter(Infinity) === TAKEN;
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
    let outcome = this.#waitLine.enter(mayBlock() ? LOCK_MS : 0);
    while (outcome === WAITING) {
      throwIfAborted(signal);
      if (parking.now() >= end) throw this.#errors.timedOut(callTimeout, 0);
      await new Promise((resolve) => setRef(setTimeout(resolve, APART_MS), ref));
      outcome = this.#waitLine.enter(0);
    }
    if (outcome === TAKEN) entered();
  }
}
