// The record of an operation on a bounded queue, and the promises of the queue.
//
//   kind   outcome    meaning                                                effect, at one moment of the call
//   push   done       the values were appended together, without others      appended
//   push   refused    the first value did not fit, and the queue was open    none
//   push   closed     the queue was closed                                   none
//   pop    done       the values were removed together, from the front       removed
//   pop    refused    the queue was empty and open                           none
//   pop    closed     the queue was closed and empty                         none
//   close  done       the queue is closed                                    closed
//   any    gone       none: the caller cancelled the call                    none
//   any    pending    none: the thread was killed before the call ended      that of `done`, or none. A push may have
//                                                                            appended only its first values; a pop may
//                                                                            have removed up to `most` values
//
// Two kinds of refusals prove nothing. The first is a refusal during another call of the same side (a close counts as a
// push). That other call may have been first in line, where no call overtakes it, or it may have held the side's lock.
// The second is a refusal behind a cancelled call of the same side, during a call of the other side. The call of the
// other side may still be removing the cancelled place from the line.

// Completed calls with a place in line (`place`) take effect in the order of the line. Each side has its own order.

export type Kind = 'push' | 'pop' | 'close';
export type Outcome = 'done' | 'refused' | 'closed' | 'gone' | 'pending';

export interface Operation {
  readonly kind: Kind;
  readonly outcome: Outcome;
  /**
   * The values that were appended or removed. For a push without effect: the values that it was given. All values
   * pushed are unique.
   */
  readonly values: readonly number[];
  /** The time of the call, on a clock that all threads share. No two times are equal. */
  readonly began: number;
  /** `Infinity` if the call is pending. */
  readonly ended: number;
  /** For a pending pop: the maximum number of values that it may have removed. Default: 1. */
  readonly most?: number;
  /**
   * The ticket of a call that waited in its side's line. Calls of one side take effect in the order of their tickets.
   */
  readonly place?: number;
  /** The thread, for messages. */
  readonly by?: string;
}

export interface QueueSpec {
  /** The capacity of the queue, in units. */
  readonly room: number;
  /** Units that a value takes. Default 1. */
  readonly unitsOf?: (value: number) => number;
}

export function describe({ kind, outcome, values, began, ended, by }: Operation): string {
  const what = [kind, values.join(' '), outcome === 'done' ? '' : `(${outcome})`]
    .filter((text) => text !== '')
    .join(' ');
  return `${what}${by === undefined ? '' : ` by ${by}`} [${began}, ${ended}]`;
}
