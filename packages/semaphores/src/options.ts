// What a semaphore of the family can be asked for.

import type { Arena, WaitingPolicy } from '@sluice/core';

export interface FamilyOptions {
  /** The most permits that may be free at once; a release beyond it throws. Default: unbounded. */
  readonly max?: number | undefined;
  /** Where it lives. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits here. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
  /** Whether it is written down who holds how many permits: they come back when a holder dies. Default true. */
  readonly recovery?: boolean | undefined;
}

/** Names of the options of every member. */
export const FAMILY_OPTIONS: readonly (keyof FamilyOptions)[] = ['max', 'arena', 'name', 'policy', 'recovery'];

/** What a semaphore of the family can do; see the table in the README. */
export interface Capabilities {
  /** Permits go to waiters in the order in which they came, whatever number each wants. */
  readonly fifo: boolean;
  /** More than one permit can be taken at once. */
  readonly weighted: boolean;
  /** A wait can end without permits: by a timeout, an abort, the death of its agent. */
  readonly givesUp: boolean;
  /** `max` can be set. */
  readonly bounded: boolean;
  /** A post wakes only waiters whose turn it is, but for those that share a bucket. */
  readonly wakesOne: boolean;
}
