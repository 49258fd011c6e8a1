// Async waits in line, from a drawn ticket to the caller's result. Only the oldest wait of a group
// (agent/async-waits.ts) sleeps, by a waitAsync on the gate of its element.
//
// A wait for permits that is not the oldest of its group stays QUEUED, and no release visits it. The release adds the
// wait's permits to `grant`. After the earlier waits of the group have settled, the wait polls and finds the permits.
// If the permits are not there yet, the wait enters its chain and sleeps.

import { ALONE, AsyncWait } from '../agent/async-waits.ts';
import type { WaitErrors } from '../error-text/primitive-errors.ts';
import { asCorrupt, checkGate } from '../memory/corrupt.ts';
import { finishPending } from '../recovery/claim-dead-agent.ts';
import { retryOrThrow } from '../memory/retry.ts';
import type { AgentContext, LineState, TimedChecks } from '../agent/agent-context.ts';
import { GATE, LINE } from '../kernel/layout.ts';
import {
  ADMITTED_DETACHED,
  NEEDS_WALK,
  PARKED,
  QUEUED,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type Draw,
  type Poll,
  type Verdict,
} from '../kernel/states.ts';
import { isElement } from '../agent/is-element.ts';
import { asyncWaitBegins, asyncWaitEnds, observer, type WaitEnding } from '../agent/observer.ts';
import { setAlarm, type Alarm } from '../platform/alarm.ts';
import { keepAlive, letGo, setRef } from '../platform/keep-alive.ts';
import type { WaitOptions } from '../api/wait-options.ts';
import { offAbort, onAbort, reasonOf } from '../api/on-abort.ts';
import { CorruptArenaError } from '../api/errors.ts';
import { asError } from '../platform/realm.ts';
import { endOfWait, endingOf, enterChain, leaveLine } from './line.ts';
import type { ElementAddress } from '../kernel/addresses.ts';

/**
 * Draws a ticket and waits for its verdict without blocking. Resolves with TAKEN, with SHUT, or with the result of
 * `draw` if `draw` decided the call at once.
 *
 * Rejects with `TimeoutError`, with the signal's reason, or with an error that `draw` throws. If it rejects, nothing
 * was taken. `errors` makes the errors of the wait. `taken` is called in the same turn of the event loop in which the permits are
 * taken.
 *
 * Waits of one agent settle in the order of their tickets. The verdicts of one release may arrive in any order, so each
 * wait settles only after the earlier waits. In a line without an order (LineState) each wait settles on its own.
 *
 * `linksLate` leaves each wait that is not the oldest of its group QUEUED. Only a line whose verdicts follow from
 * `grant` alone may set it. A line that moves its waiters, or that hands a lock to a waiter, must find every waiter in
 * a chain.
 */
export function awaitInLine<Decided extends number>(
  context: AgentContext,
  lineState: LineState,
  draw: () => Decided | ElementAddress,
  options: WaitOptions,
  errors: WaitErrors,
  taken?: () => void,
  linksLate = false,
): Promise<Poll | Decided> {
  return new Promise((resolve, reject) => {
    beginInLine(
      new WaitInLine(
        context,
        lineState,
        options,
        { errors, linksLate },
        resolve as (outcome: number | undefined) => void,
        reject,
        taken,
      ),
      options,
      draw,
    );
  });
}

/**
 * Waits as `awaitInLine` does, for permits of a semaphore. Resolves when the permits are taken. Rejects with the error
 * that `asked.shut` makes if the line is closed or freed.
 */
export function takeInLine(
  context: AgentContext,
  lineState: LineState,
  draw: () => Draw,
  options: WaitOptions,
  asked: Asked,
): Promise<void> {
  return new Promise<unknown>((resolve, reject) => {
    beginInLine(new WaitInLine(context, lineState, options, asked, resolve, reject), options, draw);
  }) as Promise<void>;
}

/** Draws a ticket and begins the wait. If the draw decides the call, the wait settles with that result. */
function beginInLine(wait: WaitInLine, { signal }: WaitOptions, draw: () => number): void {
  // Subscribe before the ticket is drawn: a signal that is not the platform's own may throw here.
  if (signal !== undefined) onAbort(signal, wait.abort);
  let drawn: number;
  try {
    drawn = draw();
  } catch (failure) {
    if (signal !== undefined) offAbort(signal, wait.abort);
    throw failure;
  }
  if (isElement(drawn)) return wait.begin(drawn);
  if (signal !== undefined) offAbort(signal, wait.abort);
  wait.decide(drawn);
}

function isGivenUp(verdict: Verdict): boolean {
  return verdict !== TAKEN && verdict !== ADMITTED_DETACHED && verdict !== SHUT;
}

/** The purpose of a wait. Waits with the same purpose share one object. */
export interface Asked {
  /** Makes the errors of the wait. */
  readonly errors: WaitErrors;
  readonly linksLate: boolean;
  /** Makes the error for a line that is closed or freed. A wait without `shut` resolves with SHUT instead. */
  readonly shut?: () => Error;
}

