// A wait for a condition: enqueue, unlock the lock, wait, lock it again.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import { reserveStack } from '@sluice/core/calls';
import {
  AGENT_SPARE,
  asElement,
  CONSISTENT,
  GATE,
  HEALTH,
  MODE_ASYNC,
  MODE_BLOCKING,
  LINE,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type ElementAddress,
  type Poll,
} from '@sluice/core/format';
import {
  asCorrupt,
  awaitInLine,
  deadlineIn,
  endOfWait,
  isElement,
  LOCK_LINE,
  observer,
  sleepInLine,
  sleepParked,
  tellHeld,
  type PrimitiveErrors,
  type LineState,
  type LockLine,
  type BlockRef,
} from '@sluice/core/internal';
import type { ConditionKernel } from './kinds.ts';
import type { ConditionLock } from './lock-of.ts';

export class ConditionWait {
  readonly errors: PrimitiveErrors;
  readonly #ref: BlockRef;
  readonly #lineState: LineState;
  readonly #policy: WaitingPolicy;
  readonly #lock: ConditionLock;
  readonly #line: LockLine;
  readonly #sleepAt: ConditionKernel['sleepAtCondition'];
  readonly #wakeAt: ConditionKernel['wakeAtCondition'];
  /** A waiter with fewer waiters than this before it spins before it sleeps. */
  readonly #near: number;

  constructor(
    ref: BlockRef,
    lineState: LineState,
    policy: WaitingPolicy,
    lock: ConditionLock,
    errors: PrimitiveErrors,
  ) {
    this.errors = errors;
    this.#ref = ref;
    this.#lineState = lineState;
    this.#policy = policy;
    this.#lock = lock;
    this.#line = lock[LOCK_LINE];
    this.#sleepAt = this.#kernel.sleepAtCondition;
    this.#wakeAt = this.#kernel.wakeAtCondition;
    this.#near = policy.spinMicros === 0 ? 0 : policy.longTermThreshold;
  }

