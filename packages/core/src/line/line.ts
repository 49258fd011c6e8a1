// Blocking waits in line: from a drawn ticket to the caller's result.

import type { WaitErrors } from '../error-text/primitive-errors.ts';
import { noteLeftBehind, type Gatherer } from '../agent/compaction.ts';
import { asCorrupt, checkGate, orCorrupt } from '../memory/corrupt.ts';
import type { AgentContext, LineState, TimedChecks } from '../agent/agent-context.ts';
import { observed, observer, type WaitEnding } from '../agent/observer.ts';
import { finishPending } from '../recovery/claim-dead-agent.ts';
import { retryOrThrow, retryWhileRaced } from '../memory/retry.ts';
import {
  AGENT_CHAIN,
  AGENT_DUTY_KIND,
  AGENT_PARKS,
  AGENT_STUB,
  ENTRY_SINCE,
  GATE,
  HEADER_PENDING,
  MODE_BLOCKING,
  LINE,
} from '../kernel/layout.ts';
import {
  ADMITTED_DETACHED,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  LINKED,
  NEEDS_WALK,
  PARKED,
  QUEUED,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type PollResult,
  type Poll,
  type Verdict,
} from '../kernel/states.ts';
import { type Parking, spinHint } from '../agent/parking.ts';
import type { WaitingPolicy } from '../api/waiting-policy.ts';
import type { ElementAddress, LineAddress } from '../kernel/addresses.ts';

/** A spin reads the clock once in this many polls, because a read costs as much as a dozen polls. */
const LOOKS_PER_TIME = 16;
/**
 * The maximum number of clock reads of a spin per ms, more than any processor reaches. It ends a spin while a test's
 * clock stands still.
 */
const MAX_ROUNDS_PER_MS = 10_000;

/** The part of a line state that a wait needs. */
export type WaitState = Pick<LineState, 'line' | 'entry' | 'timedChecks'>;

/**
 * Blocks until the ticket that `drawn` holds has a verdict. Returns TAKEN, SHUT, or WAITING if `timeoutMs` elapsed. If
 * `drawn` is TAKEN or another negative result instead of a ticket, returns it at once.
 *
 * `before` is the number of async waits of this agent that are ahead of this wait. Their continuations cannot run while
 * the agent blocks. Therefore a wait without a time limit throws `DeadlockError` if `before` is not 0. It also does if
 * `closedDeadlock` of the context finds a deadlock.
 */
export function blockInLine<Decided extends number>(
  context: AgentContext,
  lineState: LineState,
  drawn: Decided | ElementAddress,
  policy: WaitingPolicy,
  timeoutMs: number,
  errors: WaitErrors,
  before = lineState.asyncWaits.size,
): Poll | Decided {
  // `isElement`, inlined: the contended path saves a call.
  if (drawn <= 0) return drawn as Decided;
  if (observer !== undefined) {
    const wait = (): Poll | Decided => blockInLine(context, lineState, drawn, policy, timeoutMs, errors, before);
    return observed(context, lineState.block, 0, wait, endingOf);
  }
  // With many threads, each thread waits only a few hundred times a second. The engine then interprets this function,
  // and the thread's data is not in the processor's cache. Therefore the usual wait is one function that calls a few
  // kernel steps: all threads share the code of the steps.
  const { waiting, parking, agent } = context;
  const { line, entry, timedChecks } = lineState;
  let element = drawn as ElementAddress;
  try {
    if (drawn === agent + AGENT_STUB) {
      const begun = context.begin(element, entry, MODE_BLOCKING);
      if (begun <= 0) return begun as Poll;
      element = begun as ElementAddress;
    } else if (
      before > 0 ||
      timeoutMs !== Infinity ||
      context.closedDeadlock !== undefined ||
      (timedChecks !== undefined && !timedChecks.afterAdmission)
    ) {
      waiting.beginWait(element, MODE_BLOCKING, parking.date());
    } else {
      const near = policy.spinMicros === 0 ? 0 : policy.longTermThreshold;
      const gate = waiting.goToSleep(element, agent, parking.date(), near, context.pendingSeen);
      if (gate === LINKED) {
        if (parking.wait(element + GATE, PARKED, Infinity) !== 'not-equal') context.parks += 1;
        const seen = line.poll(element, entry);
        if (seen !== WAITING) return endOfWait(context, lineState, element, seen);
        if (timedChecks !== undefined) restBeforeLook(context, timedChecks, element);
      } else if (gate === NEEDS_WALK) context.finishWalk();
    }
  } catch (failure) {
    throw asCorrupt(failure, errors);
  }
  if (timeoutMs === Infinity) {
    // After the wait is recorded: of the agents that close a deadlock, the last to record its wait sees all others.
    const why = before > 0 ? before : context.closedDeadlock === undefined ? undefined : closedDeadlock(context);
    if (why !== undefined) return refuseToWait(context, lineState, element, errors, why);
  }
  // `deadlineIn` and `leftUntil`, inlined here and below: the contended path saves two calls.
  const deadline = timeoutMs === Infinity ? Infinity : context.parking.now() + timeoutMs;
  try {
    return endOfWait(context, lineState, element, sleepInLine(context, lineState, element, policy, deadline));
  } catch (failure) {
    throw asCorrupt(failure, errors);
  }
}

