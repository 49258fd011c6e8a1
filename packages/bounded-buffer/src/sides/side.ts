// One side of a buffer, as one agent sees it: entering and leaving it. Words and invariants: kernel/sides.ts. The async
// calls are in async-entry.ts.
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
//   3. Async calls of one agent keep their order (`SideCalls`). While some are pending, the agent's other calls wait
//      behind them. A blocking call would then wait for calls that cannot run (`DeadlockError`).

import type { WaitingPolicy } from '@sluice/core';
import { refuseToBlock, reserveStack } from '@sluice/core/calls';
import {
  AGENT_DUTY_KIND,
  AGENT_SPARE,
  BLOCK_TAG,
  IDLE,
  OFFICE,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type Poll,
  type EntryAddress,
  type LineAddress,
  type AgentAddress,
} from '@sluice/core/format';
import {
  asCorrupt,
  blockInLine,
  corrupt,
  finishPending,
  leftUntil,
  mayBlock,
  EntryDelay,
  type AgentContext,
  type LineState,
  type BlockRef,
} from '@sluice/core/internal';
import { SideErrors } from './side-errors.ts';
import { callsAt, type SideCalls } from './side-calls.ts';
import { RING_BYTES, UNIT_BYTES } from '../kernel/layout.ts';
import { BESIDE, SHORT, WALK, STAYS_HEAD } from '../kernel/outcomes.ts';
import { BUFFER, type BufferKernel } from './kinds.ts';
import { LOCK, refOfLine, HEAD_LINE } from './lines.ts';
import { flowAt } from './flow.ts';
import { SideLines } from './side-lines.ts';
import { SideLock } from './side-lock-wait.ts';

export class Side {
  readonly address: LineAddress;
  readonly context: AgentContext;
  readonly errors: SideErrors;
  readonly lock: SideLock;
  readonly lines: SideLines;
  /** This agent's pending async calls at the side. */
  readonly calls: SideCalls;
  /** The tag of the side's own line. */
  readonly #tag: number;
  readonly #kernel: BufferKernel;
  // The fields of the uncontended paths are separate, to save a lookup per call.
  readonly #enterSide: BufferKernel['enterSide'];
  readonly #commit: BufferKernel['commitSide'];
  readonly #passInt32: BufferKernel['passInt32'];
  readonly #id: number;
  readonly #agent: AgentAddress;
  readonly #entry: EntryAddress;
  readonly #lineState: LineState;
  readonly #policy: WaitingPolicy;
  readonly #mayBlock = mayBlock();
  readonly #entryDelay: EntryDelay;
  readonly #ringUnits: number;
  /** While this agent owns the lock: the number of units that it came for. */
  #came = 1;
  /** While this agent owns the lock: 1 if it is the head of the line, 0 if not. */
  #isHead = 0;

  constructor(ref: BlockRef, which: number, policy: WaitingPolicy) {
    const { context } = ref;
    const { words } = context;
    const { kernel } = context.load(BUFFER);
    const own = refOfLine(ref, LOCK, which);
    this.address = own.address;
    this.context = context;
    this.errors = new SideErrors(ref, which);
    this.lock = new SideLock(own, policy, this.errors);
    this.lines = new SideLines(ref, which, policy, this.errors);
    this.calls = callsAt(refOfLine(ref, HEAD_LINE, which));
    this.#tag = own.tag;
    this.#kernel = kernel;
    this.#enterSide = kernel.enterSide;
    this.#commit = kernel.commitSide;
    this.#passInt32 = kernel.passInt32;
    this.#id = context.id;
    this.#agent = context.agent;
    this.#entry = this.lines.headLine.lineState.entry;
    this.#lineState = this.lock.lineState;
    this.#policy = policy;
    this.#entryDelay = new EntryDelay(context, flowAt(ref, which), policy);
    this.#ringUnits = words.get32(ref.address + RING_BYTES) / words.get32(ref.address + UNIT_BYTES);
  }

