// Waits on a word that other agents change, without an element in a chain (a futex wait).

import { leftUntil, spinHint } from '../agent/parking.ts';
import { retryOrThrow } from '../memory/retry.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { observed, observer } from '../agent/observer.ts';
import { MODE, MODE_BLOCKING } from '../kernel/layout.ts';
import { TAKEN, WAITING } from '../kernel/states.ts';
import type { WaitingPolicy } from '../api/waiting-policy.ts';
import { spinIfItPays } from './line.ts';
import { noteClaim, type Claim } from './condition-claim.ts';

/**
 * The longest sleep in ms before the waiter reads the word again. It matters only if the word is freed and reused
 * during the sleep: no agent notifies for such a change.
 */
const LONGEST_NAP_MS = 1000;

/** The time in ms within which a caller calls again after a nap. */
const AT_ONCE_MS = 100;

/** What reports say of a sleep on a word. */
export interface SleepOnWord {
  /** The semaphore that the wait is for. */
  readonly claim?: Claim | undefined;
  /** When the wait began, in ms since 1970. Default: now, or the beginning of a nap that has just ended. */
  readonly since?: number;
}

const NO_CLAIM: SleepOnWord = {};

/** A word that an agent waits on, and the manner of the wait. */
export interface Watched {
  readonly word: number;
  /** The word that counts the agents that sleep on `word`. */
  readonly sleepers: number;
  /** Whether the change may come so soon that the waiter should spin before it sleeps. */
  readonly isNear?: () => boolean;
  /** The number of pauses after each look of a spin that was too early. */
  readonly pauses?: () => number;
  /** Whether the waiter must not sleep at this value, because as much as it waits for was available. */
  readonly isEnough?: (value: number) => boolean;
  readonly claim?: Claim | undefined;
}

/**
 * Blocks until `look` returns `true` or `deadline`, in ms of `parking.now`, passes. Calls `look` at each change of the
 * word.
 */
export function watchWord(
  context: AgentContext,
  policy: WaitingPolicy,
  watched: Watched,
  look: () => boolean,
  deadline: number,
): void {
  const { word, sleepers, isNear, pauses, isEnough, claim } = watched;
  const spin = (): typeof TAKEN | typeof WAITING => {
    if (look()) return TAKEN;
    for (let left = pauses?.() ?? 0; left > 0; left--) spinHint();
    return WAITING;
  };
  let since: number | undefined;
  for (let tries = 1; ; tries++) {
    // Read the word before `look`: if the word changes after this, the sleep below does not start.
    const seen = context.words.load32(word);
    if (look() || (isNear?.() === true && spinIfItPays(context, policy, spin) === TAKEN)) return;
    // Another agent took what this agent waits for, and may give it back. The word would then have its old value again,
    // and a sleeping agent would miss the change.
    if (isEnough?.(seen) === true) {
      retryOrThrow(tries);
      continue;
    }
    if (observer !== undefined) {
      let isMet = false;
      const wait = (): void => watchWord(context, policy, watched, () => (isMet = look()), deadline);
      return observed(context, 0, claim?.tag ?? 0, wait, () => (isMet ? 'taken' : 'timed-out'));
    }
    since ??= context.parking.date();
    if (!sleepOnWord(context, sleepers, word, seen, deadline, { claim, since }) && !look()) return;
    tries = 0;
  }
}

/**
 * Blocks while the word at `address` is `expected`, until the word is notified or `deadline` passes. Returns `false` if
 * it timed out. Spurious wake-ups are possible.
 *
 * `deadline` is in ms of `parking.now`. `sleepers` is the word that counts the sleeping agents: a change without
 * sleepers needs no notify.
 */
export function sleepOnWord(
  context: AgentContext,
  sleepers: number,
  address: number,
  expected: number,
  deadline: number,
  { claim, since }: SleepOnWord = NO_CLAIM,
): boolean {
  const { kernel, parking } = context;
  const element = context.takeElement(MODE_BLOCKING);
  // Lost wake-up, waiter side: `sleepOn` counts the waiter, then the platform compares the word, then the agent sleeps.
  // Pairs with `update`, or with the kind's function that changes the word: it reads the count after the change. If it
  // read the count first, it could find 0, and the agent could be counted, find the old word and sleep before the
  // change.
  context.words.put32(element + MODE, MODE_BLOCKING);
  const began = since ?? continued(context, address, expected) ?? parking.date();
  noteClaim(context, element, claim, began);
  kernel.sleepOn(element, sleepers, address, claim?.tag ?? 0);
  const left = leftUntil(parking, deadline);
  const outcome = parking.wait(address, expected, Math.min(left, LONGEST_NAP_MS));
  if (outcome !== 'not-equal') context.countPark();
  const isNap = outcome === 'timed-out' && left > LONGEST_NAP_MS;
  // The caller calls again after a nap. For reports, that is the same wait.
  context.nap = isNap ? { address, expected, since: began, end: parking.date() } : undefined;
  kernel.wakeUp(element);
  context.keep(element);
  return outcome !== 'timed-out' || isNap;
}

/** Returns when a wait began of which a nap has just ended, or `undefined`. */
function continued({ nap, parking }: AgentContext, address: number, expected: number): number | undefined {
  if (nap?.address !== address || nap.expected !== expected) return undefined;
  return parking.date() - nap.end < AT_ONCE_MS ? nap.since : undefined;
}
