// One side of a buffer, as one agent sees it: entering and leaving it. Words and invariants: kernel/sides.ts.
//
// The results of `enterSide` for a newcomer:
//
//   0 or more                it owns the lock, what it wants is available, and this is the position in the ring
//   WAITING                  too little is available, or agents are before it: it waits in line
//                            (side-lines.ts)
//   BESIDE                   enough is available for the agents before it, too: it lets them go first for a moment,
//                            then waits in line
//   RACED                    another agent owns the lock: it waits for the lock (side-lock-wait.ts)
//   SHORT, SHUT              it owns the lock, but too little is available, or the side is closed: it leaves
//
// INVARIANTS
//
//   1. The head of a line takes the lock. If too little is available, it writes how much it needs, leaves the lock,
//      stays the head and sleeps until there is enough. If its call ends in any other way, it admits the next head.
//   2. No other code may run between entry and `commit`, so the async forms take a function to call.
//   3. Async calls of one agent keep their order. Each draws its ticket when it is made, and takes the lock after the
//      calls before it have (`SideCalls`). Until then the agent's other calls wait behind them. A blocking call would
//      then wait for calls that cannot run (`DeadlockError`).

import { ClosedError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import {
  AGENT_DUTY_KIND,
  AGENT_SPARE,
  asCorrupt,
  Attempts,
  blockInLine,
  corrupt,
  BLOCK_TAG,
  checkNotFreed,
  checkWait,
  deadlineIn,
  finishPending,
  IDLE,
  leftUntil,
  mayBlock,
  OFFICE,
  RACED,
  refuseToBlock,
  reserveStack,
  SHUT,
  TAKEN,
  throwIfAborted,
  WAITING,
  type PrimitiveErrors,
  type AttemptOutcome,
  type AgentContext,
  type LineState,
  type BlockRef,
  type Poll,
  type EntryAddress,
  type LineAddress,
  type AgentAddress,
  NewcomerWait,
} from '@sluice/core/internal';
import { callsAt, type SideCalls } from './calls.ts';
import { endsBefore } from './ends-before.ts';
import { RING_BYTES, UNIT_BYTES } from './kernel/layout.ts';
import { BESIDE, SHORT, WALK, STAYS_HEAD } from './kernel/outcomes.ts';
import { BUFFER, type BufferKernel } from './kinds.ts';
import { CONSUMERS, LOCK, refOfLine, HEAD_LINE } from './lines.ts';
import { flowAt } from './flow.ts';
import { SideLines } from './side-lines.ts';
import { SideLock } from './side-lock-wait.ts';

export class Side {
  readonly address: LineAddress;
  readonly lock: SideLock;
  readonly lines: SideLines;
  readonly #ref: BlockRef;
  readonly #tag: number;
  readonly #context: AgentContext;
  // The fields of the uncontended paths are separate, to save a lookup per call.
  readonly #enterSide: BufferKernel['enterSide'];
  readonly #enqueueAtSide: BufferKernel['enqueueAtSide'];
  readonly #look: BufferKernel['lookAtSide'];
  readonly #countUnits: BufferKernel['countSideUnits'];
  readonly #commit: BufferKernel['commitSide'];
  readonly #passInt32: BufferKernel['passInt32'];
  readonly #id: number;
  readonly #agent: AgentAddress;
  readonly #entry: EntryAddress;
  readonly #lineState: LineState;
  /** This agent's state at the line that has a head. */
  readonly #headLine: LineState;
  readonly #policy: WaitingPolicy;
  readonly #mayBlock = mayBlock();
  readonly #calls: SideCalls;
  readonly #looks: NewcomerWait;
  readonly #closed: string;
  /** The number of units of the whole ring. */
  readonly #ringUnits: number;
  readonly #errors: PrimitiveErrors;
  /** While this agent owns the lock: the number of units that it came for. */
  #came = 1;
  /** While this agent owns the lock: 1 if it is the head of the line, 0 if not. */
  #isHead = 0;

  constructor(ref: BlockRef, which: number, policy: WaitingPolicy, errors: PrimitiveErrors) {
    const { context } = ref;
    const { kernel } = context.load(BUFFER);
    const own = refOfLine(ref, LOCK, which);
    this.#ref = ref;
    this.#errors = errors;
    this.#closed = which === CONSUMERS ? 'closed and empty' : 'closed';
    this.#context = context;
    this.#countUnits = kernel.countSideUnits;
    this.#enterSide = kernel.enterSide;
    this.#enqueueAtSide = kernel.enqueueAtSide;
    this.#look = kernel.lookAtSide;
    this.#commit = kernel.commitSide;
    this.#passInt32 = kernel.passInt32;
    this.#id = context.id;
    this.#agent = context.agent;
    this.address = own.address;
    this.#tag = own.tag;
    this.lock = new SideLock(own, policy, errors);
    this.#lineState = this.lock.lineState;
    this.lines = new SideLines(ref, which, policy, errors);
    this.#policy = policy;
    this.#headLine = this.lines.headLine.lineState;
    this.#ringUnits = context.words.get32(ref.address + RING_BYTES) / context.words.get32(ref.address + UNIT_BYTES);
    this.#entry = this.#headLine.entry;
    this.#looks = new NewcomerWait(context, flowAt(ref, which), policy);
    this.#calls = callsAt(refOfLine(ref, HEAD_LINE, which));
  }

  /**
   * Enters the side. A result of 0 or more means that this agent owns the lock and `count` units are available: the
   * result is their position in the ring. Returns WAITING if this did not happen in time. Throws `ClosedError` (for
   * consumers: if the buffer is closed and empty), `DeadlockError`, `MisuseError`, `ArenaFullError`.
   */
  enter(count: number, timeoutMs: number): number {
    // Afterwards the caller owns the lock and must be able to commit.
    reserveStack();
    let seen: number = WAITING;
    if (this.#calls.pending === 0) {
      this.#came = count;
      seen = this.#enterSide(this.address, this.#lineState.tag, this.#id, count);
    }
    return seen >= 0 ? seen : this.goOn(seen, count, timeoutMs);
  }

  /**
   * Enters the side without blocking, for async functions. Calls `use` with the position. `use` must call `commit` in
   * every case. If the agent may enter now, the call returns the result of `use`, because a promise would cost more
   * than all other steps. Otherwise it returns a promise of that result.
   *
   * Fails with the errors of `enter`, with `TimeoutError`, the signal's reason and the error that `use` throws.
   * `spends` is false if the caller itself spends from the budget.
   */
  enterAsync<Used>(
    count: number,
    options: WaitOptions,
    use: (position: number) => Used,
    spends = true,
  ): Used | Promise<Used> {
    reserveStack();
    const checked = checkWait(options);
    const seen = this.#enterNow(count);
    if (seen < 0) return this.#enterInLineAsync(seen, count, checked, use);
    const used = use(seen);
    const later = spends ? this.budget.spend() : undefined;
    return later === undefined ? used : later.then(() => used);
  }

  /** Continues `enterAsync` after a first step that returned `seen`. */
  async #enterInLineAsync<Used>(
    seen: number,
    count: number,
    checked: WaitOptions,
    use: (position: number) => Used,
  ): Promise<Used> {
    checkNotFreed(this.#ref, 'The buffer');
    if (seen !== SHORT && seen !== SHUT) this.lock.refuseToNest();
    let used: { readonly by: Used } | undefined;
    const note = (position: number): void => void (used = { by: use(position) });
    let found = this.#inside(seen);
    if (found === WAITING) found = await this.#calls.inOrder((isHead) => this.#tryEnter(count, checked, note, isHead));
    if (used === undefined) this.#refuse(found);
    return (used as unknown as { readonly by: Used }).by;
  }

  /**
   * Ends a call of the lock's owner, which used or freed `room` units and wrote or read `values` values. Frees the lock
   * and wakes the agents that may enter now.
   */
  commit(room: number, values: number): void {
    const isHead = this.#isHead;
    this.#isHead = 0;
    try {
      if (this.#commit(this.address, this.#agent, this.#entry, room, values, isHead) !== IDLE)
        this.#context.finishWalk();
    } catch (failure) {
      throw asCorrupt(failure, this.#errors);
    }
  }

  /**
   * Puts an int32 in on the producers' side, or takes one out on the consumers' side, in one step of the kernel
   * (kernel/number.ts). A result of 0 or more means success, and its low 32 bits are the value. Otherwise nothing was
   * changed: call `goOn`.
   */
  passInt32(value: number): number {
    if (this.#calls.pending > 0) return WAITING;
    const passed = this.#passInt32(this.address, this.#lineState.tag, this.#agent, value);
    if (passed >= WALK) this.#context.finishWalk();
    return passed;
  }

  /** The budget from which calls spend before they settle. */
  get budget(): AgentContext['budget'] {
    return this.#context.budget;
  }

  /**
   * The units that the owner of the lock may take: all available ones, or only those that it came for while other
   * agents wait in line.
   */
  get units(): number {
    const units = this.#countUnits(this.address, this.#came);
    if (units > this.#ringUnits)
      throw corrupt(`${this.#errors.toString()} has ${units} units in a ring of ${this.#ringUnits}`);
    return units;
  }

  #enterNow(count: number): number {
    if (this.#calls.pending > 0) return WAITING;
    this.#came = count;
    return this.#enterSide(this.address, this.#lineState.tag, this.#id, count);
  }

  /**
   * Throws if the buffer is closed or freed. With SHUT it throws `ClosedError`, also if the buffer was freed after it
   * was closed.
   */
  #refuse(outcome: number): void {
    // Tested first, because the buffer may have been freed after it was closed.
    if (outcome === SHUT) throw new ClosedError(`${this.#errors.toString()} is ${this.#closed}.`);
    checkNotFreed(this.#ref, 'The buffer');
  }

  /** Continues `enter` after a first step that returned `first`. */
  goOn(first: number, count: number, timeoutMs: number): number {
    reserveStack();
    const { words, parking } = this.#context;
    // `deadlineIn`, written out: a contended push saves the call.
    const end = timeoutMs === Infinity ? Infinity : parking.now() + timeoutMs;
    const wasThere = words.load32(this.address + BLOCK_TAG) === this.#tag;
    let found = first;
    if (first === BESIDE || (first === WAITING && this.#looks.isOn && timeoutMs > 0 && this.#calls.pending === 0))
      found = this.#looks.again(
        () => this.lines.isWaitedIn,
        end,
        () => this.#enterNow(count),
        first,
      );
    if (found >= 0) return found;
    if (words.load32(this.address + OFFICE) === this.#id && (found === RACED || found === WAITING))
      this.lock.refuseToNest();
    if (found === RACED) found = this.lock.tryLock(this.#left(end)) ? this.#redeem(0, count) : WAITING;
    else if (found !== WAITING) found = this.#inside(found);
    // The first step did not check, because async calls of this agent are pending.
    if (found === WAITING && this.#calls.pending > 0 && this.lines.isClosed) found = SHUT;
    if (found === WAITING && timeoutMs !== 0) found = this.#waitInLine(count, end, wasThere);
    // A dead agent may hold the lock or be the head of the line, and this agent can finish its recovery.
    if (found === WAITING && timeoutMs === 0 && finishPending(this.#context)) return this.enter(count, timeoutMs);
    if (found < 0) this.#refuse(wasThere && this.#isGone() ? SHUT : found);
    return found;
  }

  /**
   * Waits to become the head of the line, then takes the lock and waits until enough units are available. Admits the
   * next head if it does not get them.
   */
  #waitInLine(count: number, end: number, wasThere: boolean): number {
    const { pending } = this.#calls;
    // These calls are before this one in line, and cannot run while this agent is blocked.
    if (pending > 0 && end === Infinity) throw this.#errors.deadlock(pending);
    const left = end === Infinity ? Infinity : this.#left(end);
    if (pending > 0 || left === 0) return WAITING;
    if (!this.#mayBlock) refuseToBlock();
    const context = this.#context;
    const { words, agent } = context;
    let outcome: Poll = WAITING;
    let found = STAYS_HEAD;
    try {
      // Before the ticket is drawn: a wait that other agents see must not fail for lack of memory.
      if (words.get32(agent + AGENT_SPARE) === 0) context.refill();
      const drawn = this.#enqueueAtSide(this.address, this.#headLine.tag, agent, this.#entry, count);
      if (words.get32(agent + AGENT_DUTY_KIND) !== 0) context.finishWalk();
      outcome = blockInLine(context, this.#headLine, drawn, this.#policy, left, this.#errors);
      if (outcome === WAITING || (wasThere && outcome === SHUT && this.#isGone())) return outcome;
      // Otherwise the line was closed before this agent became its head. Values may be left.
      const isHead = outcome === TAKEN ? 1 : 0;
      for (let rounds = 0; ; ) {
        // Usually the lock is free, and there is enough.
        const seen = this.#look(this.address, this.#lineState.tag, agent, count, isHead);
        if (seen >= 0) {
          this.#isHead = isHead;
          this.#came = count;
          found = seen;
          return found;
        }
        if (seen === RACED && !this.lock.tryLock(this.#left(end))) return WAITING;
        found = this.#redeem(isHead, count);
        if (found !== STAYS_HEAD) return found;
        this.lines.wanted = count;
        const { parks } = context;
        if (this.lines.more.wait(this.#left(end)) === WAITING) return WAITING;
        rounds = this.lines.nextRound(rounds, parks);
      }
    } catch (failure) {
      throw asCorrupt(failure, this.#errors);
    } finally {
      if (found === STAYS_HEAD) this.lines.giveBack(outcome);
    }
  }

  /** Draws a ticket before any other code can run, and takes the lock as the head of the line. */
  async #tryEnter(
    count: number,
    { timeout = Infinity, ...others }: WaitOptions,
    use: (position: number) => void,
    earlier: Promise<void> | undefined,
  ): Promise<number> {
    const end = deadlineIn(this.#context.parking, timeout);
    const rest = (): WaitOptions => ({ ...others, timeout: this.#left(end) });
    let outcome: Poll = WAITING;
    let found = WAITING;
    /** Takes the units for the owner of the lock. */
    const redeem = (): void => {
      found = this.#redeem(outcome === TAKEN ? 1 : 0, count);
      // Before `use`, which may throw: this call is no longer the head.
      attempts.isDone = found !== STAYS_HEAD;
      if (found >= 0) use(found);
    };
    const attempt = (): AttemptOutcome => {
      if (!this.lock.tryLock(0)) return 'blocked';
      redeem();
      return attempts.isDone ? 'done' : 'wait';
    };
    const waitForMore = (met: () => void): Promise<unknown> => {
      this.lines.wanted = count;
      return this.lines.more.waitAsync(rest(), met, timeout);
    };
    const attempts = new Attempts(attempt, waitForMore, this.#errors);
    const granted = (): void => {
      outcome = TAKEN;
      // Otherwise earlier calls of this agent come first.
      if (earlier === undefined) attempts.make();
    };
    this.lines.wanted = count;
    try {
      outcome = await this.lines.headLine.waitAsync({ ...others, timeout }, granted, timeout);
      if (outcome === SHUT && this.#isGone()) return SHUT;
      if (earlier !== undefined && !(await endsBefore(earlier, others, this.#left(end))))
        throw this.#errors.timedOut(timeout, 0);
      await attempts.finish(async () => {
        throwIfAborted(others.signal);
        found = WAITING;
        await this.lock.lockAsync(rest(), redeem, timeout);
        // The buffer was freed. It was closed before.
        if (found === WAITING && this.#isGone()) found = SHUT;
        return found === STAYS_HEAD ? 'wait' : 'done';
      });
      return found;
    } catch (failure) {
      if (!attempts.isDone) this.lines.giveBack(outcome);
      throw failure;
    }
  }

  /** Whether the buffer was freed. If it existed when a call began to wait, it was closed in between. */
  #isGone(): boolean {
    return this.#context.words.load32(this.address + BLOCK_TAG) !== this.#tag;
  }

  /** Frees the lock if this agent owns it but too few units are available. */
  #inside(seen: number): number {
    if (seen === SHORT || seen === SHUT) this.commit(0, 0);
    return seen === SHUT ? SHUT : WAITING;
  }

  /**
   * Takes units for the owner of the lock, or frees the lock. `isHead` is 1 if this agent is the head of the line.
   * STAYS_HEAD: it freed the lock and stayed the head. It is woken when enough is available.
   */
  #redeem(isHead: number, count: number): number {
    const seen = this.#look(this.address, this.#lineState.tag, this.#agent, count, isHead);
    if (isHead === 1 && seen === SHORT) {
      // Lost wake-up, waiter side: write NEEDED before leaving the lock. Pairs with `exitSide` of the other side, which
      // reads NEEDED (`isDue`) after it has written POSITION. This call's own `exitSide` compares the positions again.
      this.lines.need(count);
      this.commit(0, 0);
      return STAYS_HEAD;
    }
    this.#isHead = isHead;
    this.#came = count;
    return seen >= 0 ? seen : this.#inside(seen);
  }

  #left(end: number): number {
    return leftUntil(this.#context.parking, end);
  }
}
