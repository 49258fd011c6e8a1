// Counts for the texts of errors: a text reads only so many records, so that an error costs no more in a large arena.

/** The most records of a pool that one message reads: some 100 µs. */
export const MOST_RECORDS = 1024;

/** A count of waiters. */
export interface Counted {
  readonly count: number;
  /** Whether all records of the arena were read. */
  readonly isAll: boolean;
}
