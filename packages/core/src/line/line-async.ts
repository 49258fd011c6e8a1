// Waits in line without blocking, from a drawn ticket to the caller's result. Only the oldest wait of a group sleeps,
// by a waitAsync on its element's gate (agent/async-waits.ts).
//
// A wait for permits that is not the oldest of its group stays QUEUED. It enters its chain when it becomes the oldest.
// Until then no release visits it: `grant` counts its permits, and its own poll sees them after the waits before it
// have settled.

import { ALONE, AsyncWait } from '../agent/async-waits.ts';
import type { Wanted } from '../account/account.ts';
import { asCorrupt, checkGate } from '../memory/corrupt.ts';
import { finishPending } from '../recovery/reclaim.ts';
import { mayRetry } from '../memory/retry.ts';
import type { AgentContext, LocalState, Patrol } from '../agent/agent-context.ts';
import { GATE, SEM } from '../kernel/layout.ts';
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
import { isElement } from '../agent/drawn.ts';
import { setAlarm, type Alarm } from '../platform/alarm.ts';
import { keepAlive, letGo, setRef } from '../platform/keep-alive.ts';
import type { WaitOptions } from '../api/wait-options.ts';
import { offAbort, onAbort, reasonOf } from '../api/on-abort.ts';
import { asError } from '../platform/realm.ts';
import { endOfWait, enterChain, leaveLine } from './line.ts';
import type { ElementAddress } from '../kernel/addresses.ts';

/**
 * Waits without blocking. Resolves with TAKEN, SHUT, or what `draw` decided at once.
 *
 * Rejects with `TimeoutError`, the signal's reason, and what `draw` throws; then nothing was taken. `what` makes the
 * errors. `taken` is called in the same turn in which the permits are taken.
 *
 * Waits of one agent settle in the order of their tickets. The verdicts of one release may arrive in any order, so each
 * wait settles only after the earlier ones. Locks without an order (LocalState) settle each wait on its own.
 *
 * `linksLate`: for lines whose verdicts follow from `grant` alone. A line that moves its waiters, or that hands a lock
 * to a waiter, must find every waiter in a chain, so it links at once.
 */
