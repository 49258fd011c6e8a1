// Counts for the messages of errors. A message reads a limited number of records, so an error costs no more in a large
// arena.

/** The maximum number of records of a pool that one message reads, which takes some 100 µs. */
export const MAX_RECORDS = 1024;

/** A count of waiters. */
export interface Counted {
  readonly count: number;
  /** Whether all records of the arena were read. */
  readonly isAll: boolean;
}
