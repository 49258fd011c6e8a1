/** The capabilities of a semaphore. See the table in the README. */
export interface Capabilities {
  /** Waiters are served in FIFO order, whatever number of permits each wants. */
  readonly fifo: boolean;
  /** More than one permit can be taken at once. */
  readonly weighted: boolean;
  /** A wait can end without permits: by a timeout, an abort, or the death of its agent. */
  readonly givesUp: boolean;
  /** `max` can be set. */
  readonly bounded: boolean;
  /** A post wakes only waiters whose turn it is, except waiters that share a bucket with them. */
  readonly wakesOne: boolean;
}
