// A world with semaphores of this package, whose agents have loaded their kind.

import type { Context, Words } from '@sluice/model';
import { BLOCK_KIND, FLAGS, FLAG_OWN_CHAIN, HEADER_PENDING } from '../../../../core/src/kernel/layout.ts';
import type { AgentContext } from '../../../../core/src/agent/agent-context.ts';
import { semaphoreAddress } from '../../../../core/test/model/places.ts';
import type { Setup } from '../../../../core/test/model/world.ts';
import { ConditionWorld } from '../../../../core/test/model/condition-world.ts';
import type * as Entry from './entry.ts';

export class MemberWorld<Core extends typeof Entry = typeof Entry> extends ConditionWorld<Core> {
  readonly #core: Core;

  /** `flags`: flags of the first semaphore, in addition to its own. */
  constructor(core: Core, setup: Setup, flags = 0) {
    super(core, setup, flags);
    this.#core = core;
  }

  /** The BLOCK_KIND of the lines. */
  protected get code(): number {
    return this.#core.SEMAPHORES.code;
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const first = semaphoreAddress(0);
    words.put32(first + BLOCK_KIND, this.code);
    words.put32(first + FLAGS, words.get32(first + FLAGS) | FLAG_OWN_CHAIN);
  }

  override context(ctx: Context): AgentContext {
    const context = super.context(ctx);
    context.load(this.#core.SEMAPHORES);
    return context;
  }

  /** All agents have loaded the kind, so no recovery is left to other agents. */
  protected override get stillBeside(): readonly number[] {
    return [HEADER_PENDING];
  }
}
