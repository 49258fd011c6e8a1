// The words that a session and its engine share: the operations of steps, the messages to a session, and the codes with
// which waits at latches and barriers end. Every engine uses the same words. An engine stores the codes, so a change of
// a code needs a new `format`.

/** The operation of a step. */
export type OperationName =
  // Of a session.
  | 'attach'
  | 'beat'
  | 'detach'
  | 'mine'
  | 'sessions'
  // Of a line.
  | 'acquire'
  | 'attempt'
  | 'cancel'
  | 'close'
  | 'finish'
  | 'gauge'
  | 'keys'
  | 'look'
  | 'poke'
  | 'post'
  | 'release'
  | 'resize'
  | 'settle'
  | 'unbook'
  // Of the value of a cache, beside `cancel` and `release`.
  | 'fetch'
  | 'keep'
  | 'put'
  | 'peek'
  | 'remove'
  | 'clear'
  // Of the rate of one key.
  | 'draw'
  | 'adjust'
  // Of a latch or a barrier, beside `cancel`.
  | 'arrive'
  | 'change'
  | 'recall'
  | 'survey'
  | 'tripped';

/** A step: its operation, its session, the session's generation, and its arguments. */
export type RemoteStep = readonly [
  operation: OperationName,
  session: string,
  generation: number,
  ...args: (string | number)[],
];

/** The first word of each message to a session, and the words after it. */
export const MESSAGE = {
  /** `sequence token asked`: the wait was granted. */
  granted: 'g',
  /** `sequence`: the line was closed. */
  closed: 'x',
  /** `sequence ms`: the session calls `poke` after that time. */
  pokeLater: 'p',
  /** `sequence`: the session sends the wait again. */
  askAgain: 'd',
  /** `name`: another session waits for permits that this session holds. */
  wanted: 'r',
  /** `round sequence:code ...`: these waits have ended with that round. */
  ended: 'e',
} as const;

/** The codes with which a wait at a latch or a barrier ends. `acts` does not end it: its call has to run the action. */
export const ENDING = {
  acts: 0,
  tripped: 1,
  /** As `tripped`, for one wait of each round. */
  leads: 2,
  // The barrier is broken.
  gaveUp: 3,
  died: 4,
  reset: 5,
  threw: 6,
  aborted: 7,
  /** The server has lost calls. */
  lost: 8,
} as const;
