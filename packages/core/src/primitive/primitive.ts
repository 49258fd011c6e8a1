// The base of every primitive with a block of its own: its title, its name, its arena and its line in a console.

import type { AgentContext } from '../agent/agent-context.ts';
import { INSPECT, consoleText } from '../api/console-text.ts';
import type { Arena } from '../arena/arena.ts';
import type { BlockRef } from '../arena/block-ref.ts';
import { titleOf } from '../error-text/title.ts';
import { readName } from '../memory/name.ts';
import { refusePosting } from '../platform/unpostable.ts';
import { checkNotFreed, checkOpened, freePrimitive } from './block.ts';

/** How messages name a primitive. */
export interface Naming {
  /** The name of its class, as in "Mutex 'accounts'". */
  readonly className: string;
  /** Its noun, such as 'The mutex'. */
  readonly what: string;
}

export abstract class Primitive {
  readonly #ref: BlockRef;
  readonly #naming: Naming;

  /** `ref` is `undefined` if a program calls the constructor itself. That throws `MisuseError`. */
  protected constructor(ref: BlockRef | undefined, naming: Naming) {
    refusePosting(this);
    checkOpened(ref, naming.className);
    this.#ref = ref;
    this.#naming = naming;
  }

  /** Returns the title that messages use, such as "Mutex 'accounts'". */
  toString(): string {
    return titleOf(this.#naming.className, this.#ref);
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    this.checkThere();
    return readName(this.#ref.context.words, this.#ref.address);
  }

  /** The arena that contains the primitive. */
  get arena(): Arena {
    return this.#ref.arena;
  }

  [INSPECT](): string {
    return consoleText(this.#naming.className, () => ({ name: this.name, ...this.shown() }));
  }

  /**
   * Frees the primitive's memory, which another primitive may reuse.
   *
   * No agent may be inside a call on the primitive. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If the primitive is in use, or it was already freed.
   */
  abstract free(): void;

  /** Returns the fields that `console.log` shows, without the name. */
  protected abstract shown(): Readonly<Record<string, unknown>>;

  // Accessors, because code that enumerates an instance would see fields.
  protected get ref(): BlockRef {
    return this.#ref;
  }

  protected get context(): AgentContext {
    return this.#ref.context;
  }

  /**
   * Checks that the primitive is still there.
   *
   * @throws {MisuseError} If the primitive was freed, or if this agent has left the arena.
   */
  protected checkThere(): void {
    checkNotFreed(this.#ref, this.#naming.what);
  }

  /** Frees the block. `lines` is the number of its lines that are semaphores. */
  protected freeBlock(lines = 1): void {
    freePrimitive(this.#ref, this.#naming.what, lines);
  }
}
