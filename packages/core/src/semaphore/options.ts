// The options of a semaphore.

import type { Arena } from '../arena/arena.ts';
import type { WaitingPolicy } from '../api/waiting-policy.ts';

export interface SemaphoreOptions {
  /** Maximum number of permits that may be free at once; a release beyond it throws. Default: unbounded. */
  readonly max?: number | undefined;
  /** The arena that contains it. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits for it. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
  /**
   * Whether the semaphore records how many permits each agent holds. Then `inspect` shows the holders, and a dead
   * holder's permits are released. Default: `true`. Use `false` for signals, which the acquiring agent does not
   * release.
   */
  readonly recovery?: boolean | undefined;
}

export const SEMAPHORE_OPTIONS: readonly (keyof SemaphoreOptions)[] = ['max', 'arena', 'name', 'policy', 'recovery'];