/** Returns how a wait ended, for a tool. */
export function endingOf(outcome: number | undefined): WaitEnding {
  if (outcome === SHUT) return 'closed';
  return outcome === TAKEN || outcome === ADMITTED_DETACHED ? 'taken' : 'timed-out';
}

/** A search that fails finds nothing: an error thrown here would leave the waiter in line. */
function closedDeadlock(context: AgentContext): string | undefined {
  try {
    return context.closedDeadlock?.();
  } catch {
    return undefined;
  }
}

/**
 * Cancels a wait that could never end, and throws `DeadlockError`. If a verdict came first, returns the verdict
 * instead.
 */
function refuseToWait(
  context: AgentContext,
  lineState: LineState,
  element: ElementAddress,
  errors: WaitErrors,
  why: number | string,
): Poll {
  const outcome = endOfWait(context, lineState, element, leaveLine(context, lineState, element));
  if (outcome === WAITING) throw errors.deadlock(why);
  return outcome;
}

/**
 * Blocks until `element` has its verdict or `deadline` passes. `deadline` is in ms of `parking.now`.
 *
 * Returns TAKEN or ADMITTED_DETACHED if the wait was admitted, SHUT if the line was closed, and CANCELLED or
 * CANCELLED_LEFT_BEHIND if the deadline passed. After CANCELLED_LEFT_BEHIND and ADMITTED_DETACHED the caller no longer
 * owns the element.
 */
export function sleepInLine(
  context: AgentContext,
  at: WaitState,
  element: ElementAddress,
  policy: WaitingPolicy,
  deadline: number,
): Verdict {
  if (observer !== undefined) {
    const block = (): Verdict => sleepInLine(context, at, element, policy, deadline);
    return observed(context, context.words.get32(element + LINE), 0, block, endingOf);
  }
  const { waiting, parking, words, agent, spins } = context;
  const { line, entry, timedChecks } = at;
  const near = policy.spinMicros === 0 ? 0 : policy.longTermThreshold;
  try {
    let tries = 0;
    let seen: PollResult = WAITING;
    if (near > 0 && waiting.distance(element) < near && spins.mayTry()) seen = spinAtLine(context, at, element, policy);
    if (seen !== WAITING) return seen;
    while (seen === WAITING) {
      const gate = line.park(element, agent);
      if (gate === QUEUED) {
        // Only the core's `park` links the element. The `park` of a kind returns QUEUED.
        const linked = waiting.link(agent, element);
        // Count each attempt: in a damaged line the element may stay QUEUED.
        retryOrThrow(++tries);
        if (linked !== RACED && (words.get32(agent + AGENT_CHAIN) !== 0 || words.get32(agent + AGENT_DUTY_KIND) !== 0))
          context.finishWalk();
        continue;
      }
      if (gate === NEEDS_WALK) context.finishWalk();
      else if (gate !== LINKED && gate !== RACED) checkGate(gate);
      if (words.load32(HEADER_PENDING) !== context.pendingSeen) finishPending(context);
      const left = deadline === Infinity ? Infinity : Math.max(0, deadline - parking.now());
      const sleepMs = timedChecks === undefined ? left : Math.min(left, timedChecks.sleepMs(element));
      // The agent sleeps only if the gate is PARKED.
      const woke = parking.wait(element + GATE, PARKED, sleepMs);
      // The agent did not sleep: another agent is changing the gate, and needs one more step.
      if (woke === 'not-equal') retryOrThrow(++tries);
      else {
        tries = 0;
        context.parks += 1;
      }
      if (woke === 'timed-out') {
        timedChecks?.check(element);
        if (sleepMs === left) return leaveLine(context, at, element);
      }
      seen = line.poll(element, entry);
      if (seen === WAITING && timedChecks !== undefined) restBeforeLook(context, timedChecks, element);
      // A waiter without a verdict may have been woken early, because it is next in line.
      if (seen === WAITING && near > 0 && waiting.distance(element) < near && spins.mayTry())
        seen = spinAtLine(context, at, element, policy);
    }
    return seen;
  } catch (failure) {
    throw asCorrupt(failure);
  }
}

/**
 * Sleeps once at the gate of an element, if the gate is PARKED. For a kind whose steps do the rest of a wait without a
 * timeout.
 */
export function sleepParked(context: AgentContext, element: ElementAddress): void {
  const { words, parking } = context;
  // The waiter is PARKED before it reads this: from then on a recovery that leaves work to other agents wakes it.
  if (words.load32(HEADER_PENDING) !== context.pendingSeen) finishPending(context);
  if (parking.wait(element + GATE, PARKED, Infinity) !== 'not-equal') context.parks += 1;
}

/**
 * Pushes a QUEUED element onto its chain, and makes the check that must follow the push. From then on a releasing agent
 * finds the waiter. Does nothing if the element is not QUEUED.
 */
export function enterChain(context: AgentContext, element: ElementAddress): void {
  const { kernel, words, agent } = context;
  if (words.load32(element + GATE) !== QUEUED) return;
  retryWhileRaced(() => kernel.link(agent, element));
  context.finishWalk();
}

