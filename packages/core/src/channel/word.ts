// Sleeping on a word that others change, without an element in a chain (WaitOnAddress).

import { mayRetry } from '../arena/retry.ts';
import type { AgentContext } from '../arena/agent-context.ts';
import { MODE, MODE_BLOCKING } from '../kernel/layout.ts';
import { TAKEN, WAITING } from '../kernel/states.ts';
import type { WaitingPolicy } from '../policy.ts';
import { spinIfItPays } from '../semaphore/line.ts';
import { noteClaim, type Claim } from './waiting.ts';

/**
 * The longest sleep: then it looks whether the word is still what it was. Only a word that was freed and written again meanwhile
 * is not noticed otherwise.
 */
const LONGEST_NAP_MS = 1000;

/** A word that agents watch, and how. */
export interface Watched {
  readonly word: number;
  /** The word that counts who sleeps on it. */
  readonly sleepers: number;
  /** Whether it may come so soon that a spin comes before the sleep. */
  readonly isNear?: () => boolean;
  /** Values at which nobody sleeps: what is waited for was there. */
  readonly isEnough?: (value: number) => boolean;
  readonly claim?: Claim | undefined;
}

/** Blocks until `look` says that the wait is over, at each change of the word, or until `deadline`, a time of `parking.now`. */
export function watchWord(context: AgentContext, policy: WaitingPolicy, watched: Watched, look: () => boolean, deadline: number): void {
  const { word, sleepers, isNear, isEnough, claim } = watched;
  for (let tries = 1; ; tries++) {
    // Before the look: a change that comes after it is seen by the sleep.
    const seen = context.words.load32(word);
    if (look() || (isNear?.() === true && spinIfItPays(context, policy, () => (look() ? TAKEN : WAITING)) === TAKEN)) return;
    // Others took it, and may give it back: then the word is what it was, and who slept on it would miss that.
    if (isEnough?.(seen) === true) {
      mayRetry(tries);
      continue;
    }
    if (!sleepOnWord(context, sleepers, word, seen, deadline, claim) && !look()) return;
    tries = 0;
  }
}

/**
 * Blocks while the word at `address` is `expected`, until it is notified or `deadline`, a time of `parking.now`; may wake for no
 * reason. `sleepers`: the word that counts who sleeps, so that nobody is notified in vain; `claim`: at whose
 * semaphore that is. False: the time ran out.
 */
export function sleepOnWord(context: AgentContext, sleepers: number, address: number, expected: number, deadline: number, claim?: Claim): boolean {
  const { kernel, parking } = context;
  const element = context.takeElement();
  // No lost wake-up, this end: counted first, and the platform looks at the word again before it sleeps. Who changes it looks at
  // the count afterwards.
  context.words.put32(element + MODE, MODE_BLOCKING);
  noteClaim(context, element, claim);
  kernel.sleepOn(element, sleepers, address, claim?.tag ?? 0);
  const left = deadline === Infinity ? Infinity : Math.max(0, deadline - parking.now());
  const outcome = parking.wait(address, expected, Math.min(left, LONGEST_NAP_MS));
  if (outcome !== 'not-equal') context.countPark();
  kernel.wakeUp(element);
  context.keep(element);
  return outcome !== 'timed-out' || left > LONGEST_NAP_MS;
}
