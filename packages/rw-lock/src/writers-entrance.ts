// The way of a writer into a read-write lock, and out of it.

import { MisuseError, type Entrance, type WaitOptions } from '@sluice/core';
import { TAKEN } from '@sluice/core/format';
import { checkTimeout, checkWait, NO_WAIT_OPTIONS } from '@sluice/core/calls';
import { LockHealth, type BlockRef, type PrimitiveErrors } from '@sluice/core/internal';
import type { ReadWriteLines } from './read-write-lines.ts';

export class WritersEntrance implements Entrance {
  /** The writers' line, for tools. */
  readonly ref: BlockRef;
  readonly health: LockHealth;
  readonly errors: PrimitiveErrors;
  readonly #lines: ReadWriteLines;

  constructor(office: ReadWriteLines) {
    this.health = new LockHealth(office.ref.context.words, office.ref.address);
    this.errors = office.writersErrors;
    this.#lines = office;
    this.ref = office.writersRef;
  }

  isOwner(): boolean {
    return this.#lines.writes;
  }

  enter(): void {
    this.#enterWithin(Infinity);
  }

  tryEnter(timeoutMs: number): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#enterWithin(timeoutMs);
  }

  /** `whole` is the timeout of the call, if this is not its first wait. */
  async enterAsync(options: WaitOptions = NO_WAIT_OPTIONS, entered?: () => void, whole?: number): Promise<void> {
    const checked = checkWait(options);
    this.#lines.check(await this.#lines.writers.enterAsync(checked, entered, whole), 'writers');
  }

  exit(): void {
    this.#lines.unlockWriter();
  }

  #enterWithin(timeoutMs: number): boolean {
    const { readers, writers, reads } = this.#lines;
    if (timeoutMs === Infinity && reads > 0) {
      throw new MisuseError(
        `${this.errors.toString()} is held for reading by this agent already, so the call would never return. It was not locked: unlock the reader first.`,
      );
    }
    const outcome = writers.enter(timeoutMs, readers.asyncWaits);
    this.#lines.check(outcome, 'writers');
    return outcome === TAKEN;
  }
}