/**
 * Cancels the wait. Returns CANCELLED or CANCELLED_LEFT_BEHIND if the wait was cancelled. Returns TAKEN,
 * ADMITTED_DETACHED or SHUT if that verdict came first.
 */
export function leaveLine(context: Gatherer, { line, entry }: WaitState, element: ElementAddress): Verdict {
  const { kernel, agent } = context;
  const left = orCorrupt(() =>
    retryWhileRaced(() => {
      const cancelled = line.cancel(agent, element, entry, 0);
      // After WAITING the box office no longer counts the waiter, but the ticket is still in line.
      return cancelled === WAITING ? kernel.leaveLine(agent, element) : cancelled;
    }),
  );
  // SHUT needs the walk, too: an earlier attempt that lost a race may have detached a chain.
  if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND || left === SHUT) context.finishWalk();
  if (left === CANCELLED_LEFT_BEHIND) noteLeftBehind(context);
  return left;
}

/**
 * Ends a wait with `verdict`, and keeps the element for reuse if the caller still owns it. Returns TAKEN, SHUT, or
 * WAITING if the wait was cancelled.
 */
export function endOfWait(
  context: AgentContext,
  { entry }: LineState,
  element: ElementAddress,
  verdict: Verdict,
): Poll {
  if (verdict === TAKEN) {
    const { waiting, agent, parking, parks } = context;
    if (waiting.endWait(agent, element, entry, parking.date(), parks) === WAITING) context.keep(element);
    return TAKEN;
  }
  const { words, agent, parking, parks } = context;
  words.put32(agent + AGENT_PARKS, parks);
  if (verdict === ADMITTED_DETACHED) {
    if (entry !== 0) words.put64(entry + ENTRY_SINCE, BigInt(parking.date()));
    return TAKEN;
  }
  if (verdict !== CANCELLED_LEFT_BEHIND) context.keep(element);
  return verdict === SHUT ? SHUT : WAITING;
}

/**
 * Polls for at most `spinMicros` µs. It is for a waiter that is fewer than `longTermThreshold` permits from the head of
 * the line.
 */
function spinAtLine(
  context: AgentContext,
  { line, entry, timedChecks }: WaitState,
  element: ElementAddress,
  policy: WaitingPolicy,
): PollResult {
  return spinFor(context, policy, () => {
    const seen = line.poll(element, entry);
    if (seen === WAITING && timedChecks !== undefined) restBeforeLook(context, timedChecks, element);
    return seen;
  });
}

/** Sleeps for the time that `pauseMs` returns. Only the timeout ends the sleep: no step notifies a LINKED gate. */
function restBeforeLook({ parking }: AgentContext, timedChecks: TimedChecks, element: ElementAddress): void {
  const ms = timedChecks.pauseMs(element);
  if (ms > 0) parking.wait(element + GATE, LINKED, ms);
}

/**
 * Calls `look` until it returns a result other than WAITING, for at most `spinMicros` µs. If spinning does not pay,
 * returns WAITING without a call.
 */
export function spinIfItPays<Seen extends number>(
  context: AgentContext,
  policy: WaitingPolicy,
  look: () => Seen,
): Seen | typeof WAITING {
  if (policy.spinMicros === 0 || policy.longTermThreshold === 0 || !context.spins.mayTry()) return WAITING;
  return spinFor(context, policy, look);
}

function spinFor<Seen extends number>(
  { parking, spins }: AgentContext,
  { spinMicros }: WaitingPolicy,
  look: () => Seen,
): Seen | typeof WAITING {
  const outcome = spin(parking, look, spinMicros / 1000);
  spins.note(outcome !== WAITING);
  return outcome;
}

function spin<Seen extends number>(parking: Parking, look: () => Seen, budgetMs: number): Seen | typeof WAITING {
  const end = parking.now() + budgetMs;
  let left = budgetMs * MAX_ROUNDS_PER_MS;
  do {
    left -= 1;
    for (let looks = 0; looks < LOOKS_PER_TIME; looks++) {
      spinHint();
      const seen = look();
      if (seen !== WAITING) return seen;
    }
  } while (left > 0 && parking.now() < end);
  return WAITING;
}

/**
 * Does the second half of a release whose first half found waiters: wakes the admitted waiters, and wakes the next
 * waiter early. `found` is the result of the first half: NEEDS_WALK, or the element to notify.
 */
export function wakeNext(
  context: AgentContext,
  line: LineAddress,
  policy: WaitingPolicy,
  found: number = NEEDS_WALK,
): void {
  if (found === NEEDS_WALK) context.finishWalk();
  else context.parking.notify(found + GATE);
  // An early wake-up helps only a waiter that then spins. If spinning does not pay, an early wake-up only wakes the
  // waiter twice.
  if (!context.spins.pays || policy.spinMicros === 0 || policy.longTermThreshold === 0) return;
  const wokenEarly = context.kernel.wakeEarly(context.agent, line, policy.longTermThreshold);
  if (wokenEarly === 0) return;
  context.notify(wokenEarly);
}
