// What a page and its workers post to each other.

import type {
  ArenaHandle,
  BoundedBufferHandle,
  CapacitorLockHandle,
  MutexHandle,
  RegionHandle,
  SemaphoreHandle,
  TtsLockHandle,
} from 'sluice';

export type LockSpec =
  | { readonly kind: 'semaphore'; readonly handle: SemaphoreHandle }
  | { readonly kind: 'mutex'; readonly handle: MutexHandle }
  | { readonly kind: 'tts'; readonly handle: TtsLockHandle }
  | { readonly kind: 'capacitor'; readonly handle: CapacitorLockHandle; readonly inner: TtsLockHandle }
  /** Words of the control region. */
  | { readonly kind: 'spin' | 'futex'; readonly word: number };

export interface Jobs {
  readonly contest: { readonly locks: readonly LockSpec[] };
  readonly dine: { readonly forks: readonly MutexHandle[] };
  readonly produce: { readonly buffer: BoundedBufferHandle };
  readonly consume: { readonly buffer: BoundedBufferHandle };
  readonly move: { readonly mutex: MutexHandle };
}
export type JobName = keyof Jobs;

/** The first message to a worker, then one for each job. */
export type ToWorker =
  | { readonly arena: ArenaHandle; readonly control: RegionHandle }
  | { [Name in JobName]: { readonly job: Name; readonly worker: number; readonly data: Jobs[Name] } }[JobName];

export type FromWorker = { readonly joined: number } | { readonly done: true } | { readonly failed: string };
