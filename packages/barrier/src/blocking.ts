// Blocking waits at a barrier: an agent arrives, and sleeps on the sleep word until its generation has ended. The word
// is in kernel/sleep-word.ts.

import type { WaitingPolicy } from '@sluice/core';
import {
  AGENT_SCRATCH,
  asElement,
  GRANT,
  SLEEP_WORD,
  NEEDS_WALK,
  RACED,
  SHUT,
  WAITING,
  type ElementAddress,
} from '@sluice/core/format';
import {
  asCorrupt,
  checkNotFreed,
  deadlineIn,
  endOfWait,
  finishPending,
  leaveLine,
  leftUntil,
  retryOrThrow,
  spinIfItPays,
  titleOf,
  type AgentContext,
  type LineState,
  type BlockRef,
} from '@sluice/core/internal';
import type { Arrivals } from './arrivals.ts';
import { coreCount } from './cores.ts';
import { MAX_PARTIES, PARTIES, PARTIES_AT } from './kernel/layout.ts';
import { AWAKE, HAS_LIMIT, NOT_YET, WAKES_ALL } from './kernel/outcomes.ts';
import type { BarrierKernel, BarrierSteps } from './kinds.ts';

type Verdict = Parameters<typeof endOfWait>[3];

export class BlockingWaits {
  readonly #ref: BlockRef;
  readonly #context: AgentContext;
  readonly #parking: AgentContext['parking'];
  readonly #kernel: BarrierKernel;
  readonly #lineState: LineState;
  readonly #arrivals: Arrivals;
  readonly #policy: WaitingPolicy;
  readonly #acts: number;
  readonly #sleepWord: number;
  /** A waiter spins if at most this many parties are missing. */
  readonly #near: number;
  /**
   * A waiter spins only at a barrier with at most this many parties, the number of cores. If there are more, a missing
   * party may need the core of the spinner.
   */
  readonly #most: number;
  readonly #arrive: BarrierSteps['arriveAtBarrierToSleep'];
  readonly #wakeUp: BarrierSteps['wakeAtBarrier'];

  /** `acts` is 1 if the agent has an action. */
  constructor(ref: BlockRef, lineState: LineState, arrivals: Arrivals, policy: WaitingPolicy, acts: number) {
    this.#ref = ref;
    this.#context = ref.context;
    this.#parking = ref.context.parking;
    this.#kernel = ref.context.kernel as BarrierKernel;
    this.#lineState = lineState;
    this.#arrivals = arrivals;
    this.#policy = policy;
    this.#acts = acts;
    this.#sleepWord = ref.address + SLEEP_WORD;
    this.#near = policy.spinMicros === 0 ? 0 : policy.longTermThreshold;
    this.#most = Math.min(coreCount(), MAX_PARTIES);
    this.#arrive = this.#kernel.arriveAtBarrierToSleep;
    this.#wakeUp = this.#kernel.wakeAtBarrier;
  }

