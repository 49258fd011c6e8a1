// The base of every primitive at which agents wait without owning it: its name, its arena and its `free`.

import type { Arena } from '../arena/arena.ts';
import { INSPECT, consoleText } from '../api/console-text.ts';
import { readName } from '../memory/name.ts';
import { refusePosting } from '../platform/unpostable.ts';
import type { PrimitiveLine } from './primitive-line.ts';

export abstract class Waitable {
  readonly #waits: PrimitiveLine;

  protected constructor(waits: PrimitiveLine) {
    refusePosting(this);
    this.#waits = waits;
  }

  /** Returns the title that messages use, such as "Mutex 'accounts'". */
  toString(): string {
    return this.#waits.errors.toString();
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    this.#waits.checkThere();
    const { context, address } = this.#waits.place;
    return readName(context.words, address);
  }

  /** The arena that contains the primitive. */
  get arena(): Arena {
    return this.#waits.place.arena;
  }

  /** The number of waiters, for reports and tests. The call reads the records of all waiters of the arena. */
  get waiting(): number {
    return this.#waits.report().waiters.length;
  }

  abstract inspect(): object;

  /** Returns the fields that `console.log` shows. */
  protected abstract shown(): Readonly<Record<string, unknown>>;

  [INSPECT](): string {
    return consoleText(this.#waits.className, () => ({ name: this.name, ...this.shown() }));
  }

  /**
   * Frees the primitive's memory, which another primitive may reuse.
   *
   * No agent may be inside a call on the primitive. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If agents wait at the primitive or hold something of it, or it was already freed.
   */
  free(): void {
    this.#waits.free();
  }
}
