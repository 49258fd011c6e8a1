// The parts that a once and a lazy share: attempts, and waits for their end. The word, its states and the invariants
// are in kernel/once.ts.

import { DeadlockError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import {
  Account,
  Bouncer,
  checkTimeout,
  checkWait,
  deadlineIn,
  FLAG_GATE,
  FLAGS,
  FOREIGN,
  GRANT,
  leftUntil,
  mayRetry,
  NEEDS_WALK,
  orCorrupt,
  ownRun,
  PlacedWaits,
  reserveStack,
  SHUT,
  TAKEN,
  untilWon,
  type Kind,
  type LineShape,
  type LocalState,
  type Place,
  type Visit,
  type Words,
} from '@sluice/core/internal';
import { ONCE_CLOSED } from './kernel/layout.ts';
import { DONE, doneState, OWN, REFUSED } from './kernel/once-results.ts';
import type { OnceKernel, OnceSteps } from './kinds.ts';
import { onceWordAt, runnersAt, stateText } from './once-report.ts';

/** `late` names the action that a timed-out wait did not complete. */
export function onceShape(kind: Kind<OnceSteps>, className: string, what: string, late: string): LineShape<OnceSteps> {
  return {
    kind,
    className,
    what,
    late,
    untouched: 'It was not changed.',
    ordered: false,
    state: stateText,
    blame: (place) => [{ how: 'run', agents: runnersAt(place) }],
    // All waiters of an attempt are admitted at once, so no waiter delays another.
    manner: { recorded: true, together: true },
    visit: (place) => visitAt(place, 0),
  };
}

/**
 * Writes the words of a new once. FLAG_GATE: its waiters wait for the agent that runs the initialiser. The deadlock
 * search follows such waits.
 */
export function fillOnce(words: Words, once: number, flags = 0): void {
  words.put32(once + FLAGS, FLAG_GATE | flags);
}

/** `toEnd` is 1 for a call that never runs an initialiser. */
function visitAt({ context, address, tag }: Place, toEnd: number): Visit {
  const kernel = context.kernel as OnceKernel;
  return (mayWait) => kernel.enqueueAtOnce(address, tag, context.agent, mayWait, toEnd);
}

/** Stands for the word until the once was found done. It never equals a `doneState`. */
const NOT_FOUND = /* @__PURE__ */ new Int32Array(1);

/**
 * The local states whose async initialisers run the part before their first `await` in this thread. All instances of an
 * agent share one local state.
 */
const starting = /* @__PURE__ */ new Set<LocalState>();

export abstract class OnceLine extends PlacedWaits {
  readonly #words: Words;
  readonly #word: number;
  readonly #localState: LocalState;
  readonly #account: Account;
  /** The low half of the word, after an atomic load has found the once done there. */
  #found: Int32Array = NOT_FOUND;
  /** Makes calls wait that never run an initialiser. Other calls wait by the core's bouncer. */
  readonly #watchers: Bouncer;

  protected constructor(place: Place, policy: WaitingPolicy, shape: LineShape<OnceSteps>) {
    super(place, policy, shape);
    const { context } = place;
    this.#words = context.words;
    this.#word = place.address + GRANT;
    this.#localState = this.localState;
    this.#account = new Account(shape, place);
    const { steps: line } = context.load(shape.kind);
    this.#watchers = new Bouncer(place, policy, { ...shape.manner, line }, visitAt(place, 1), this.#account);
  }

  /** Whether an initialiser has returned. If so, its writes are visible to this thread. */
  get isDone(): boolean {
    if (this.isPublished) return true;
    this.checkThere();
    return false;
  }

  /**
   * Closes it, unless it is done; returns whether this call closed it. No initialiser begins any more, and waiters get
   * `ClosedError`. A running initialiser continues, and its caller gets `ClosedError` afterwards.
   *
   * Use it if the initialisation can no longer succeed.
   */
  close(): boolean {
    return this.#closed(0);
  }

  override free(): void {
    this.checkUnused();
    // From here on the word is not done. A later call reads only the word.
    this.#closed(1);
    super.free();
  }

  /** Whether it is done, by one load. Also false after it was freed, and after this agent has left the arena. */
  protected get isPublished(): boolean {
    // An atomic load has found it done, and a done once stays done until it is freed. So a plain load is enough: it
    // only tells whether the once was freed since.
    return this.#found[0] === doneState(this.#localState.tag) || this.#isFound();
  }

  /**
   * Runs `body` if no agent has done it, or waits for the agent that does. Returns whether it is done, or false if the
   * timeout elapsed.
   */
  protected attempt(body: () => void, timeoutMs: number): boolean {
    const { parking } = this.context;
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
      if (!this.enter(left)) return false;
      // Another agent began the next attempt meanwhile. On damaged memory this loop would never end.
      mayRetry(++tries, this);
    }
  }

  /**
   * Attempts as `attempt` does, without blocking. Rejects as `stayLater` does, and with errors of `body`. `options` are
   * already checked.
   */
  protected async attemptLater(body: () => Promise<void>, options: WaitOptions): Promise<void> {
    this.#refuseAtStart();
    const { timeout = Infinity, signal, ref } = options;
    const { parking } = this.context;
    const end = deadlineIn(parking, timeout);
    let tries = 0;
    for (let left = timeout; ; left = leftUntil(parking, end)) {
      const claim = this.#claim();
      if (claim === DONE) return;
      if (claim === TAKEN) {
        await this.#runLater(body);
        return;
      }
      await this.enterLater({ timeout: left, signal, ref }, undefined, timeout);
      mayRetry(++tries, this);
    }
  }

  /** Waits until it is done. Returns whether it is, or false if the timeout elapsed. */
  protected stay(timeoutMs: number): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const { parking, id } = this.context;
    const end = deadlineIn(parking, timeoutMs);
    let tries = 0;
    for (let left = timeoutMs; !this.#isOver(); left = leftUntil(parking, end)) {
      if (timeoutMs > 0 && this.#words.load32(this.#word) === id) throw this.#waitsForItself();
      if (!this.#watch(left)) return false;
      mayRetry(++tries, this);
    }
    return true;
  }

  /**
   * Waits as `stay` does, without blocking. Rejects with `TimeoutError`, the signal's reason, `ClosedError` and
   * `ArenaFullError`.
   */
  protected async stayLater(given: WaitOptions | undefined): Promise<void> {
    const options = given === undefined ? {} : checkWait(given);
    if (this.isPublished) {
      const later = this.context.budget.spend();
      if (later !== undefined) await later;
      return;
    }
    this.#refuseAtStart();
    const { timeout = Infinity, signal, ref } = options;
    const { parking } = this.context;
    const end = deadlineIn(parking, timeout);
    let tries = 0;
    for (let left = timeout; !this.#isOver(); left = leftUntil(parking, end)) {
      await this.#watchLater({ timeout: left, signal, ref }, timeout);
      mayRetry(++tries, this);
    }
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    this.checkThere();
    const { state, failures } = onceWordAt(this.place);
    const isClosed = state === 'closed';
    return {
      state: isClosed ? undefined : state,
      failures: failures === 0 ? undefined : failures,
      waiting: this.waiting,
      closed: isClosed ? true : undefined,
    };
  }

  get #kernel(): OnceKernel {
    return this.context.kernel as OnceKernel;
  }

  #isFound(): boolean {
    if (this.#words.load32(this.#word) !== doneState(this.#localState.tag)) return false;
    // Models see every access by an atomic load.
    this.#found = ownRun(this.#words, this.#word, 1) ?? NOT_FOUND;
    return true;
  }

  /** Claims an attempt. Throws `ClosedError`, and `MisuseError` if it was freed. */
  #claim(): Exclude<ReturnType<OnceSteps['claimOnce']>, typeof REFUSED> {
    const {
      address,
      context: { agent },
    } = this.place;
    const { tag, entry } = this.#localState;
    // Reserve stack first: the attempt has to end even if the initialiser overflows the stack.
    reserveStack();
    const claim = orCorrupt(() => untilWon(() => this.#kernel.claimOnce(address, tag, agent, entry)));
    if (claim === SHUT) this.checkThere();
    if (claim === REFUSED) throw this.#account.closed();
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

  async #runLater(body: () => Promise<void>): Promise<void> {
    let succeeded = 0;
    try {
      await this.#start(body);
      succeeded = 1;
    } finally {
      this.#end(succeeded);
    }
  }

  #start(body: () => Promise<void>): Promise<void> {
    starting.add(this.#localState);
    try {
      return body();
    } finally {
      starting.delete(this.#localState);
    }
  }

  /** Ends this agent's attempt, and wakes the waiters. */
  #end(succeeded: number): void {
    const {
      address,
      context: { agent },
    } = this.place;
    const { tag, entry } = this.#localState;
    const ended = orCorrupt(() => this.#kernel.endOnce(address, tag, agent, entry, succeeded));
    if (ended !== FOREIGN) this.wake(ended);
    // After a failure, the caller gets the initialiser's own error.
    else if (succeeded === 1) throw this.#account.closed('The initialiser has run, and its result was dropped.');
  }

  #closed(andDone: number): boolean {
    const {
      address,
      context: { agent },
    } = this.place;
    const { tag } = this.#localState;
    const closed = untilWon(() => this.#kernel.closeOnce(address, tag, agent, andDone));
    if (closed === SHUT) this.checkThere();
    if (closed === TAKEN) this.wake(NEEDS_WALK);
    return closed === TAKEN;
  }

  /** Whether it is done. Throws `ClosedError` if it is closed. */
  #isOver(): boolean {
    if (this.#words.load32(this.#word) !== ONCE_CLOSED) return this.isPublished;
    this.checkThere();
    throw this.#account.closed();
  }

  /** Waits for the end of one attempt, or of all attempts. Returns whether the end came in time. */
  #watch(timeoutMs: number): boolean {
    const outcome = this.#watchers.enter(timeoutMs);
    if (outcome === SHUT) this.checkThere();
    return outcome === TAKEN;
  }

  async #watchLater(options: WaitOptions, whole: number): Promise<void> {
    if ((await this.#watchers.enterAsync(checkWait(options), undefined, whole)) === SHUT) this.checkThere();
  }

  #refuseAtStart(): void {
    if (starting.has(this.#localState)) throw this.#waitsForItself();
  }

  #waitsForItself(): DeadlockError {
    return new DeadlockError(
      `${this.toString()}: this agent (agent ${this.context.id}) runs its initialiser, which cannot end before this call, so the call would never return. ` +
        'It was not changed. Do not use it in its own initialiser.',
    );
  }
}
