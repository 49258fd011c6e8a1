// The base of every primitive at which agents wait in one line without owning it.

import { Primitive } from '../primitive/primitive.ts';
import type { PrimitiveLine } from './primitive-line.ts';

export abstract class Waitable extends Primitive {
  readonly #waits: PrimitiveLine;

  protected constructor(waits: PrimitiveLine) {
    super(waits.ref, waits.naming);
    this.#waits = waits;
  }

  /** The number of waiters, for reports and tests. The call reads the records of all waiters of the arena. */
  get waiting(): number {
    return this.#waits.report().waiters.length;
  }

  abstract inspect(): object;

  /**
   * Frees the primitive's memory, which another primitive may reuse.
   *
   * No agent may be inside a call on the primitive. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If agents wait at the primitive or hold something of it, or it was already freed.
   */
  override free(): void {
    this.#waits.free();
  }
}