  /**
   * Waits for at most `timeoutMs`. The caller owns the lock before and after the call. Returns TAKEN if it was
   * notified, WAITING if the timeout elapsed, and SHUT if the condition was freed.
   */
  block(timeoutMs: number): Poll {
    const { context } = this.#ref;
    this.#refuseDeadlock(timeoutMs);
    // A tool is told of each part of a wait.
    if (timeoutMs === Infinity && this.#line.endTurn !== undefined && observer === undefined)
      return this.#blockAtMutex();
    const element = this.#enqueue(MODE_BLOCKING);
    if (!isElement(element)) return element;
    context.waiting.beginWait(element, MODE_BLOCKING, context.parking.date());
    const depth = this.#unlock();
    return this.finish(element, depth, deadlineIn(context.parking, timeoutMs));
  }

  /**
   * Does the usual wait at a condition of a mutex in two steps, one before the sleep and one after it. With many threads,
   * each waits a few hundred times a second, and the engine interprets its code.
   */
  #blockAtMutex(): Poll {
    const { context, address } = this.#ref;
    const { words, parking, agent } = context;
    const { tag, entry } = this.#lineState;
    const line = this.#line;
    const { ref: lock, lineState: lockState } = line;
    context.refill(MODE_BLOCKING);
    // A stack overflow after the step has unlocked the mutex would leave the next owner asleep.
    reserveStack();
    const element = asElement(words.get32(agent + AGENT_SPARE));
    const depth = line.takeDepth();
    line.endTurn?.();
    try {
      const since = parking.date();
      const passed = this.#sleepAt(address, tag, agent, entry, lock.address, lock.tag, context.id, this.#near, since);
      if (passed === SHUT) {
        line.addDepth(depth);
        return SHUT;
      }
      if (isElement(passed)) parking.notify(passed + GATE);
      else {
        if (passed === RACED) line.unlockToWait();
        // A notification may have come before the element was linked. Then this agent has detached its own element, and
        // no other agent walks that chain, however the mutex was unlocked.
        context.finishWalk();
      }
      sleepParked(context, element);
      const woken = this.#wakeAt(element, agent, entry, lockState.entry, parking.date(), context.parks);
      if (woken !== TAKEN) {
        // In the line of the mutex the waiter may be the successor by now: from here on only that line's steps know its gate.
        if (!this.#isMoved(element)) return this.finish(element, depth, Infinity);
        this.#stay(element, depth, woken);
        return TAKEN;
      }
    } catch (failure) {
      throw asCorrupt(failure, this.errors);
    }
    line.addDepth(depth);
    if (words.load32(lock.address + HEALTH) !== CONSISTENT) line.heedNotice();
    return TAKEN;
  }

  /** Completes `block` after the lock was unlocked. `deadline` is in ms on the clock of `parking.now`. */
  finish(element: ElementAddress, depth: number, deadline: number): Poll {
    const { context } = this.#ref;
    const verdict = sleepInLine(context, this.#lineState, element, this.#policy, deadline);
    if (verdict === TAKEN && this.#isMoved(element)) {
      this.#stay(element, depth);
      return TAKEN;
    }
    const ended = endOfWait(context, this.#lineState, element, verdict);
    this.#relock(ended, depth);
    return ended;
  }

  /**
   * Waits as `block` does, without blocking the thread. Rejects with `TimeoutError` or the signal's reason, with the
   * lock held.
   */
  async async({ timeout, signal, ref }: WaitOptions): Promise<Poll> {
    const { context } = this.#ref;
    if (timeout === 0) throw this.errors.timedOut(0, 0);
    let depth: number | undefined;
    let ended: Poll = WAITING;
    try {
      const draw = (): ElementAddress | typeof SHUT => {
        const drawn = this.#enqueue(MODE_ASYNC);
        if (!isElement(drawn)) return drawn;
        context.waiting.beginWait(drawn, MODE_ASYNC, context.parking.date());
        depth = this.#unlock();
        return drawn;
      };
      ended = await awaitInLine(context, this.#lineState, draw, { timeout, signal, ref }, this.errors);
    } finally {
      if (depth !== undefined) await this.#relockAsync(ended, depth, ref);
    }
    return ended;
  }

  get #kernel(): ConditionKernel {
    return this.#ref.context.kernel as ConditionKernel;
  }

  /**
   * Throws `DeadlockError` if this agent has an async wait that could not settle while the agent is blocked. Called
   * before anything changes.
   */
  #refuseDeadlock(timeoutMs: number): void {
    const here = this.#lineState.asyncWaits.size;
    if (here > 0 && timeoutMs === Infinity) throw this.errors.deadlock(here);
    const there = this.#line.lineState.asyncWaits.size;
    if (there > 0) throw this.#line.errors.deadlock(there);
  }

  /**
   * Enqueues this agent as a waiter.
   *
   * Lost wake-up, waiter side: the waiter is counted and has its ticket before it unlocks the lock. Pairs with
   * `notifyCondition`, which reads the count: invariant 1 of kernel/condition.ts.
   */
  #enqueue(mode: number): ElementAddress | typeof SHUT {
    const { context, address } = this.#ref;
    const { tag, entry } = this.#lineState;
    context.refill(mode);
    return this.#kernel.enqueueAtCondition(address, tag, context.agent, entry);
  }

  /** Unlocks the lock at any depth. Returns the depth to restore. */
  #unlock(): number {
    const depth = this.#line.takeDepth();
    tellHeld(this.#lock, false);
    this.#line.unlockToWait();
    return depth;
  }

  #isMoved(element: ElementAddress): boolean {
    return this.#ref.context.words.get32(element + LINE) !== this.#ref.address;
  }

  /** Waits in the lock's line, to which the waiter was moved, until it owns the lock. `last`: what it saw last there. */
  #stay(element: ElementAddress, depth: number, last: Poll = WAITING): void {
    const { context } = this.#ref;
    const {
      lineState,
      lineState: { line, entry },
    } = this.#line;
    const seen = last === WAITING ? line.poll(element, entry) : last;
    const verdict = seen === WAITING ? sleepInLine(context, lineState, element, this.#policy, Infinity) : seen;
    const owns = endOfWait(context, lineState, element, verdict) === TAKEN;
    this.#kernel.endConditionWait(this.#lineState.entry);
    // The lock was freed: this call throws the `MisuseError`.
    if (owns) tellHeld(this.#lock, true);
    else this.#lock.lock();
    this.#line.addDepth(depth);
    this.#line.heedNotice();
  }

  #relock(ended: Poll, depth: number): void {
    try {
      // The caller owns the lock after the wait, also if that closes a deadlock.
      this.#ref.context.withoutSearch(() => this.#lock.lock());
    } finally {
      this.#end(ended, depth);
    }
  }

  async #relockAsync(ended: Poll, depth: number, ref: boolean | undefined): Promise<void> {
    try {
      await this.#lock.lockAsync({ ref });
    } finally {
      this.#end(ended, depth);
    }
  }

  /** Ends the wait, after this agent has locked the lock again or failed to. */
  #end(ended: Poll, depth: number): void {
    // TAKEN means that the wait was notified. Then its ledger entry still counts it. A cancellation has already removed
    // the count of any other wait.
    if (ended === TAKEN) this.#kernel.endConditionWait(this.#lineState.entry);
    if (depth > 0 && this.#lock.owned) this.#line.addDepth(depth);
  }
}
