// The interfaces that the suites test, structural and their own: this package imports none of Sluice's, so every one
// of them may use it in its tests.

export interface SuiteWaitOptions {
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly ref?: boolean | undefined;
}

export interface SuiteGuard {
  readonly held: boolean;
  release(): void;
}

/** Any lock with its blocking and its async form, and what comes on top of every lock. */
export interface ConformingLock {
  lock(): void;
  tryLock(timeoutMs?: number): boolean;
  lockAsync(options?: SuiteWaitOptions): Promise<void>;
  unlock(): void;
  hold(): SuiteGuard;
  tryHold(timeoutMs?: number): SuiteGuard | null;
  holdAsync(options?: SuiteWaitOptions): Promise<SuiteGuard>;
  run<T>(body: () => T): T;
  runAsync<T>(body: () => T | PromiseLike<T>, options?: SuiteWaitOptions): Promise<T>;
}

/** Two that are never held at the same time: one lock as two agents see it, or the two sides of a read-write lock. */
export interface RivalLocks {
  readonly lock: ConformingLock;
  readonly rival: ConformingLock;
}

/** Makes a new lock, free: alone, so that it is its own rival, or with another agent's. */
export type CreateLock = () => ConformingLock | RivalLocks;

/** A fair counting semaphore. */
export interface ConformingSemaphore {
  readonly available: number;
  readonly waiting: number;
  acquire(permits?: number): void;
  tryAcquire(permits?: number, timeoutMs?: number): boolean;
  acquireAsync(permits?: number, options?: SuiteWaitOptions): Promise<void>;
  release(permits?: number): void;
  drain(): number;
  close(): void;
  free(): void;
}

/** Makes a new semaphore with `permits` free permits. At least 20 must be allowed to be free at once. */
export type CreateSemaphore = (permits: number) => ConformingSemaphore;

/** What a call answers: a semaphore in shared memory at once, one on a server with a promise. */
export type Answer<T> = T | Promise<T>;

/** The permits that are free, and the waiters in line. */
export type Counts = readonly [available: number, waiting: number];

/**
 * A semaphore as the tests of both kinds see it. A step has ended with its answer; locally, already when the call
 * returns.
 */
export interface SteppedSemaphore {
  counts(): Answer<Counts>;
  tryAcquire(permits?: number): Answer<boolean>;
  acquireAsync(permits?: number, options?: SuiteWaitOptions): Promise<void>;
  release(permits?: number): Answer<void>;
  /** Where there is one. */
  drain?(): Answer<number>;
  close(): Answer<void>;
}

/** Makes a new semaphore with so many permits free. */
export type CreateStepped = (permits: number) => Answer<SteppedSemaphore>;
