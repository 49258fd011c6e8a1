// Waits in line without blocking, from a drawn ticket to the caller's result. Of the waits in one group only the oldest sleeps, by a waitAsync
// on its element's gate (arena/async-waits.ts).

import { ALONE, AsyncWait } from '../arena/async-waits.ts';
import type { Wanted } from '../account/account.ts';
import { asCorrupt, checkGate } from '../arena/corrupt.ts';
import { finishPending } from '../arena/reclaim.ts';
import { mayRetry } from '../arena/retry.ts';
import type { AgentContext, LocalState, Patrol } from '../arena/agent-context.ts';
import { SEM } from '../kernel/layout.ts';
import { ADMITTED_DETACHED, NEEDS_WALK, PARKED, QUEUED, RACED, SHUT, TAKEN, WAITING, type Poll, type Verdict } from '../kernel/states.ts';
import { isElement } from '../drawn.ts';
import { setAlarm } from '../alarm.ts';
import { keepAlive, letGo, setRef } from '../keep-alive.ts';
import type { WaitOptions } from '../lock.ts';
import { offAbort, onAbort, reasonOf } from '../on-abort.ts';
import { endOfWait, enterChain, leaveLine } from './line.ts';
import type { ElementAddress } from '../kernel/addresses.ts';

/**
 * Waits without blocking. Resolves with TAKEN, SHUT, or what `draw` decided at once.
 *
 * Rejects with `TimeoutError`, the signal's reason, and what `draw` throws; then nothing was taken. `what` makes the errors. `taken`
 * is called in the same turn in which the permits are taken.
 */
export async function awaitInLine<Decided extends number>(
  context: AgentContext,
  localState: LocalState,
  draw: () => Decided | ElementAddress,
  options: WaitOptions,
  what: Wanted,
  taken: () => void = nothing,
): Promise<Poll | Decided> {
  const { timeout, signal } = options;
  const ended = await waitInLineAsync(context, localState, draw, options, taken);
  if ('decided' in ended) return ended.decided;
  const { element, verdict, aborted } = ended;
  // Before the element is kept for reuse: the message reads from it which waiters are ahead.
  const late = !aborted && isGivenUp(verdict) ? what.timedOut(timeout, element) : undefined;
  const outcome = endOfWait(context, localState, element, verdict);
  if (outcome !== WAITING) return outcome;
  if (aborted) throw reasonOf(signal);
  throw late ?? what.timedOut(timeout, 0);
}

function isGivenUp(verdict: Verdict): boolean {
  return verdict !== TAKEN && verdict !== ADMITTED_DETACHED && verdict !== SHUT;
}

function nothing(): void {
  // The default `taken`.
}

/** How an async wait ended. */
interface Ending {
  /** The element that waited. After CANCELLED_LEFT_BEHIND and ADMITTED_DETACHED the caller no longer owns it. */
  readonly element: ElementAddress;
  /** The verdict, or the result of the cancellation. */
  readonly verdict: Verdict;
  /** Whether an abort ended the wait before a verdict. */
  readonly aborted: boolean;
}

/** There was no wait: `draw` decided. */
interface AtOnce<Decided> {
  readonly decided: Decided;
}

/**
 * Draws a ticket and waits without blocking.
 *
 * Waits of one agent settle in the order of their tickets. The verdicts of one release may arrive in any order, so each wait
 * settles only after the earlier ones. Locks without an order (LocalState) settle each wait on its own.
 *
 * If `draw` decides at once, the wait ends with its result; if `draw` throws, the wait rejects. `taken` is called in the same turn
 * in which the permits are taken.
 */
