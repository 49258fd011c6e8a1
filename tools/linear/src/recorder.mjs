// @ts-check
// Records the operations of one agent in memory that outlives the agent. Not TypeScript, because workers load it, too.
//
// The recorder writes BEGAN last before the call, which makes the record valid. It writes ENDED last after the call. If
// the agent is killed between these two writes, the operation is pending.

/** @import { Kind, Operation, Outcome } from './history.ts' */

/** The words of a record. POP_LIMIT is the maximum number of values of a pop, COUNT the number of values in VALUES. */
const BEGAN = 0;
const ENDED = 1;
const KIND = 2;
const OUTCOME = 3;
const POP_LIMIT = 4;
const COUNT = 5;
/** 1 + the ticket that the call drew in the line of its side; 0 if it drew none. */
const PLACE = 6;
const VALUES = 7;
const WORDS = 17;
/** The maximum number of values of one call. */
export const MAX_VALUES = WORDS - VALUES;

/** @type {readonly Kind[]} */
const KINDS = ['push', 'pop', 'close'];
/** @type {readonly Outcome[]} */
const OUTCOMES = ['done', 'refused', 'closed', 'gone'];

/**
 * The memory that an agent writes to. All agents share the clock, which has 4 bytes.
 * @typedef {{ clock: SharedArrayBuffer, log: SharedArrayBuffer }} Taping
 */

/** Returns the size in bytes of a log for `operations` operations. @param {number} operations */
export const logBytes = (operations) => operations * WORDS * 4;

export class Recorder {
  #clock;
  #log;
  #next = 0;

  /** @param {Taping} taping */
  constructor({ clock, log }) {
    this.#clock = new Int32Array(clock);
    this.#log = new Int32Array(log);
  }

  /** The number of operations for which the log still has space. */
  get left() {
    return (this.#log.length - this.#next) / WORDS;
  }

  /**
   * Records the beginning of a call. `values` are the values of a push. `most` is the maximum number that a pop may
   * remove.
   * @param {Kind} kind @param {readonly number[]} values @param {number} most
   */
  begin(kind, values = [], most = 1) {
    const at = this.#next;
    if (at === this.#log.length) throw new RangeError('The log is full.');
    this.#next = at + WORDS;
    this.#log[at + KIND] = KINDS.indexOf(kind);
    this.#log[at + POP_LIMIT] = most;
    this.#writeValues(at, values);
    Atomics.store(this.#log, at + BEGAN, this.#now());
    return at;
  }

  /**
   * Records the end of a call. `values` are the values appended or removed. Default: the values given to `begin`.
   * @param {number} at @param {Exclude<Outcome, 'pending'>} outcome @param {readonly number[]} [values]
   */
  end(at, outcome, values) {
    const now = this.#now();
    this.#log[at + OUTCOME] = OUTCOMES.indexOf(outcome);
    // If the agent is killed during this write, the operation stays pending, and its values are ignored.
    if (values !== undefined) this.#writeValues(at, values);
    Atomics.store(this.#log, at + ENDED, now);
  }

  /** Records that the call waits in line with `ticket`. @param {number} at @param {number | undefined} ticket */
  stands(at, ticket) {
    if (ticket !== undefined) this.#log[at + PLACE] = ticket + 1;
  }

  /** @param {number} at @param {readonly number[]} values */
  #writeValues(at, values) {
    if (values.length > MAX_VALUES) throw new RangeError(`A record has at most ${MAX_VALUES} values.`);
    this.#log.set(values, at + VALUES);
    this.#log[at + COUNT] = values.length;
  }

  #now() {
    return Atomics.add(this.#clock, 0, 1) + 1;
  }
}

/**
 * Returns the operations that the agent `by` recorded. @param {SharedArrayBuffer} log @param {string} by @returns
 * {Operation[]}
 */
export function operationsOf(log, by) {
  const words = new Int32Array(log);
  const operations = [];
  for (let at = 0; at < words.length; at += WORDS) {
    const began = Atomics.load(words, at + BEGAN);
    if (began !== 0) operations.push(operationAt(words, at, by));
  }
  return operations;
}

/** @param {Int32Array} words @param {number} at @param {string} by @returns {Operation} */
function operationAt(words, at, by) {
  const [began = 0, ended = 0, kind = 0, outcome = 0, most = 0, count = 0, place = 0] = words.subarray(at, at + VALUES);
  const isPending = ended === 0;
  const isPop = KINDS[kind] === 'pop';
  return {
    kind: KINDS[kind] ?? 'close',
    outcome: isPending ? 'pending' : (OUTCOMES[outcome] ?? 'gone'),
    values: isPending && isPop ? [] : [...words.subarray(at + VALUES, at + VALUES + count)],
    began,
    ended: isPending ? Infinity : ended,
    most,
    ...(place === 0 ? {} : { place }),
    by,
  };
}