  /**
   * Enters the side. A result of 0 or more means that this agent owns the lock and `count` units are available: the
   * result is their position in the ring. Returns WAITING if this did not happen in time. Throws `ClosedError` (for
   * consumers: if the buffer is closed and empty), `DeadlockError`, `MisuseError`, `ArenaFullError`.
   */
  enter(count: number, timeoutMs: number): number {
    // Afterwards the caller owns the lock and must be able to commit.
    reserveStack();
    // `enterNow`, written out: a contended push saves the call.
    let seen: number = WAITING;
    if (this.calls.pending === 0) {
      this.#came = count;
      seen = this.#enterSide(this.address, this.#lineState.tag, this.#id, count);
    }
    return seen >= 0 ? seen : this.goOn(seen, count, timeoutMs);
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
        this.context.finishWalk();
    } catch (failure) {
      throw asCorrupt(failure, this.errors);
    }
  }

  /**
   * Puts an int32 in on the producers' side, or takes one out on the consumers' side, in one step of the kernel
   * (kernel/number.ts). A result of 0 or more means success, and its low 32 bits are the value. Otherwise nothing was
   * changed: call `goOn`.
   */
  passInt32(value: number): number {
    if (this.calls.pending > 0) return WAITING;
    const passed = this.#passInt32(this.address, this.#lineState.tag, this.#agent, value);
    if (passed >= WALK) this.context.finishWalk();
    return passed;
  }

  /** The budget from which calls spend before they settle. */
  get budget(): AgentContext['budget'] {
    return this.context.budget;
  }

  /**
   * The units that the owner of the lock may take: all available ones, or only those that it came for while other
   * agents wait in line.
   */
  get units(): number {
    const units = this.#kernel.countSideUnits(this.address, this.#came);
    if (units > this.#ringUnits)
      throw corrupt(`${this.errors.toString()} has ${units} units in a ring of ${this.#ringUnits}`);
    return units;
  }

  /** Makes the first step of an entry, without waiting. Returns its result, or WAITING behind pending async calls. */
  enterNow(count: number): number {
    if (this.calls.pending > 0) return WAITING;
    this.#came = count;
    return this.#enterSide(this.address, this.#lineState.tag, this.#id, count);
  }

  /** Continues `enter` after a first step that returned `first`. */
  goOn(first: number, count: number, timeoutMs: number): number {
    reserveStack();
    const { words, parking } = this.context;
    // `deadlineIn`, written out: a contended push saves the call.
    const end = timeoutMs === Infinity ? Infinity : parking.now() + timeoutMs;
    const wasThere = words.load32(this.address + BLOCK_TAG) === this.#tag;
    let found = first;
    if (first === BESIDE || (first === WAITING && this.#entryDelay.isOn && timeoutMs > 0 && this.calls.pending === 0))
      found = this.#entryDelay.again(
        () => this.lines.isWaitedIn,
        end,
        () => this.enterNow(count),
        first,
      );
    if (found >= 0) return found;
    if (words.load32(this.address + OFFICE) === this.#id && (found === RACED || found === WAITING))
      this.lock.refuseToNest();
    if (found === RACED) found = this.lock.tryLock(this.#left(end)) ? this.redeem(0, count) : WAITING;
    else if (found !== WAITING) found = this.leaveIfShort(found);
    // The first step did not check, because async calls of this agent are pending.
    if (found === WAITING && this.calls.pending > 0 && this.lines.isClosed) found = SHUT;
    if (found === WAITING && timeoutMs !== 0) found = this.#waitInLine(count, end, wasThere);
    // A dead agent may hold the lock or be the head of the line, and this agent can finish its recovery.
    if (found === WAITING && timeoutMs === 0 && finishPending(this.context)) return this.enter(count, timeoutMs);
    if (found < 0) this.errors.refuse(wasThere && this.isGone ? SHUT : found);
    return found;
  }

  /**
   * Waits to become the head of the line, then takes the lock and waits until enough units are available. Admits the
   * next head if it does not get them.
   */
  #waitInLine(count: number, end: number, wasThere: boolean): number {
    const { pending } = this.calls;
    // These calls are before this one in line, and cannot run while this agent is blocked.
    if (pending > 0 && end === Infinity) throw this.errors.deadlock(pending);
    const left = end === Infinity ? Infinity : this.#left(end);
    if (pending > 0 || left === 0) return WAITING;
    if (!this.#mayBlock) refuseToBlock();
    const { context } = this;
    const { words, agent } = context;
    const { lineState } = this.lines.headLine;
    let outcome: Poll = WAITING;
    let found = STAYS_HEAD;
    try {
      // Before the ticket is drawn: a wait that other agents see must not fail for lack of memory.
      if (words.get32(agent + AGENT_SPARE) === 0) context.refill();
      const drawn = this.#kernel.enqueueAtSide(this.address, lineState.tag, agent, this.#entry, count);
      if (words.get32(agent + AGENT_DUTY_KIND) !== 0) context.finishWalk();
      outcome = blockInLine(context, lineState, drawn, this.#policy, left, this.errors);
      if (outcome === WAITING || (wasThere && outcome === SHUT && this.isGone)) return outcome;
      // Otherwise the line was closed before this agent became its head. Values may be left.
      const isHead = outcome === TAKEN ? 1 : 0;
      for (let rounds = 0; ; ) {
        // Usually the lock is free, and there is enough.
        const seen = this.#kernel.lookAtSide(this.address, this.#lineState.tag, agent, count, isHead);
        if (seen >= 0) {
          this.#isHead = isHead;
          this.#came = count;
          found = seen;
          return found;
        }
        if (seen === RACED && !this.lock.tryLock(this.#left(end))) return WAITING;
        found = this.redeem(isHead, count);
        if (found !== STAYS_HEAD) return found;
        this.lines.wanted = count;
        const { parks } = context;
        if (this.lines.more.wait(this.#left(end)) === WAITING) return WAITING;
        rounds = this.lines.nextRound(rounds, parks);
      }
    } catch (failure) {
      throw asCorrupt(failure, this.errors);
    } finally {
      if (found === STAYS_HEAD) this.lines.giveBack(outcome);
    }
  }

  /** Whether the buffer was freed. If it existed when a call began to wait, it was closed in between. */
  get isGone(): boolean {
    return this.context.words.load32(this.address + BLOCK_TAG) !== this.#tag;
  }

  /** Frees the lock if this agent owns it but too few units are available, or the side is closed. */
  leaveIfShort(seen: number): number {
    if (seen === SHORT || seen === SHUT) this.commit(0, 0);
    return seen === SHUT ? SHUT : WAITING;
  }

  /**
   * Takes units for the owner of the lock, or frees the lock. `isHead` is 1 if this agent is the head of the line.
   * STAYS_HEAD: it freed the lock and stayed the head. It is woken when enough is available.
   */
  redeem(isHead: number, count: number): number {
    const seen = this.#kernel.lookAtSide(this.address, this.#lineState.tag, this.#agent, count, isHead);
    if (isHead === 1 && seen === SHORT) {
      // Lost wake-up, waiter side: write NEEDED before leaving the lock. Pairs with `exitSide` of the other side, which
      // reads NEEDED (`isDue`) after it has written POSITION. This call's own `exitSide` compares the positions again.
      this.lines.need(count);
      this.commit(0, 0);
      return STAYS_HEAD;
    }
    this.#isHead = isHead;
    this.#came = count;
    return seen >= 0 ? seen : this.leaveIfShort(seen);
  }

  #left(end: number): number {
    return leftUntil(this.context.parking, end);
  }
}