  /**
   * Arrives, and sleeps until the generation has ended. Returns the outcome. Throws `DeadlockError`, `ArenaFullError`,
   * and `MisuseError` if the barrier was freed.
   */
  meet(): number {
    // With many threads, the code and the objects of each thread are not in the processor's cache. Therefore the usual
    // arrival is one function that uses few objects.
    const context = this.#context;
    const { block, tag, entry } = this.#lineState;
    const parking = this.#parking;
    try {
      const ended = this.#arrive(
        block,
        tag,
        context.agent,
        entry,
        this.#acts,
        this.#near,
        this.#most,
        parking.date(),
        context.pendingSeen,
      );
      if (ended >= 0) {
        if (parking.wait(this.#sleepWord, ended, Infinity) === 'ok') context.parks += 1;
        const outcome = this.#wakeUp(context.agent, entry, context.parks);
        return outcome > 0 ? outcome : this.#finish(outcome, Infinity, Infinity);
      }
      if (ended !== WAKES_ALL) return this.#finish(ended, Infinity, Infinity);
      parking.notify(this.#sleepWord);
    } catch (failure) {
      throw asCorrupt(failure, titleOf('Barrier', this.#ref));
    }
    return this.#arrivals.outcome;
  }

  /**
   * Arrives as `meet` does, and sleeps for at most `timeoutMs`. Returns WAITING if the timeout elapsed; the timeout
   * breaks the generation.
   */
  meetWithin(timeoutMs: number): number {
    const deadline = deadlineIn(this.#parking, timeoutMs);
    try {
      return this.#finish(this.#arriveFor(timeoutMs), timeoutMs, deadline);
    } catch (failure) {
      throw asCorrupt(failure, titleOf('Barrier', this.#ref));
    }
  }

  #arriveFor(timeoutMs: number): number {
    const context = this.#context;
    const { block, tag, entry } = this.#lineState;
    const acts = timeoutMs === Infinity ? this.#acts : this.#acts | HAS_LIMIT;
    return this.#arrive(
      block,
      tag,
      context.agent,
      entry,
      acts,
      this.#near,
      this.#most,
      this.#parking.date(),
      context.pendingSeen,
    );
  }

  /** Finishes an arrival whose step has returned `arrived`, or `wakeAtBarrier` after it. */
  #finish(arrived: number, timeoutMs: number, deadline: number): number {
    const context = this.#context;
    const parking = this.#parking;
    let ended = arrived;
    for (let tries = 0; ended === RACED || ended === NOT_YET; ended = this.#arriveFor(timeoutMs)) {
      if (ended === RACED) retryOrThrow(++tries);
      else this.#prepare(timeoutMs);
    }
    if (ended === WAKES_ALL) parking.notify(this.#sleepWord);
    else if (ended === NEEDS_WALK) context.finishWalk();
    else if (ended >= 0) {
      if (parking.wait(this.#sleepWord, ended, timeoutMs) === 'ok') context.parks += 1;
      ended = this.#wakeUp(context.agent, this.#lineState.entry, context.parks);
      if (ended > 0) return ended;
    }
    if (ended === AWAKE || ended === WAITING) {
      const element = asElement(context.words.get32(context.agent + AGENT_SCRATCH));
      ended = endOfWait(context, this.#lineState, element, this.#sleep(element, deadline));
      if (ended === WAITING) return WAITING;
    }
    if (ended === SHUT) checkNotFreed(this.#ref, 'The barrier');
    return this.#arrivals.outcome;
  }

  #prepare(timeoutMs: number): void {
    // The action of the barrier would wait for its own return.
    if (timeoutMs === Infinity && this.#arrivals.isInAction) throw this.#arrivals.deadlock();
    this.#context.refill();
  }

  /** Returns whether at most `near` parties are missing and each party may have a core, as `arriveAtBarrierToSleep` does. */
  #maySpin(element: ElementAddress): boolean {
    if (this.#near === 0) return false;
    const parties = (this.#context.words.load32(this.#lineState.block + GRANT) & PARTIES) >>> PARTIES_AT;
    return parties <= this.#most && this.#kernel.missingAtBarrier(element) <= this.#near;
  }

  /** Finishes a wait that did not sleep, or that woke before its generation had ended. */
  #sleep(element: ElementAddress, deadline: number): Verdict {
    const context = this.#context;
    const { parking } = context;
    const { line, entry } = this.#lineState;
    const look = (): ReturnType<typeof line.poll> => line.poll(element, entry);
    try {
      if (this.#maySpin(element)) {
        const seen = spinIfItPays(context, this.#policy, look);
        if (seen !== WAITING) return seen;
      }
      for (let tries = 0; ; ) {
        const before = this.#kernel.prepareSleepAtBarrier(element, context.pendingSeen);
        if (before >= 0) {
          const woke = parking.wait(this.#sleepWord, before, leftUntil(parking, deadline));
          if (woke === 'timed-out') return leaveLine(context, this.#lineState, element);
          tries = 0;
          if (woke === 'ok') context.parks += 1;
        } else if (before === WAITING) finishPending(context);
        // Retry. `before` is RACED or TAKEN here; in damaged memory it may be a value that SLEEP_WORD never has.
        else retryOrThrow(++tries);
        const seen = look();
        if (seen !== WAITING) return seen;
      }
    } catch (failure) {
      throw asCorrupt(failure, titleOf('Barrier', this.#ref));
    }
  }
}
