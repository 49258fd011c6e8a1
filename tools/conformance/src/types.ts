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
