// A world with one priority semaphore. Its first line lies in the place of the first semaphore, its levels in the next
// lines.

import type { Context, Words } from '@sluice/model';
import type { AgentContext } from '../../../core/src/agent/agent-context.ts';
import * as layout from '../../../core/src/kernel/layout.ts';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { agentAt, insideAt, layBlocks, MAX_ELEMENTS, tagOf } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { ConditionWorld, type Plan } from '../../../core/test/model/condition-world.ts';
import * as own from '../../src/kernel/layout.ts';
import type * as Entry from './entry.ts';
import { behind, FRONT, type Extent } from './front-accounts.ts';
import { faultOf, isForgotten, remains } from './level-accounts.ts';

const {
  AGENT_CHAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_IN_FLIGHT,
  AGENT_POSTS,
  AGENT_POST_LINE,
  AGENT_SWEEP,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
} = layout;
const { FLAGS, GRANT, HEADER_PENDING, KIND_AREA, LIMIT, TICKET } = layout;

/** Words of an agent record that are 0 when the agent has nothing in hand. */
const IN_HAND = [
  ...[AGENT_CHAIN, AGENT_IN_FLIGHT, AGENT_POSTS, AGENT_POST_LINE, AGENT_SWEEP, AGENT_DUTY, AGENT_DUTY_KIND],
  ...[AGENT_CHAIN, AGENT_IN_FLIGHT, AGENT_POSTS, AGENT_POST_LINE].map((word) => KIND_AREA + word),
];

const LEVELS = Array.from({ length: own.LEVELS }, (_, level) => behind(level));

export type LevelCore = typeof Entry;

export interface Stand {
  readonly ageing: number;
  readonly permits: number;
  readonly agents: number;
  /** The maximum number of permits that may be held. Default: `permits`. */
  readonly most?: number;
  readonly max?: number;
  readonly buckets?: number;
}

export interface LevelPlan extends Plan<LevelCore> {
  /** The number of free permits at the end; null: any number. Default: as at the start. */
  readonly ends?: number | null;
}

export class LevelWorld extends ConditionWorld<LevelCore> {
  readonly #core: LevelCore;
  readonly #stand: Stand;
  #closes = false;

  constructor(core: LevelCore, stand: Stand) {
    const { permits, agents, most = permits, max = 0, buckets = 1 } = stand;
    const elements = Math.min(MAX_ELEMENTS, 3 * agents);
    // The ledgers of the world have no room for an entry of each level, and none is needed: the levels are in the block
    // of the first line.
    super(core, { permits: [permits], agents, most, max, buckets, start: 0n, elements, spares: true });
    this.#core = core;
    this.#stand = stand;
  }

  /** `closes`: whether an agent closes the semaphore. */
  semaphore({ ends = this.#stand.permits, ...plan }: LevelPlan, closes = false): Case {
    const extent = this.#extent;
    this.#closes = closes;
    return this.case({
      ...plan,
      invariant: (words) => this.checkHeld(words) ?? faultOf(words, extent),
      final: (words, outcomes) => this.#quiet(words) ?? this.#ended(words, ends) ?? plan.final?.(words, outcomes),
      ...(plan.stuck === undefined
        ? {}
        : { stuck: (words, outcomes) => this.#quiet(words) ?? plan.stuck?.(words, outcomes) }),
    });
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const { code } = this.#core.PRIORITY;
    words.put32(FRONT + BLOCK_KIND, code);
    for (const level of LEVELS) {
      words.put32(level + BLOCK_TAG, tagOf(0));
      words.put32(level + BLOCK_KIND, code);
      words.put32(level + FLAGS, 0);
      words.put64(level + TICKET, 0n);
      words.put64(level + GRANT, 0n);
      words.put32(level + LIMIT, 0);
      // At the place of a semaphore's counters, a level has the offset of the first line.
      words.put64(level + own.FRONT, BigInt(FRONT));
    }
    words.put32(behind(0) + own.AGEING, this.#stand.ageing);
    layBlocks(words, [[FRONT, (1 + own.LEVELS) * BLOCK_LINE, code]]);
  }

  override context(ctx: Context): AgentContext {
    const context = super.context(ctx);
    context.load(this.#core.PRIORITY);
    return context;
  }

  /** Returns for each agent whether it is within a step. */
  protected override kernel(ctx: Context): Kernel {
    const { words, index } = ctx;
    const steps = Object.entries(super.kernel(ctx)) as [string, (...args: number[]) => number][];
    return Object.fromEntries(
      steps.map(([name, step]) => [
        name,
        (...args: number[]) => {
          words.put32(insideAt(index), 1);
          const result = step(...args);
          words.put32(insideAt(index), 0);
          return result;
        },
      ]),
    ) as unknown as Kernel;
  }

  /** All agents have loaded the kind, so no recovery is left to others. */
  protected override get stillBeside(): readonly number[] {
    return [HEADER_PENDING, ...(this.#closes ? [] : [...LEVELS, FRONT].map((line) => line + BLOCK_TAG))];
  }

  #ended(words: Words, permits: number | null): string | undefined {
    if (remains(words, this.#extent).tombstones > 0) return 'a cancelled ticket is left';
    const free = this.core.referenceKernel(words).balance(FRONT);
    if (permits !== null && free !== permits) return `${free} permits are free at the end, expected ${permits}`;
    return this.checkElements(words, 0);
  }

  /** Checks that no agent has anything in hand, and no cancelled ticket is in a wrong place. */
  #quiet(words: Words): string | undefined {
    for (let agent = 0; agent < this.setup.agents; agent++) {
      for (const word of IN_HAND)
        if (words.load32(agentAt(agent) + word) !== 0) return `agent ${agent} still has something in hand at ${word}`;
    }
    const isOpen = words.load32(FRONT + BLOCK_TAG) === tagOf(0);
    if (isOpen && isForgotten(words)) return 'a permit is undealt, and no agent deals it';
    return isOpen ? remains(words, this.#extent).forgotten : undefined;
  }

  get #extent(): Extent {
    return { agents: this.setup.agents, elements: this.setup.elements };
  }
}