/**
 * An async wait with a drawn ticket. The object has few references: thousands of waits may be pending at a time, and
 * the garbage collector copies each of them.
 */
class WaitInLine extends AsyncWait {
  /** The listener of the signal. */
  readonly abort: () => void;
  readonly #context: AgentContext;
  readonly #lineState: LineState;
  readonly #options: WaitOptions;
  readonly #asked: Asked;
  readonly #resolve: (outcome: number | undefined) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #taken: (() => void) | undefined;
  #element = 0 as ElementAddress;
  #alarm: Alarm | undefined;
  #rounds: ReturnType<typeof setInterval> | undefined;
  /** Whether a waitAsync is pending. */
  #isAsleep = false;
  #tries = 0;
  /**
   * The verdict that the cancellation found. The wait then settles with this verdict, in its order. From then on the
   * element may belong to another agent.
   */
  #found: Verdict | undefined;

  /** `taken` is called in the turn of the event loop in which the permits are taken. */
  constructor(
    context: AgentContext,
    lineState: LineState,
    options: WaitOptions,
    asked: Asked,
    resolve: (outcome: number | undefined) => void,
    reject: (reason: unknown) => void,
    taken?: () => void,
  ) {
    super();
    this.#context = context;
    this.#lineState = lineState;
    this.#options = options;
    this.#asked = asked;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#taken = taken;
    this.abort = options.signal === undefined ? nothing : () => this.#giveUp(true);
  }

  /** Settles a wait that the draw has decided. */
  decide(outcome: number): void {
    if (outcome === TAKEN) this.#taken?.();
    this.#settleWith(outcome);
  }

