// A primitive that sessions use, as the report of a namespace has it.

import type { Participant } from './report.ts';

/** A session that holds permits. */
export interface SessionHold extends Participant {
  /** The time in ms for which it has held them, by the server's clock. `undefined` if the server keeps no time of it. */
  readonly heldFor: number | undefined;
}

/** A primitive that a session holds or waits for. */
export interface RemoteUse {
  /** The class that it is in memory, such as `Mutex`. */
  readonly kind: string;
  /** Its name. Of one key: the name of the primitive, a slash and the key. */
  readonly name: string;
  /**
   * The sessions that hold it, the longest first. Of a once or a lazy: the one that runs its initialiser. Of a latch: those
   * that have claimed a part of its count. A rate limiter and a barrier have none.
   */
  readonly holders: readonly SessionHold[];
  /** The waiters of all sessions, in the order in which they will be served. */
  readonly waiters: readonly Participant[];
}