function waitInLineAsync<Decided extends number>(
  context: AgentContext,
  localState: LocalState,
  draw: () => Decided | ElementAddress,
  options: WaitOptions,
  taken: () => void,
): Promise<Ending | AtOnce<Decided>> {
  return new Promise((resolve, reject) => {
    const { timeout = Infinity, signal, ref = true } = options;
    const { entry, asyncWaits, patrol, line } = localState;
    const abort = (): void => giveUp(true);
    // Before the ticket is drawn: a signal that is not the platform's own may throw here.
    onAbort(signal, abort);
    const drawn = drawOrStop();
    if (!isElement(drawn)) {
      offAbort(signal, abort);
      if (drawn === TAKEN) taken();
      resolve({ decided: drawn });
      return;
    }
    const element = drawn;
    const alarm = setAlarm(timeout, () => giveUp(false), ref);
    const wait = new WaitInLine(settle, sleep, fail);
    const group = groupOf(context, localState, element);
    let rounds: ReturnType<typeof setInterval> | undefined;
    /** Whether a waitAsync is under way. */
    let isAsleep = false;
    let tries = 0;
    /** A verdict that the cancellation found: the wait settles in its order. From then on the element may be another agent's. */
    let found: Verdict | undefined;

    asyncWaits.add(wait, group);
    if (ref) keepAlive();
    enterChain(context, element);
    // A waiter with a patrol may compete for its verdict before it sleeps.
    if (group === ALONE || (asyncWaits.first(group) === wait && (patrol !== undefined || !sleep()))) look();

    function drawOrStop(): Decided | ElementAddress {
      try {
        return draw();
      } catch (failure) {
        offAbort(signal, abort);
        throw failure;
      }
    }

    function settle(): boolean {
      try {
        const seen = found ?? line.poll(element, entry);
        if (seen === WAITING) return false;
        end(seen, false);
      } catch (failure) {
        fail(asCorrupt(failure));
      }
      return true;
    }

    function sleep(): boolean {
      if (isAsleep) return true;
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
          mayRetry(++tries);
          return false;
        }
        tries = 0;
        isAsleep = true;
        void woken.then(wake);
        if (patrol !== undefined) goRound(patrol);
      } catch (failure) {
        fail(asCorrupt(failure));
      }
      return true;
    }

    /** Settles all waits of the group that have a verdict, in order. The first of the others then sleeps. */
    function look(): void {
      if (group !== ALONE) asyncWaits.settleOrFail();
      else while (asyncWaits.has(wait) && !settle() && !sleep());
    }

    function goRound(patrol: Patrol): void {
      clearInterval(rounds);
      const nap = patrol.nap(element);
      if (nap === Infinity) return;
      rounds = setInterval(() => {
        patrol.look(element);
        if (patrol.nap(element) === Infinity) clearInterval(rounds);
      }, nap);
      setRef(rounds, false);
    }

    function wake(): void {
      isAsleep = false;
      clearInterval(rounds);
      // The wait has ended, and the element may serve another wait: then this wake-up is stale.
      if (!asyncWaits.has(wait)) return;
      context.countPark();
      look();
    }

    function giveUp(aborted: boolean): void {
      // A verdict that came first wins, and settles in its order, as do the verdicts of earlier waits.
      look();
      if (!asyncWaits.has(wait) || found !== undefined || (group !== ALONE && context.hasVerdict(element))) return;
      const left = leaveLine(context, localState, element);
      // A waitAsync cannot be cancelled: wake it, so that the engine does not keep it forever.
      if (isAsleep) context.notify(element);
      if (isGivenUp(left)) end(left, aborted);
      else {
        found = left;
        clearInterval(rounds);
      }
      look();
    }

    function end(verdict: Verdict, aborted: boolean): void {
      stop();
      if (verdict === TAKEN || verdict === ADMITTED_DETACHED) taken();
      resolve({ element, verdict, aborted });
    }

    function fail(failure: unknown): void {
      // If the call of `taken` failed, the wait has ended already.
      if (asyncWaits.has(wait)) stop();
      reject(failure instanceof Error ? failure : new Error(String(failure)));
    }

    function stop(): void {
      asyncWaits.delete(wait);
      if (ref) letGo();
      alarm?.stop();
      clearInterval(rounds);
      offAbort(signal, abort);
    }
  });
}

class WaitInLine extends AsyncWait {
  override readonly settle: () => boolean;
  override readonly sleep: () => boolean;
  override readonly fail: (failure: unknown) => void;

  constructor(settle: () => boolean, sleep: () => boolean, fail: (failure: unknown) => void) {
    super();
    this.settle = settle;
    this.sleep = sleep;
    this.fail = fail;
  }
}

/** The group of waits that settle in the order of their tickets; ALONE if the wait settles on its own. */
function groupOf({ words }: AgentContext, { ordered, orderedLines }: LocalState, element: ElementAddress): number {
  if (ordered) return 0;
  return orderedLines === true ? words.get32(element + SEM) : ALONE;
}
