// What `hold` returns: it holds a lock until the end of a block.

import { INSPECT, consoleText } from './console-text.ts';
import type { Titled } from './wording.ts';

/** `Symbol.dispose`, or our own symbol where the platform has none. No global is patched. */
export const dispose: typeof Symbol.dispose =
  (Symbol as { dispose?: typeof Symbol.dispose }).dispose ?? (Symbol.for('Symbol.dispose') as typeof Symbol.dispose);

/** Holds a lock until `release` or the end of a `using` block, whichever comes first. */
export class Guard {
  /**
   * Own and enumerable, so that posting a guard fails at the lock's own unpostable property (`refusePosting`), at no
   * cost.
   */
  private _lock: { unlock(): void } | undefined;

  constructor(lock: { unlock(): void }) {
    this._lock = lock;
  }

  /** Whether this guard still holds the lock. */
  get held(): boolean {
    return this._lock !== undefined;
  }

  /** Releases the lock. Later calls have no effect. */
  release(): void {
    const lock = this._lock;
    this._lock = undefined;
    lock?.unlock();
  }

  [INSPECT](): string {
    return consoleText('Guard', () => ({
      held: this.held,
      of: this._lock === undefined ? undefined : titleOfLock(this._lock),
    }));
  }

  [dispose](): void {
    this.release();
  }
}

/** The lock's title; '' if it has no `toString` of its own. */
function titleOfLock(lock: Titled): string {
  const title = lock.toString();
  return title.startsWith('[object') ? '' : title;
}