export function awaitInLine<Decided extends number>(
  context: AgentContext,
  localState: LocalState,
  draw: () => Decided | ElementAddress,
  options: WaitOptions,
  what: Wanted,
  taken?: () => void,
  linksLate = false,
): Promise<Poll | Decided> {
  return new Promise((resolve, reject) => {
    beginInLine(
      new WaitInLine(
        context,
        localState,
        options,
        { what, linksLate },
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
 * As `awaitInLine`, for a wait that takes permits of a semaphore. Rejects with what `shut` makes if the line is closed
 * or freed.
 */
export function takeInLine(
  context: AgentContext,
  localState: LocalState,
  draw: () => Draw,
  options: WaitOptions,
  asked: Asked,
): Promise<void> {
  return new Promise<unknown>((resolve, reject) => {
    beginInLine(new WaitInLine(context, localState, options, asked, resolve, reject), options, draw);
  }) as Promise<void>;
}

/** Draws a ticket, and begins a wait unless that decides. */
function beginInLine(wait: WaitInLine, { signal }: WaitOptions, draw: () => number): void {
  // Before the ticket is drawn: a signal that is not the platform's own may throw here.
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

/** What a wait is for. Waits that are for the same share one. */
export interface Asked {
  /** Makes the errors. */
  readonly what: Wanted;
  readonly linksLate: boolean;
  /** Of a wait for permits: makes the error of a line that is closed or freed. Other waits resolve with SHUT then. */
  readonly shut?: () => Error;
}

/**
 * A drawn ticket whose agent does not block. An object with few references: thousands of waits live at a time, and the
 * garbage collector copies each.
 */
class WaitInLine extends AsyncWait {
  /** What the signal calls. */
  readonly abort: () => void;
  readonly #context: AgentContext;
  readonly #localState: LocalState;
  readonly #options: WaitOptions;
  readonly #asked: Asked;
  readonly #resolve: (outcome: number | undefined) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #taken: (() => void) | undefined;
  #element = 0 as ElementAddress;
  #alarm: Alarm | undefined;
  #rounds: ReturnType<typeof setInterval> | undefined;
  /** Whether a waitAsync is under way. */
  #isAsleep = false;
  #tries = 0;
  /**
   * A verdict that the cancellation found: the wait settles in its order. From then on the element may be another
   * agent's.
   */
  #found: Verdict | undefined;

  /** `taken`: called in the turn in which the permits are taken. */
  constructor(
    context: AgentContext,
    localState: LocalState,
    options: WaitOptions,
    asked: Asked,
    resolve: (outcome: number | undefined) => void,
    reject: (reason: unknown) => void,
    taken?: () => void,
  ) {
    super();
    this.#context = context;
    this.#localState = localState;
    this.#options = options;
    this.#asked = asked;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#taken = taken;
    this.abort = options.signal === undefined ? nothing : () => this.#giveUp(true);
  }

  /** For a wait whose draw has decided it. */
  decide(outcome: number): void {
    if (outcome === TAKEN) this.#taken?.();
    this.#settleWith(outcome);
  }

  /** `element`: it has the ticket. */
  begin(element: ElementAddress): void {
    const { timeout = Infinity, ref = true } = this.#options;
    const { asyncWaits, patrol } = this.#localState;
    this.#element = element;
    if (timeout !== Infinity) this.#alarm = setAlarm(timeout, () => this.#giveUp(false), ref);
    const group = groupOf(this.#context, this.#localState, element);
    asyncWaits.add(this, group);
    if (ref) keepAlive();
    const isFirst = asyncWaits.first(group) === this;
    if (group === ALONE || isFirst || !this.#asked.linksLate) enterChain(this.#context, element);
    // A waiter with a patrol may compete for its verdict before it sleeps.
    if (group === ALONE || (isFirst && (patrol !== undefined || !this.sleep()))) this.#look();
  }

  override settle(): boolean {
    try {
      const seen = this.#found ?? this.#localState.line.poll(this.#element, this.#localState.entry);
      if (seen === WAITING) return false;
      this.#end(seen, false);
    } catch (failure) {
      this.fail(asCorrupt(failure, this.#asked.what));
    }
    return true;
  }

  override isDue(): boolean {
    return this.#context.hasVerdict(this.#element) || this.#context.words.load32(this.#element + GATE) === QUEUED;
  }

  override sleep(): boolean {
    if (this.#isAsleep) return true;
    const context = this.#context;
    const { line, patrol } = this.#localState;
    const element = this.#element;
    try {
      // The wait below starts only if the gate is PARKED.
      const gate = line.park(element, context.agent);
      if (gate === NEEDS_WALK) context.finishWalk();
      else if (gate === QUEUED) enterChain(context, element);
      else if (gate !== RACED) checkGate(gate);
      finishPending(context);
      const woken = context.waitAsync(element, PARKED);
      if (woken === undefined) {
        // The verdict is there, or another agent is changing the gate; it needs one step.
        mayRetry(++this.#tries);
        return false;
      }
      this.#tries = 0;
      this.#isAsleep = true;
      void woken.then(() => this.#wake());
      if (patrol !== undefined) this.#goRound(patrol);
    } catch (failure) {
      this.fail(asCorrupt(failure, this.#asked.what));
    }
    return true;
  }

  override fail(failure: unknown): void {
    // If the call of `taken` failed, the wait has ended already.
    if (this.isUnderWay) this.#stop();
    this.#reject(asError(failure));
  }

  /** Settles all waits of the group that have a verdict, in order. The first of the others then sleeps. */
  #look(): void {
    if (this.group !== ALONE) this.#localState.asyncWaits.settleOrFail();
    else while (this.isUnderWay && !this.settle() && !this.sleep());
  }

  #goRound(patrol: Patrol): void {
    const element = this.#element;
    clearInterval(this.#rounds);
    const nap = patrol.nap(element);
    if (nap === Infinity) return;
    const rounds = setInterval(() => {
      patrol.look(element);
      if (patrol.nap(element) === Infinity) clearInterval(rounds);
    }, nap);
    this.#rounds = rounds;
    setRef(rounds, false);
  }

  #wake(): void {
    this.#isAsleep = false;
    clearInterval(this.#rounds);
    // The wait has ended, and the element may serve another wait: then this wake-up is stale.
    if (!this.isUnderWay) return;
    this.#context.countPark();
    this.#look();
  }

  #giveUp(aborted: boolean): void {
    const context = this.#context;
    // A verdict that came first wins, and settles in its order, as do the verdicts of earlier waits.
    this.#look();
    if (!this.isUnderWay || this.#found !== undefined || (this.group !== ALONE && context.hasVerdict(this.#element)))
      return;
    const left = leaveLine(context, this.#localState, this.#element);
    // A waitAsync cannot be cancelled: wake it, so that the engine does not keep it forever.
    if (this.#isAsleep) context.notify(this.#element);
    if (isGivenUp(left)) this.#endOrFail(left, aborted);
    else {
      this.#found = left;
      clearInterval(this.#rounds);
    }
    this.#look();
  }

  #endOrFail(verdict: Verdict, aborted: boolean): void {
    try {
      this.#end(verdict, aborted);
    } catch (failure) {
      this.fail(asCorrupt(failure, this.#asked.what));
    }
  }

  #end(verdict: Verdict, aborted: boolean): void {
    const { what } = this.#asked;
    const { timeout, signal } = this.#options;
    const element = this.#element;
    this.#stop();
    // Before the element is kept for reuse: the message reads from it which waiters are ahead.
    const late = !aborted && isGivenUp(verdict) ? what.timedOut(timeout, element) : undefined;
    const outcome = endOfWait(this.#context, this.#localState, element, verdict);
    // The element is at hand again: the call may begin its next wait here.
    if (verdict === TAKEN || verdict === ADMITTED_DETACHED) this.#taken?.();
    if (outcome !== WAITING) this.#settleWith(outcome);
    else this.#reject(aborted ? reasonOf(signal) : (late ?? what.timedOut(timeout, 0)));
  }

  /**
   * After the permits are taken or the line is closed: the promise settles, at the latest in the next turn of the event
   * loop.
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

  #stop(): void {
    const { signal, ref = true } = this.#options;
    this.#localState.asyncWaits.delete(this);
    if (ref) letGo();
    this.#alarm?.stop();
    if (this.#rounds !== undefined) clearInterval(this.#rounds);
    if (signal !== undefined) offAbort(signal, this.abort);
  }
}

function nothing(): void {
  // The act of a wait without a signal.
}

/** The group of waits that settle in the order of their tickets; ALONE if the wait settles on its own. */
function groupOf({ words }: AgentContext, { ordered, orderedLines }: LocalState, element: ElementAddress): number {
  if (ordered) return 0;
  return orderedLines === true ? words.get32(element + SEM) : ALONE;
}
