// Whether an agent's spins are worth their time at present.

/** After many failures in a row, one of 2^6 opportunities is still used, to notice when attempts succeed again. */
const MAX_DOUBLINGS = 6;

/**
 * Decides whether a speculative attempt, such as a spin, is worth its cost for this agent at present (exponential
 * back-off).
 *
 * When agents outnumber cores, a spinning waiter may occupy the core that the lock's owner needs. No API tells how many
 * cores are free, but the outcome of spins does. Each failure in a row doubles the number of opportunities skipped
 * before the next attempt.
 */
export class SpinBudget {
  /**
   * Whether the last attempt succeeded. True before the first attempt. This is a field because a getter would add a
   * call to contended paths.
   */
  pays = true;
  #doublings = 0;
  #toSkip = 0;

  /** Whether to make an attempt at this opportunity. Each call counts as one opportunity. */
  mayTry(): boolean {
    if (this.#toSkip === 0) return true;
    this.#toSkip -= 1;
    return false;
  }

  /** Records the outcome of an attempt. */
  note(paid: boolean): void {
    this.pays = paid;
    this.#doublings = paid ? 0 : Math.min(this.#doublings + 1, MAX_DOUBLINGS);
    this.#toSkip = paid ? 0 : 2 ** this.#doublings - 1;
  }
}
