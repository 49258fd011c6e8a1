// What the mutex and the recursive mutex share: everything except the uncontended visit to the box office.
// The words, states and invariants of the box office are in kernel/mutex.ts.

import type { WaitingPolicy } from '@sluice/core';
import {
  createOwnedLock,
  PlacedLock,
  mayRetry,
  RACED,
  type Kind,
  type LockOptions,
  type LockShape,
  type Place,
  type Visit,
  type HandOver,
} from '@sluice/core/internal';
import type { MutexKernel, MutexSteps } from './kinds.ts';
import { reportMutex, type MutexReport } from './report.ts';

export type MutexOptions = LockOptions;

/** Creates a block with a free mutex; returns it with this agent's policy. */
export function createMutex(kind: Kind<MutexSteps>, options: MutexOptions): [Place, WaitingPolicy] {
  return createOwnedLock(kind, options);
}

export abstract class AnyMutex extends PlacedLock {
  // What the contended unlock needs.
  readonly #place: Place;
  readonly #kernel: MutexKernel;

  protected constructor(place: Place, policy: WaitingPolicy, kind: Kind<MutexSteps>, shape: Omit<LockShape, 'manner' | 'kind'>) {
    super(place, policy, { ...shape, manner: {}, kind });
    this.#place = place;
    this.#kernel = place.context.kernel as MutexKernel;
  }

  protected override get kernel(): MutexKernel {
    return super.kernel as MutexKernel;
  }

  protected override visitOf({ context: { kernel, agent }, address, tag }: Place): Visit {
    // Looked up at each visit: after the agent has left the arena, the kernel's steps throw.
    const steps = kernel as MutexKernel;
    return (mayWait) => steps.enqueueAtMutex(address, tag, agent, mayWait);
  }

  /** A snapshot of the mutex: its owner, its waiters and since when each has waited, and its state after an owner's death. */
  inspect(): MutexReport {
    this.checkThere();
    return reportMutex(this.place, this.bouncer.inspect());
  }

  protected override exit(): void {
    const { context: { agent, id }, address } = this.#place;
    let passed: HandOver;
    let tries = 0;
    do passed = this.#kernel.handOver(address, agent, id);
    while (passed === RACED && mayRetry(++tries));
    this.bouncer.wake(passed);
  }
}
