// Blocking waits at a barrier: an agent arrives, and sleeps on the sleep word until its generation has ended. The word
// is in kernel/sleep-word.ts.

import type { WaitingPolicy } from '@sluice/core';
import {
  AGENT_SCRATCH,
  asElement,
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
import { AWAKE, HAS_LIMIT, NOT_YET, WAKES_ALL } from './kernel/outcomes.ts';
import type { BarrierKernel, BarrierSteps } from './kinds.ts';

type Verdict = Parameters<typeof endOfWait>[3];

export class BlockingWaits {
  readonly #ref: BlockRef;
  readonly #context: AgentContext;
  readonly #kernel: BarrierKernel;
  readonly #lineState: LineState;
  readonly #arrivals: Arrivals;
  readonly #policy: WaitingPolicy;
  readonly #acts: number;
  readonly #sleepWord: number;
  /** A waiter spins if at most this many parties are missing. */
  readonly #near: number;
  readonly #arrive: BarrierSteps['arriveAtBarrierToSleep'];
  readonly #wakeUp: BarrierSteps['wakeAtBarrier'];

  /** `acts` is 1 if the agent has an action. */
  constructor(ref: BlockRef, lineState: LineState, arrivals: Arrivals, policy: WaitingPolicy, acts: number) {
    this.#ref = ref;
    this.#context = ref.context;
    this.#kernel = ref.context.kernel as BarrierKernel;
    this.#lineState = lineState;
    this.#arrivals = arrivals;
    this.#policy = policy;
    this.#acts = acts;
    this.#sleepWord = ref.address + SLEEP_WORD;
    this.#near = policy.spinMicros === 0 ? 0 : policy.longTermThreshold;
    this.#arrive = this.#kernel.arriveAtBarrierToSleep;
    this.#wakeUp = this.#kernel.wakeAtBarrier;
  }

  /**
   * Arrives, and sleeps until the generation has ended. Returns the outcome. Returns WAITING if the timeout elapsed;
   * the timeout breaks the generation. Throws `DeadlockError`, `ArenaFullError`, and `MisuseError` if the barrier was
   * freed.
   */
  meet(timeoutMs: number): number {
    const context = this.#context;
    const { parking, agent } = context;
    const { tag, entry } = this.#lineState;
    const deadline = deadlineIn(parking, timeoutMs);
    const acts = timeoutMs === Infinity ? this.#acts : this.#acts | HAS_LIMIT;
    let ended: number = RACED;
    try {
      for (let tries = 0; ended === RACED || ended === NOT_YET; ) {
        ended = this.#arrive(
          this.#ref.address,
          tag,
          agent,
          entry,
          acts,
          this.#near,
          parking.date(),
          context.pendingSeen,
        );
        if (ended === RACED) retryOrThrow(++tries);
        else if (ended === NOT_YET) this.#prepare(timeoutMs);
      }
      if (ended === WAKES_ALL) parking.notify(this.#sleepWord);
      else if (ended === NEEDS_WALK) context.finishWalk();
      else if (ended >= 0) {
        if (parking.wait(this.#sleepWord, ended, timeoutMs) === 'ok') context.parks += 1;
        const outcome = this.#wakeUp(agent, entry, context.parks);
        if (outcome > 0) return outcome;
        ended = outcome === WAITING ? AWAKE : outcome;
      }
    } catch (failure) {
      throw asCorrupt(failure, titleOf('Barrier', this.#ref));
    }
    if (ended === AWAKE) {
      const element = asElement(context.words.get32(agent + AGENT_SCRATCH));
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

  /** Finishes a wait that did not sleep, or that woke before its generation had ended. */
  #sleep(element: ElementAddress, deadline: number): Verdict {
    const context = this.#context;
    const { parking } = context;
    const { line, entry } = this.#lineState;
    const look = (): ReturnType<typeof line.poll> => line.poll(element, entry);
    try {
      // Only the second-last party spins. When threads outnumber cores, the missing parties need the core.
      if (this.#near > 0 && this.#kernel.missingAtBarrier(element) <= this.#near) {
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
