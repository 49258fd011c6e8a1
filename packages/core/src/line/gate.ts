// Waiting at the gate of an element in a bucket's chain: the loops behind every wait on a condition.

import type { AgentContext } from '../agent/agent-context.ts';
import { mayRetry } from '../memory/retry.ts';
import { setAlarm } from '../platform/alarm.ts';
import { keepAlive, letGo } from '../platform/keep-alive.ts';
import { GATE } from '../kernel/layout.ts';
import { SLEEPING, CANCELLED, RACED, TAKEN, WAITING, WOKEN, type Exit } from '../kernel/states.ts';
import type { WaitingPolicy } from '../api/policy.ts';
import { asError } from '../platform/realm.ts';
import { spinIfItPays } from './line.ts';
import { noteClaim, type Claim } from '../report/claims.ts';
import type { BucketAddress, ElementAddress } from '../kernel/addresses.ts';

/** How an element is enqueued at a bucket. */
export interface Hanging {
  /** 1: in the chain of the waiters at a location. */
  readonly location?: 0 | 1;
  /** MODE_*. */
  readonly mode: number;
  readonly claim?: Claim | undefined;
}

/** Enqueues an element of this agent in a chain of the bucket; returns the element. Throws `ArenaFullError`. */
export function enterBucket(
  context: AgentContext,
  bucket: BucketAddress,
  { location = 0, mode, claim }: Hanging,
): ElementAddress {
  const element = context.takeElement(mode);
  noteClaim(context, element, claim);
  for (let tries = 1; context.kernel.pushOntoChain(element, bucket, location, mode) === RACED; tries++) mayRetry(tries);
  return element;
}

/** Leaves a chain, woken or not. The caller no longer owns the element. */
export function leaveBucket(context: AgentContext, element: ElementAddress): void {
  let left: Exit;
  let tries = 0;
  do left = context.kernel.leaveChain(context.agent, element);
  while (left === RACED && mayRetry(++tries));
  if (left === CANCELLED) context.keep(element);
  context.finishWalk();
}

/** Ends a wait that was woken: passes the wake-up on to the next element of the chain. */
export function passOnWake(context: AgentContext, element: ElementAddress): void {
  context.kernel.moveOn(context.agent, element);
  context.keep(element);
  context.finishWalk();
}

/** Blocks until the gate opens; returns `false` if the wait timed out. `deadline`: in ms of `parking.now`. */
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
    const left = deadline === Infinity ? Infinity : Math.max(0, deadline - parking.now());
    const woke = parking.wait(element + GATE, SLEEPING, left);
    if (woke !== 'not-equal') context.countPark();
    if (woke === 'timed-out') return isOpen(context, element);
    if (woke === 'not-equal') mayRetry(++tries);
    else tries = 0;
  }
  return true;
}

/** The abort of a wait. It may come between two rounds of the wait. */
export interface Abort {
  happened: boolean;
  /** Called on the abort; ends the current round. */
  end: () => void;
}

/**
 * Waits for the gate without blocking. Resolves with how the wait ended; a gate that opened wins over a timeout and an
 * abort.
 * `ref`: whether the wait keeps the process alive. `deadline`: in ms of `parking.now`.
 */
export function gateOpens(
  context: AgentContext,
  element: ElementAddress,
  ref: boolean,
  deadline: number,
  abort: Abort,
): Promise<'open' | 'timed-out' | 'aborted'> {
  return new Promise((resolve, reject) => {
    const alarm = setAlarm(Math.max(0, deadline - context.parking.now()), () => end('timed-out'), ref);
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
          mayRetry(tries);
        }
        end('open');
      } catch (failure) {
        stop();
        reject(asError(failure));
      }
    }

    function wake(): void {
      // The wait has ended, and the element may serve another wait: then this wake-up is stale.
      if (over) return;
      context.countPark();
      look();
    }

    function end(how: 'open' | 'timed-out' | 'aborted'): void {
      if (over) return;
      stop();
      // A waitAsync cannot be cancelled: wake it, so that the engine does not keep it forever.
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
  // Between two rounds there is nothing to end.
}

function isOpen({ words }: AgentContext, element: ElementAddress): boolean {
  return words.load32(element + GATE) === WOKEN;
}
