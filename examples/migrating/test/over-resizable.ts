// async-mutex's interface over a ResizableSemaphore. Priorities are ignored: a PrioritySemaphore has them
// (priorities.stress.ts).

import { hasCode } from '@sluice/core';
import { ResizableSemaphore } from '@sluice/semaphores';

export type Releaser = () => void;

const canceled = new Error('request for lock canceled');
const timedOut = new Error('timeout while waiting for mutex to become available');
const alreadyLocked = new Error('mutex already locked');
export { alreadyLocked as E_ALREADY_LOCKED, canceled as E_CANCELED, timedOut as E_TIMEOUT };

/** The waits of a `Semaphore`. */
interface Manner {
  readonly timeout?: number;
  readonly late?: Error;
}

export class Semaphore {
  readonly #permits: ResizableSemaphore;
  readonly #cancelError: Error;
  readonly #manner: Manner;
  /** The `value` of async-mutex: the existing permits minus those of callers that have been told. */
  #value: { now: number };

  constructor(value: number, cancelError = canceled, of?: Semaphore, manner: Manner = {}) {
    this.#permits = of === undefined ? ResizableSemaphore.create(value) : of.#permits;
    this.#value = of === undefined ? { now: value } : of.#value;
    this.#cancelError = of === undefined ? cancelError : of.#cancelError;
    this.#manner = manner;
  }

  /** The same semaphore, whose waits have a timeout. */
  within(timeout: number, late: Error): Semaphore {
    return new Semaphore(0, undefined, this, { timeout, late });
  }

  acquire(weight = 1): Promise<[number, Releaser]> {
    checkWeight(weight);
    return this.#permits.tryAcquire(weight) ? Promise.resolve(this.#admit(weight)) : this.#wait(weight);
  }

  async runExclusive<T>(task: (value: number) => T | PromiseLike<T>, weight = 1): Promise<T> {
    const [value, release] = await this.acquire(weight);
    try {
      return await task(value);
    } finally {
      release();
    }
  }

  waitForUnlock(weight = 1): Promise<void> {
    checkWeight(weight);
    return this.#permits.waitForUnlockAsync(weight).catch((failure: unknown) => this.#translate(failure));
  }

  isLocked(): boolean {
    return this.#permits.isLocked;
  }

  getValue(): number {
    return this.#value.now;
  }

  setValue(value: number): void {
    const more = value - this.#value.now;
    this.#value.now = value;
    if (more > 0) this.#permits.addPermits(more);
    else if (more < 0) this.#permits.reducePermits(-more);
  }

  release(weight = 1): void {
    checkWeight(weight);
    this.#value.now += weight;
    this.#permits.release(weight);
  }

  cancel(): void {
    this.#permits.cancelWaiters();
  }

  async #wait(weight: number): Promise<[number, Releaser]> {
    const { timeout } = this.#manner;
    await this.#permits.acquireAsync(weight, { timeout }).catch((failure: unknown) => this.#translate(failure));
    return this.#admit(weight);
  }

  #admit(weight: number): [number, Releaser] {
    const value = this.#value.now;
    this.#value.now -= weight;
    let held = true;
    const release = (): void => {
      if (held) this.release(weight);
      held = false;
    };
    return [value, release];
  }

  #translate(failure: unknown): never {
    if (hasCode(failure, 'SLUICE_CANCELLED')) throw this.#cancelError;
    if (hasCode(failure, 'SLUICE_TIMEOUT')) throw this.#manner.late ?? timedOut;
    throw failure as Error;
  }
}

export class Mutex {
  readonly #one: Semaphore;

  constructor(cancelError?: Error, one = new Semaphore(1, cancelError)) {
    this.#one = one;
  }

  within(timeout: number, late: Error): Mutex {
    return new Mutex(undefined, this.#one.within(timeout, late));
  }

  async acquire(): Promise<Releaser> {
    return (await this.#one.acquire())[1];
  }

  runExclusive<T>(task: () => T | PromiseLike<T>): Promise<T> {
    return this.#one.runExclusive(() => task());
  }

  isLocked(): boolean {
    return this.#one.isLocked();
  }

  waitForUnlock(): Promise<void> {
    return this.#one.waitForUnlock();
  }

  release(): void {
    if (this.#one.isLocked()) this.#one.release();
  }

  cancel(): void {
    this.#one.cancel();
  }
}

export function withTimeout<Lock extends Mutex | Semaphore>(lock: Lock, timeout: number, late = timedOut): Lock {
  return lock.within(timeout, late) as Lock;
}

export function tryAcquire<Lock extends Mutex | Semaphore>(lock: Lock, refused = alreadyLocked): Lock {
  return withTimeout(lock, 0, refused);
}

function checkWeight(weight: number): void {
  if (weight <= 0) throw new Error(`invalid weight ${weight}: must be positive`);
}
