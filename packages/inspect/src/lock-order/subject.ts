// What the order is checked for: the locks of a class in one mode.

import type { HoldMode } from '../observe/used-primitive.ts';
import { HeldChain } from './held-chain.ts';
import type { LockClass } from './lock-class.ts';

/** The locks of a class, acquired or held in one mode. */
export class Subject {
  /** The `LockClasses` to which `class` belongs. */
  readonly of: object;
  readonly class: LockClass;
  readonly mode: HoldMode;
  /** Whether it is a semaphore. Only a release by the acquiring thread shows that a permit was used as a lock. */
  readonly isSemaphore: boolean;
  /** Whether waits for it can be part of a cycle. */
  isChecked: boolean;
  /** `of`, if a blocking call of a thread that holds nothing has only to record its hold. */
  quickIn: object | undefined = undefined;
  /** The chain in which it is held alone. */
  readonly alone = new HeldChain();
  /** The subjects that were requested while this one was held, and need no further check. */
  readonly known = new Set<Subject>();

  constructor(of: object, own: LockClass, mode: HoldMode, isSemaphore: boolean, isChecked: boolean) {
    this.of = of;
    this.class = own;
    this.mode = mode;
    this.isSemaphore = isSemaphore;
    this.isChecked = isChecked;
    own.addSubject(this);
  }

  setQuick(isQuick: boolean): void {
    // An upgrade is asked for as one subject, and held as another.
    const canBeQuick = this.isChecked && !this.isSemaphore && this.mode !== 'upgrade';
    this.quickIn = isQuick && canBeQuick ? this.of : undefined;
  }
}
