// Waits for the gate of an element in a bucket's chain to open. Every wait on a condition uses these loops.

import { leftUntil } from '../agent/parking.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { retryOrThrow } from '../memory/retry.ts';
import { setAlarm } from '../platform/alarm.ts';
import { keepAlive, letGo } from '../platform/keep-alive.ts';
import { GATE } from '../kernel/layout.ts';
import { SLEEPING, CANCELLED, RACED, TAKEN, WAITING, WOKEN, type LeftLine } from '../kernel/states.ts';
import type { WaitingPolicy } from '../api/waiting-policy.ts';
import { asError } from '../platform/realm.ts';
import { spinIfItPays } from './line.ts';
import { noteClaim, type Claim } from './condition-claim.ts';
import type { BucketAddress, ElementAddress } from '../kernel/addresses.ts';

/** The options of `enterBucket`. */
export interface Hanging {
  /** 1 enqueues in the chain of the waiters at a location. */
  readonly location?: 0 | 1;
  /** One of MODE_*. */
  readonly mode: number;
  readonly claim?: Claim | undefined;
  /** When the wait began, in ms since 1970, for a wait of several rounds. Default: now. */
  readonly since?: number;
}

/**
 * Enqueues an element of this agent in a chain of the bucket and returns it. Throws `ArenaFullError` if no element is
 * available.
 */
export function enterBucket(
  context: AgentContext,
  bucket: BucketAddress,
  { location = 0, mode, claim, since }: Hanging,
): ElementAddress {
  const element = context.takeElement(mode);
  noteClaim(context, element, claim, since);
  for (let tries = 1; context.kernel.pushOntoChain(element, bucket, location, mode) === RACED; tries++)
    retryOrThrow(tries);
  return element;
}

/** Takes an element off its chain, whether or not it was woken. The caller must not use the element afterwards. */
export function leaveBucket(context: AgentContext, element: ElementAddress): void {
  let left: LeftLine;
  let tries = 0;
  do left = context.kernel.leaveChain(context.agent, element);
  while (left === RACED && retryOrThrow(++tries));
  if (left === CANCELLED) context.keep(element);
  context.finishWalk();
}

/** Ends a wait that was woken: passes the wake-up on to the next element of the chain. */
export function passOnWake(context: AgentContext, element: ElementAddress): void {
  context.kernel.moveOn(context.agent, element);
  context.keep(element);
  context.finishWalk();
}

/** Blocks until the gate opens. Returns `false` if `deadline`, in ms of `parking.now`, passes first. */
export function sleepAtGate(
  context: AgentContext,
  element: ElementAddress,
  policy: WaitingPolicy,
  deadline: number,
): boolean {
  const { kernel, parking } = context;
  if (spinIfItPays(context, policy, () => (isOpen(context, element) ? TAKEN : WAITING)) !== WAITING) return true;
  let tries = 0;
  while (kernel.sleepOnGate(element) === SLEEPING) {
    const left = leftUntil(parking, deadline);
    const woke = parking.wait(element + GATE, SLEEPING, left);
    if (woke !== 'not-equal') context.countPark();
    if (woke === 'timed-out') return isOpen(context, element);
    if (woke === 'not-equal') retryOrThrow(++tries);
    else tries = 0;
  }
  return true;
}

/** The abort of a wait that consists of rounds. `happened` remembers an abort between two rounds. */
export interface Abort {
  happened: boolean;
  /** Ends the current round. The abort calls it. */
  end: () => void;
}

/**
 * Waits for the gate without blocking. Resolves with 'open', 'timed-out' or 'aborted'. If the gate opens before the
 * wait has ended, the result is 'open', even on a timeout or an abort.
 *
 * `ref` tells whether the wait keeps the process alive. `deadline` is in ms of `parking.now`.
 */
export function gateOpens(
  context: AgentContext,
  element: ElementAddress,
  ref: boolean,
  deadline: number,
  abort: Abort,
): Promise<'open' | 'timed-out' | 'aborted'> {
  return new Promise((resolve, reject) => {
    const alarm = setAlarm(leftUntil(context.parking, deadline), () => end('timed-out'), ref);
    let over = false;
    if (ref) keepAlive();
    abort.end = () => end('aborted');
    if (abort.happened) abort.end();
    else look();

    function look(): void {
      try {
        for (let tries = 1; context.kernel.sleepOnGate(element) === SLEEPING; tries++) {
          const woken = context.waitAsync(element, SLEEPING);
          if (woken !== undefined) return void woken.then(wake);
          retryOrThrow(tries);
        }
        end('open');
      } catch (failure) {
        stop();
        reject(asError(failure));
      }
    }

    function wake(): void {
      // If the wait has ended, this wake-up is stale: the element may serve another wait by now.
      if (over) return;
      context.countPark();
      look();
    }

    function end(how: 'open' | 'timed-out' | 'aborted'): void {
      if (over) return;
      stop();
      // The platform cannot cancel a waitAsync. Notify it, so that the engine does not keep it forever.
      if (how !== 'open') context.notify(element);
      resolve(how !== 'open' && isOpen(context, element) ? 'open' : how);
    }

    function stop(): void {
      over = true;
      if (ref) letGo();
      alarm?.stop();
      abort.end = nothing;
    }
  });
}

function nothing(): void {
  // Between two rounds there is no round to end.
}

function isOpen({ words }: AgentContext, element: ElementAddress): boolean {
  return words.load32(element + GATE) === WOKEN;
}
