// The structural interfaces that the suites test. This package imports no other package of Sluice, so every package can
// use it in its tests.

export interface SuiteWaitOptions {
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly ref?: boolean | undefined;
}

export interface SuiteGuard {
  readonly held: boolean;
  release(): void;
}

/** Any lock, with its blocking and async methods and the methods that every lock inherits. */
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

/**
 * Two locks that are never held at the same time: one lock as seen by two agents, or the two sides of a read-write
 * lock.
 */
export interface RivalLocks {
  readonly lock: ConformingLock;
  readonly rival: ConformingLock;
}

/** Makes a new, free lock, with or without a rival of another agent. A lock without a rival is its own rival. */
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

/** Makes a new semaphore with `permits` free permits. The semaphore must allow at least 20 free permits. */
export type CreateSemaphore = (permits: number) => ConformingSemaphore;

/** The result of a call: a value from a semaphore in shared memory, a promise from a semaphore on a server. */
export type Answer<T> = T | Promise<T>;

/** The number of free permits and the number of waiters in line. */
export type Counts = readonly [available: number, waiting: number];

/**
 * A semaphore as the tests of both kinds see it. A step ends when its answer arrives. In shared memory that is when the
 * call returns.
 */
export interface SteppedSemaphore {
  counts(): Answer<Counts>;
  tryAcquire(permits?: number): Answer<boolean>;
  acquireAsync(permits?: number, options?: SuiteWaitOptions): Promise<void>;
  release(permits?: number): Answer<void>;
  /** Only for a semaphore in shared memory. */
  drain?(): Answer<number>;
  close(): Answer<void>;
}

/** Makes a new semaphore with `permits` free permits. The semaphore may be on a server. */
export type CreateStepped = (permits: number) => Answer<SteppedSemaphore>;