  /** Begins the wait of the ticket that `element` has. */
  begin(element: ElementAddress): void {
    const { timeout = Infinity, ref = true } = this.#options;
    const { asyncWaits, timedChecks } = this.#lineState;
    this.#element = element;
    if (timeout !== Infinity) this.#alarm = setAlarm(timeout, () => this.#giveUp(false), ref);
    const group = groupOf(this.#context, this.#lineState, element);
    asyncWaits.add(this, group);
    if (observer !== undefined) asyncWaitBegins(this, this.#context, this.#lineState.block);
    if (ref) keepAlive();
    const isFirst = asyncWaits.first(group) === this;
    if (group === ALONE || isFirst || !this.#asked.linksLate) enterChain(this.#context, element);
    // A waiter with timed checks polls before it sleeps, because it may compete for its verdict.
    if (group === ALONE || (isFirst && (timedChecks !== undefined || !this.sleep()))) this.#look();
  }

  override settle(): boolean {
    try {
      const seen = this.#found ?? this.#lineState.line.poll(this.#element, this.#lineState.entry);
      if (seen === WAITING) return false;
      this.#end(seen, false);
    } catch (failure) {
      this.fail(asCorrupt(failure, this.#asked.errors));
    }
    return true;
  }

  override isDue(): boolean {
    return this.#context.hasVerdict(this.#element) || this.#context.words.load32(this.#element + GATE) === QUEUED;
  }

  override take(): boolean {
    // A verdict that a cancellation found is settled as such.
    if (this.#found !== undefined) return false;
    const left = this.#leaveLine();
    if (left === undefined) return false;
    // The platform cannot cancel a waitAsync. Notify it, so that the engine does not keep it forever.
    if (this.#isAsleep) this.#context.notify(this.#element);
    this.#endTaken(left);
    return true;
  }

  override sleep(): boolean {
    if (this.#isAsleep) return true;
    const context = this.#context;
    const { line, timedChecks } = this.#lineState;
    const element = this.#element;
    try {
      // The waitAsync below starts only if the gate is PARKED.
      const gate = line.park(element, context.agent);
      if (gate === NEEDS_WALK) context.finishWalk();
      else if (gate === QUEUED) enterChain(context, element);
      else if (gate !== RACED) checkGate(gate);
      finishPending(context);
      const woken = context.waitAsync(element, PARKED);
      if (woken === undefined) {
        // The gate has its verdict, or another agent is changing the gate and needs one more step.
        retryOrThrow(++this.#tries);
        return false;
      }
      this.#tries = 0;
      this.#isAsleep = true;
      void woken.then(() => this.#wake());
      if (timedChecks !== undefined) this.#goRound(timedChecks);
    } catch (failure) {
      this.fail(asCorrupt(failure, this.#asked.errors));
    }
    return true;
  }

  override fail(failure: unknown): void {
    // If `taken` threw, the wait has already ended.
    if (this.isUnderWay) this.#stop('failed');
    this.#reject(asError(failure));
  }

  /** Settles the waits that have a verdict, in order. The oldest wait of each group that remains then sleeps. */
  #look(): void {
    if (this.group !== ALONE) this.#lineState.asyncWaits.settleOrFail();
    else while (this.isUnderWay && !this.settle() && !this.sleep());
  }

  #goRound(timedChecks: TimedChecks): void {
    const element = this.#element;
    clearInterval(this.#rounds);
    const sleepMs = timedChecks.sleepMs(element);
    if (sleepMs === Infinity) return;
    const rounds = setInterval(() => {
      timedChecks.check(element);
      if (timedChecks.sleepMs(element) === Infinity) clearInterval(rounds);
    }, sleepMs);
    this.#rounds = rounds;
    setRef(rounds, false);
  }

  #wake(): void {
    this.#isAsleep = false;
    clearInterval(this.#rounds);
    // If the wait has ended, this wake-up is stale: the element may serve another wait by now.
    if (!this.isUnderWay) return;
    this.#context.countPark();
    this.#look();
  }

  #giveUp(aborted: boolean): void {
    const context = this.#context;
    // A verdict that came before the cancellation wins. It settles in its order, after the verdicts of earlier waits.
    this.#look();
    if (!this.isUnderWay || this.#found !== undefined || (this.group !== ALONE && context.hasVerdict(this.#element)))
      return;
    const left = this.#leaveLine();
    // After a failure, the next wait of the group sleeps.
    if (left === undefined) {
      this.#look();
      return;
    }
    // The platform cannot cancel a waitAsync. Notify it, so that the engine does not keep it forever.
    if (this.#isAsleep) context.notify(this.#element);
    if (isGivenUp(left)) this.#endOrFail(left, aborted);
    else {
      this.#found = left;
      clearInterval(this.#rounds);
    }
    this.#look();
  }

  /** Fails the wait if the memory is damaged. The caller may be a timer, from which an error would be uncaught. */
  #leaveLine(): Verdict | undefined {
    try {
      return leaveLine(this.#context, this.#lineState, this.#element);
    } catch (failure) {
      const damage = asCorrupt(failure, this.#asked.errors);
      // After another error, such as an overflow of the stack, the wait is still in line.
      if (!(damage instanceof CorruptArenaError)) throw failure;
      this.fail(damage);
      return undefined;
    }
  }

  #endOrFail(verdict: Verdict, aborted: boolean): void {
    try {
      this.#end(verdict, aborted);
    } catch (failure) {
      this.fail(asCorrupt(failure, this.#asked.errors));
    }
  }

  #end(verdict: Verdict, aborted: boolean): void {
    const { errors } = this.#asked;
    const { timeout, signal } = this.#options;
    const element = this.#element;
    this.#stop(aborted ? 'failed' : endingOf(verdict));
    // Make the error before the element is kept for reuse: the message reads from the element which waiters are ahead.
    const late = !aborted && isGivenUp(verdict) ? errors.timedOut(timeout, element) : undefined;
    const outcome = endOfWait(this.#context, this.#lineState, element, verdict);
    // The agent has the element back by now, so `taken` may begin the call's next wait.
    if (verdict === TAKEN || verdict === ADMITTED_DETACHED) this.#taken?.();
    if (outcome !== WAITING) this.#settleWith(outcome);
    else this.#reject(aborted ? reasonOf(signal) : (late ?? errors.timedOut(timeout, 0)));
  }

  /** Ends the wait of a call that has what it waited for, after its place was left with the result `left`. */
  #endTaken(left: Verdict): void {
    try {
      this.#stop('taken');
      endOfWait(this.#context, this.#lineState, this.#element, left);
      this.#taken?.();
      this.#settleWith(TAKEN);
    } catch (failure) {
      this.fail(asCorrupt(failure, this.#asked.errors));
    }
  }

  /**
   * Settles the promise, in the next turn of the event loop at the latest. The permits are taken by then, or the line
   * is closed.
   */
  #settleWith(outcome: number): void {
    const later = this.#context.budget.spend();
    if (later === undefined) this.#answer(outcome);
    else void later.then(() => this.#answer(outcome));
  }

  #answer(outcome: number): void {
    const { shut } = this.#asked;
    if (shut === undefined) this.#resolve(outcome);
    else if (outcome === SHUT) this.#reject(shut());
    else this.#resolve(undefined);
  }

  #stop(ending: WaitEnding): void {
    const { signal, ref = true } = this.#options;
    this.#lineState.asyncWaits.delete(this);
    if (observer !== undefined) asyncWaitEnds(this, ending);
    if (ref) letGo();
    this.#alarm?.stop();
    if (this.#rounds !== undefined) clearInterval(this.#rounds);
    if (signal !== undefined) offAbort(signal, this.abort);
  }
}

function nothing(): void {
  // A wait without a signal is never aborted.
}

/** Returns the group in which the wait settles in the order of the tickets, or ALONE if the wait settles on its own. */
function groupOf({ words }: AgentContext, { ordered, orderedLines }: LineState, element: ElementAddress): number {
  if (ordered) return 0;
  return orderedLines === true ? words.get32(element + LINE) : ALONE;
}
