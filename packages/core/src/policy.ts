// How waiters wait: one object for all loops of the core.

import { checkInteger, checkOptions, show } from './check.ts';

/** See docs/decisions/ for how the defaults were measured. */
export interface WaitingPolicy {
  /**
   * How many places from the head of the line a waiter counts as near: it spins before it parks, and a release wakes it
   * early, so that it is awake when its turn comes (the paper's `LongTermThreshold`). 0: every waiter parks at once.
   */
  readonly longTermThreshold: number;
  /** The longest that a near waiter spins before it parks, in microseconds; 0 = never. */
  readonly spinMicros: number;
  /** Size of the arena's waiting array, a power of two: about four buckets for each agent. Fixed at `Arena.create`. */
  readonly buckets: number;
}

export const DEFAULT_POLICY: WaitingPolicy = { longTermThreshold: 1, spinMicros: 20, buckets: 256 };

const POLICY_OPTIONS: readonly (keyof WaitingPolicy)[] = ['longTermThreshold', 'spinMicros', 'buckets'];

/** The given settings over `base`. */
export function mergePolicy(base: WaitingPolicy, given: Partial<WaitingPolicy> = {}): WaitingPolicy {
  checkOptions(given, POLICY_OPTIONS);
  const policy = { ...base, ...given };
  checkInteger('policy.longTermThreshold', policy.longTermThreshold, 0, 1024);
  checkInteger('policy.buckets', policy.buckets, 1, 65_536);
  if ((policy.buckets & (policy.buckets - 1)) !== 0) {
    throw new RangeError(`policy.buckets must be a power of two: received ${policy.buckets}`);
  }
  if (typeof policy.spinMicros !== 'number' || !(policy.spinMicros >= 0 && policy.spinMicros <= 1e6)) {
    throw new RangeError(`policy.spinMicros must be 0 to 1000000 us: received ${show(policy.spinMicros)}`);
  }
  return policy;
}

/** After this many vain bets in a row, one chance in 2^6 to bet is still taken, to notice when it pays again. */
const MOST_DOUBLINGS = 6;

/**
 * Whether something that may be in vain pays for this agent at present. Spinning, say: where agents outnumber cores a spinner takes
 * the core that the agent it waits for would need; nothing tells how many cores are free, but the outcome of spins does. Each vain
 * bet in a row doubles the number of chances that are let pass before the next.
 */
export class AdaptiveBudget {
  #doublings = 0;
  #toSkip = 0;

  /** Whether the last one paid. */
  get pays(): boolean {
    return this.#doublings === 0;
  }

  /** Takes a chance, or lets it pass. */
  mayTry(): boolean {
    if (this.#toSkip === 0) return true;
    this.#toSkip -= 1;
    return false;
  }

  note(paid: boolean): void {
    this.#doublings = paid ? 0 : Math.min(this.#doublings + 1, MOST_DOUBLINGS);
    this.#toSkip = paid ? 0 : 2 ** this.#doublings - 1;
  }
}
