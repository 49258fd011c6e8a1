// Waiting at the gate of an element that hangs in a chain of a bucket: the loops behind every wait on a condition.

import type { AgentContext } from '../arena/agent-context.ts';
import { mayRetry } from '../arena/retry.ts';
import { setAlarm } from '../alarm.ts';
import { keepAlive, letGo } from '../keep-alive.ts';
import { GATE } from '../kernel/layout.ts';
import { SLEEPING, CANCELLED, RACED, TAKEN, WAITING, WOKEN } from '../kernel/states.ts';
import type { WaitingPolicy } from '../policy.ts';
import { spinIfItPays } from '../semaphore/line.ts';
import { noteClaim, type Claim } from './waiting.ts';

/** How an element hangs at a bucket: in which of its chains, and MODE_*. */
export interface Hanging {
  /** 1: in the chain of those that wait at a location. */
  readonly location?: 0 | 1;
  readonly mode: number;
  readonly claim?: Claim | undefined;
}

/** Puts an element of this agent into a chain of the bucket. Throws `ArenaFullError`. */
export function enterBucket(context: AgentContext, bucket: number, { location = 0, mode, claim }: Hanging): number {
  const element = context.takeElement();
  noteClaim(context, element, claim);
  for (let tries = 1; context.kernel.pushOntoChain(element, bucket, location, mode) === RACED; tries++) mayRetry(tries);
  return element;
}

/** Leaves a chain, woken or not. The element is this agent's no more. */
export function leaveBucket(context: AgentContext, element: number): void {
  let left: number;
  let tries = 0;
  do left = context.kernel.leaveChain(context.agent, element);
  while (left === RACED && mayRetry(++tries));
  if (left === CANCELLED) context.keep(element);
  context.finishWalk();
}

/** The end of a wait that was woken: wakes the one below. */
export function passOnWake(context: AgentContext, element: number): void {
  context.kernel.moveOn(context.agent, element);
  context.keep(element);
  context.finishWalk();
}

/** Blocks until the gate opens. False: the time ran out. `deadline` is a time of `parking.now`. */
export function sleepAtGate(context: AgentContext, element: number, policy: WaitingPolicy, deadline: number): boolean {
  const { kernel, parking } = context;
  if (spinIfItPays(context, policy, () => (isOpen(context, element) ? TAKEN : WAITING)) !== WAITING) return true;
  let tries = 0;
  while (kernel.sleepOnGate(element) === SLEEPING) {
    const left = deadline === Infinity ? Infinity : Math.max(0, deadline - parking.now());
    const woke = context.sleep(element, SLEEPING, left);
    if (woke === 'timed-out') return isOpen(context, element);
    if (woke === 'not-equal') mayRetry(++tries);
    else tries = 0;
  }
  return true;
}

/** The abort of a wait, which may come between two of its rounds. */
export interface Abort {
  happened: boolean;
  /** Called when it happens. */
  end: () => void;
}

/**
 * Waits for the gate without blocking: whether it opened, and if not, whether an abort ended the wait. `deadline` is a time of
 * `parking.now`.
 */
export function gateOpens(context: AgentContext, element: number, ref: boolean, deadline: number, abort: Abort): Promise<'open' | 'timed-out' | 'aborted'> {
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
        reject(failure instanceof Error ? failure : new Error(String(failure)));
      }
    }

    function wake(): void {
      // After the end the element may serve another wait: then this wake-up is an old one's echo.
      if (over) return;
      context.countPark();
      look();
    }

    function end(how: 'open' | 'timed-out' | 'aborted'): void {
      if (over) return;
      stop();
      // A waitAsync cannot be cancelled: wake it, so that the engine does not keep it for ever.
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
  // Between two rounds.
}

function isOpen({ words }: AgentContext, element: number): boolean {
  return words.load32(element + GATE) === WOKEN;
}
