// The options and the capabilities of a semaphore of the family.

import type { Arena, WaitingPolicy } from '@sluice/core';

export interface FamilyOptions {
  /** The maximum of free permits; a release beyond it throws. Default: unbounded. */
  readonly max?: number | undefined;
  /** Where it lives. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits here. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
  /** Whether the semaphore records how many permits each agent holds, so that a dead holder's permits are released. Default true. */
  readonly recovery?: boolean | undefined;
}

/** Names of the options that all members have. */
export const FAMILY_OPTIONS: readonly (keyof FamilyOptions)[] = ['max', 'arena', 'name', 'policy', 'recovery'];

/** What a semaphore of the family supports; see the table in the README. */
export interface Capabilities {
  /** Waiters are served in order of arrival, however many permits each wants. */
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
