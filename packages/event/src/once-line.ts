// The part that a once and a lazy share: attempts, and waits for their end. The word, its states and the invariants are
// in kernel/once.ts.

import { DeadlockError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import { FLAG_GATE, FLAGS, FOREIGN, GRANT, NEEDS_WALK, SHUT, TAKEN } from '@sluice/core/format';
import { checkTimeout, checkWait, NO_WAIT_OPTIONS, reserveStack } from '@sluice/core/calls';
import {
  deadlineIn,
  leftUntil,
  retryOrThrow,
  orCorrupt,
  ownRun,
  retryWhileRaced,
  PrimitiveLine,
  type Kind,
  type LineShape,
  type LineState,
  type BlockRef,
  type EnterOrEnqueue,
  type Words,
} from '@sluice/core/internal';
import { ONCE_CLOSED } from './kernel/layout.ts';
import { DONE, doneState, OWN, REFUSED } from './kernel/outcomes.ts';
import type { OnceKernel, OnceSteps } from './kinds.ts';
import { onceWordAt, runnersAt, stateText } from './once-report.ts';

/**
 * Describes the waiters of a once or a lazy for the core. `late` completes the message of a timeout, such as 'was not
 * done'.
 */
export function onceShape(kind: Kind<OnceSteps>, className: string, what: string, late: string): LineShape<OnceSteps> {
  return {
    kind,
    className,
    what,
    late,
    untouched: 'It was not changed.',
    ordered: false,
    state: stateText,
    blame: (ref) => [{ how: 'run', agents: runnersAt(ref) }],
    // One walk admits all waiters of an attempt, so no waiter delays another.
    behaviour: { recorded: true, together: true },
    enterOrEnqueue: (ref) => visitAt(ref, 0),
  };
}

/**
 * Writes the words of a new once. FLAG_GATE tells the deadlock search that waiters of the once wait for the agent that
 * runs the initialiser.
 */
export function fillOnce(words: Words, once: number, flags = 0): void {
  words.put32(once + FLAGS, FLAG_GATE | flags);
}

/**
 * Returns the step that enqueues a waiter. `toEnd` is 1 for a call that waits until the once is done or closed, and 0
 * for a call that may run an initialiser itself.
 */
function visitAt({ context, address, tag }: BlockRef, toEnd: number): EnterOrEnqueue {
  const kernel = context.kernel as OnceKernel;
  return (mayWait) => kernel.enqueueAtOnce(address, tag, context.agent, mayWait, toEnd);
}

/**
 * The initial value of `#found`: an array whose element is 0. No `doneState` is 0, so a call that compares it loads the
 * word.
 */
const NOT_FOUND = /* @__PURE__ */ new Int32Array(1);

/**
 * The agents, by line state, that currently run an async initialiser in this thread and have not reached its first
 * `await`. All instances of an agent share one line state.
 */
const starting = /* @__PURE__ */ new Set<LineState>();

export class OnceLine {
  /** The waits of calls that may run an initialiser. */
  readonly waits: PrimitiveLine;
  readonly #words: Words;
  readonly #word: number;
  readonly #lineState: LineState;
  /** A view of the low half of the word, after an atomic load has found the once done. Before that, `NOT_FOUND`. */
  #found: Int32Array = NOT_FOUND;
  /** The waits of calls that never run an initialiser. */
  readonly #watchers: PrimitiveLine;

  constructor(ref: BlockRef, policy: WaitingPolicy, shape: LineShape<OnceSteps>) {
    this.waits = new PrimitiveLine(ref, policy, shape);
    this.#watchers = new PrimitiveLine(ref, policy, { ...shape, enterOrEnqueue: (there) => visitAt(there, 1) });
    this.#words = ref.context.words;
    this.#word = ref.address + GRANT;
    this.#lineState = this.waits.lineState;
  }

  /** Whether an initialiser has returned. If true, this thread sees the initialiser's writes. */
  get isDone(): boolean {
    if (this.isPublished) return true;
    this.waits.checkThere();
    return false;
  }

  /** Closes the once, unless it is done. Returns whether this call closed it. */
  close(): boolean {
    return this.#closed(0);
  }

  /** Frees the block. Throws `MisuseError` if agents use the once. */
  free(): void {
    this.waits.checkUnused();
    // The close makes `isPublished` false in all agents: it removes the done state from the word.
    this.#closed(1);
    this.waits.free();
  }

  /** Whether the once is done, by one load. False after the once was freed, and after this agent has left the arena. */
  get isPublished(): boolean {
    // A plain load is enough for `#found`. An atomic load has found the once done before, and the once stays done until
    // it is freed. So the plain load only checks that the once has not been freed.
    return this.#found[0] === doneState(this.#lineState.tag) || this.#isFound();
  }

  /**
   * Runs `body` if the once is not done and no agent runs an attempt. While another agent runs one, waits for its end
   * and tries again. Returns true if the once is done, or false if the timeout elapsed.
   */
  attempt(body: () => void, timeoutMs: number): boolean {
    const { parking } = this.waits.context;
    const end = deadlineIn(parking, timeoutMs);
    let tries = 0;
    for (let left = timeoutMs; ; left = leftUntil(parking, end)) {
      const claim = this.#claim();
      if (claim === DONE) return true;
      if (claim === TAKEN) {
        this.#run(body);
        return true;
      }
      if (claim === OWN && timeoutMs > 0) throw this.#waitsForItself();
      if (!this.waits.enter(left)) return false;
      // Another agent began the next attempt in between. `retryOrThrow` ends this loop if damaged memory would keep it
      // running.
      retryOrThrow(++tries, this.waits.errors);
    }
  }

  /**
   * Attempts as `attempt` does, without blocking. Rejects as `stayAsync` does, and with errors of `body`. The caller has
   * checked `options`.
   */
  async attemptAsync(body: () => Promise<void>, options: WaitOptions): Promise<void> {
    this.#refuseAtStart();
    const { timeout = Infinity, signal, ref } = options;
    const { parking } = this.waits.context;
    const end = deadlineIn(parking, timeout);
    let tries = 0;
    for (let left = timeout; ; left = leftUntil(parking, end)) {
      const claim = this.#claim();
      if (claim === DONE) return;
      if (claim === TAKEN) {
        await this.#runBodyAsync(body);
        return;
      }
      await this.waits.enterAsync({ timeout: left, signal, ref }, undefined, timeout);
      retryOrThrow(++tries, this.waits.errors);
    }
  }

  /**
   * Waits until the once is done, over failed attempts. Returns true if it is done, or false if the timeout elapsed.
   */
  stay(timeoutMs: number): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const { parking, id } = this.waits.context;
    const end = deadlineIn(parking, timeoutMs);
    let tries = 0;
    for (let left = timeoutMs; !this.#isOver(); left = leftUntil(parking, end)) {
      if (timeoutMs > 0 && this.#words.load32(this.#word) === id) throw this.#waitsForItself();
      if (!this.#watchers.enter(left)) return false;
      retryOrThrow(++tries, this.waits.errors);
    }
    return true;
  }

  /**
   * Waits as `stay` does, without blocking. Rejects with `TimeoutError`, the signal's reason, `ClosedError` and
   * `ArenaFullError`.
   */
  async stayAsync(given: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    const options = checkWait(given);
    if (this.isPublished) {
      const later = this.waits.context.budget.spend();
      if (later !== undefined) await later;
      return;
    }
    this.#refuseAtStart();
    const { timeout = Infinity, signal, ref } = options;
    const { parking } = this.waits.context;
    const end = deadlineIn(parking, timeout);
    let tries = 0;
    for (let left = timeout; !this.#isOver(); left = leftUntil(parking, end)) {
      await this.#watchers.enterAsync({ timeout: left, signal, ref }, undefined, timeout);
      retryOrThrow(++tries, this.waits.errors);
    }
  }

  /** Returns the fields that `console.log` shows. */
  shown(): Readonly<Record<string, unknown>> {
    this.waits.checkThere();
    const { state, failures } = onceWordAt(this.waits.ref);
    const isClosed = state === 'closed';
    return {
      state: isClosed ? undefined : state,
      failures: failures === 0 ? undefined : failures,
      waiting: this.waits.report().waiters.length,
      closed: isClosed ? true : undefined,
    };
  }

  get #kernel(): OnceKernel {
    return this.waits.context.kernel as OnceKernel;
  }

  #isFound(): boolean {
    if (this.#words.load32(this.#word) !== doneState(this.#lineState.tag)) return false;
    // In a model, `ownRun` returns undefined: there each access must be an atomic load.
    this.#found = ownRun(this.#words, this.#word, 1) ?? NOT_FOUND;
    return true;
  }

  /** Tries to begin an attempt. Throws `ClosedError` if the once is closed, and `MisuseError` if it was freed. */
  #claim(): Exclude<ReturnType<OnceSteps['claimOnce']>, typeof REFUSED> {
    const {
      address,
      context: { agent },
    } = this.waits.ref;
    const { tag, entry } = this.#lineState;
    // Reserve stack first: the attempt has to end even if the initialiser overflows the stack.
    reserveStack();
    const claim = orCorrupt(() => retryWhileRaced(() => this.#kernel.claimOnce(address, tag, agent, entry)));
    if (claim === SHUT) this.waits.checkThere();
    if (claim === REFUSED) throw this.waits.errors.closed();
    return claim;
  }

  #run(body: () => void): void {
    let succeeded = 0;
    try {
      body();
      succeeded = 1;
    } finally {
      this.#end(succeeded);
    }
  }

  async #runBodyAsync(body: () => Promise<void>): Promise<void> {
    let succeeded = 0;
    try {
      await this.#start(body);
      succeeded = 1;
    } finally {
      this.#end(succeeded);
    }
  }

  #start(body: () => Promise<void>): Promise<void> {
    starting.add(this.#lineState);
    try {
      return body();
    } finally {
      starting.delete(this.#lineState);
    }
  }

  /**
   * Ends this agent's attempt, and wakes the waiters. Throws `ClosedError` if the initialiser succeeded but the once
   * was closed meanwhile.
   */
  #end(succeeded: number): void {
    const {
      address,
      context: { agent },
    } = this.waits.ref;
    const { tag, entry } = this.#lineState;
    const ended = orCorrupt(() => this.#kernel.endOnce(address, tag, agent, entry, succeeded));
    if (ended !== FOREIGN) this.waits.wake(ended);
    // If the initialiser failed, the caller gets the initialiser's own error.
    else if (succeeded === 1) throw this.waits.errors.closed('The initialiser has run, and its result was dropped.');
  }

  #closed(andDone: number): boolean {
    const {
      address,
      context: { agent },
    } = this.waits.ref;
    const { tag } = this.#lineState;
    const closed = retryWhileRaced(() => this.#kernel.closeOnce(address, tag, agent, andDone));
    if (closed === SHUT) this.waits.checkThere();
    if (closed === TAKEN) this.waits.wake(NEEDS_WALK);
    return closed === TAKEN;
  }

  /** Whether the once is done. Throws `ClosedError` if it is closed. */
  #isOver(): boolean {
    if (this.#words.load32(this.#word) !== ONCE_CLOSED) return this.isPublished;
    this.waits.checkThere();
    throw this.waits.errors.closed();
  }

  #refuseAtStart(): void {
    if (starting.has(this.#lineState)) throw this.#waitsForItself();
  }

  #waitsForItself(): DeadlockError {
    return new DeadlockError(
      `${this.waits.errors.toString()}: this agent (agent ${this.waits.context.id}) runs its initialiser. The call would wait for that initialiser, which cannot end before the call returns. ` +
        'It was not changed. Do not call a once or a lazy inside its own initialiser.',
    );
  }
}
