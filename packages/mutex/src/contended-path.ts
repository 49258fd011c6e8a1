// The way into a mutex that is in use, and out of it. Each mutex chooses its way in once, by its order.

export interface ContendedPath {
  /**
   * Waits in line until this agent owns the mutex, then returns the value of HEALTH. Returns WAITING, and changes
   * nothing, if the agent already owns the mutex or has no spare element.
   */
  enter(): number;
  /** Performs the usual contended unlock, if it differs from `leave`. Returns false if it changed nothing. */
  passOn?(): boolean;
  /** Unlocks the mutex in any state: hands it to the longest waiter, or frees it. */
  leave(): void;
  /** Unlocks the mutex for an owner that then waits for a condition. */
  unlockToWait(): void;
  /** Ends the turn of the owner, which then unlocks the mutex in another way. */
  endTurn(): void;
}
