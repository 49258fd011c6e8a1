// What is known of an operation on a bounded queue, and what the queue promises.
//
//   kind   outcome    what it says                                           effect, at one moment of the call
//   push   done       the values are in, all together, one behind the other  appended
//   push   refused    the first of them did not fit, and the queue was open  none
//   push   closed     the queue was closed                                   none
//   pop    done       the values came out, all together, from the front      removed
//   pop    refused    the queue was empty and open                           none
//   pop    closed     the queue was closed and empty                         none
//   close  done       it is closed                                           closed
//   any    gone       nothing: its caller gave it up                         none
//   any    pending    nothing: it has not ended, as its thread was killed    as of `done`, or none; of a push perhaps
//                                                                            only the first so many values, of a pop up
//                                                                            to `most`
//
// Some refusals prove nothing. One is a refusal during another call of the same side: that call may have been first in
// line, which no call overtakes, or it may have held the side's lock (a close counts as a push). The other is a refusal
// behind a cancelled call of the same side, during a call of the other side: that call may still be removing the
// cancelled place from the line.

// Calls that stood in line (`place`) and are done take effect in the order of the line, each side for itself.

export type Kind = 'push' | 'pop' | 'close';
export type Outcome = 'done' | 'refused' | 'closed' | 'gone' | 'pending';

export interface Operation {
  readonly kind: Kind;
  readonly outcome: Outcome;
  /** What went in or came out; of a push that did neither what should have. No value goes in twice. */
  readonly values: readonly number[];
  /** Moments of a clock that all threads share, no two alike. */
  readonly began: number;
  /** Infinity: pending. */
  readonly ended: number;
  /** Of a pop that is pending: how many values it may have taken. Default 1. */
  readonly most?: number;
  /**
   * Its ticket, of a call that stood in its side's line: calls of one side take effect in the order of their tickets.
   */
  readonly place?: number;
  /** The thread, for messages. */
  readonly by?: string;
}

export interface QueueSpec {
  /** Units that values may take together. */
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
