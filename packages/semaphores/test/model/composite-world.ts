// A world with one lightweight, multilane or priority semaphore in it: its first line where the first semaphore is,
// those behind in the next.

import type { Context, Words } from '@sluice/model';
import * as layout from '../../../core/src/kernel/layout.ts';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { agentAt, entryAt, insideAt, layBlocks, MOST_ELEMENTS, tagOf } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import type { Plan } from '../../../address-wait/test/model/condition-world.ts';
import { visits } from '../../src/kernel/lane-order.ts';
import * as own from '../../src/kernel/layout.ts';
import type * as Entry from './entry.ts';
import { behind, faultOf, FRONT, isForgotten, remains, type Extent } from './composite-accounts.ts';
import { MemberWorld } from './member-world.ts';

const {
  AGENT_CHAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_IN_FLIGHT,
  AGENT_POSTS,
  AGENT_POST_SEM,
  AGENT_SWEEP,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
  ENTRY_TAG,
} = layout;
const { FLAG_OWN_CHAIN, FLAGS, GRANT, KIND_AREA, LIMIT, TICKET } = layout;
const {
  DEALT_BITS,
  FLAG_ARRAY,
  FLAG_BOX,
  FLAG_DEALER,
  FLAG_DEALT,
  FLAG_INNER,
  FLAG_LEVEL,
  FLAG_LEVELS,
  FLAG_SHUFFLED,
  FLAG_TOKENS,
  THRESHOLD,
} = own;

/** Words of an agent record that are 0 when the agent has nothing in hand. */
const IN_HAND = [
  ...[AGENT_CHAIN, AGENT_IN_FLIGHT, AGENT_POSTS, AGENT_POST_SEM, AGENT_SWEEP, AGENT_DUTY, AGENT_DUTY_KIND],
  ...[AGENT_CHAIN, AGENT_IN_FLIGHT, AGENT_POSTS, AGENT_POST_SEM].map((word) => KIND_AREA + word),
];

export type CompositeCore = typeof Entry;

export interface Stand {
  /** How many lanes; none: a lightweight semaphore, or a priority semaphore. */
  readonly lanes?: number;
  /** A priority semaphore, with that ageing. */
  readonly ageing?: number;
  readonly shuffled?: boolean;
  /** FLAG_* of what stands behind. */
  readonly scheme: number;
  readonly permits: number;
  readonly agents: number;
  /** The most that may ever be held. Default: `permits`. */
  readonly most?: number;
  readonly max?: number;
  readonly buckets?: number;
  /** Where the numbers of a multilane semaphore begin. */
  readonly start?: bigint;
}

export interface CompositePlan extends Plan<CompositeCore> {
  /** Free permits at the end; null: that is not the matter. Default: as many as at the start. */
  readonly ends?: number | null;
}

export class CompositeWorld extends MemberWorld {
  readonly #stand: Stand;
  readonly #lines: number;
  #closes = false;

  constructor(core: CompositeCore, stand: Stand) {
    const {
      lanes = stand.ageing === undefined ? 1 : own.LEVELS,
      permits,
      agents,
      most = permits,
      max = 0,
      buckets = 1,
      start = 0n,
    } = stand;
    const elements = Math.min(MOST_ELEMENTS, 3 * agents);
    // The ledgers of the world have no room for an entry of each level, and none is needed: the levels are in the block
    // of the first line.
    const beside = stand.ageing === undefined ? lanes : 0;
    super(core, {
      permits: [permits, ...Array<number>(beside).fill(0)],
      agents,
      most,
      max,
      buckets,
      start,
      elements,
      spares: true,
    });
    this.#stand = stand;
    this.#lines = lanes;
  }

  /** `closes`: an agent does. */
  composite({ ends = this.#stand.permits, ...plan }: CompositePlan, closes = false): Case {
    const extent = this.#extent;
    this.#closes = closes;
    return this.case({
      ...plan,
      invariant: (words) => this.checkHeld(words) ?? faultOf(words, this.#lines, extent),
      final: (words, outcomes) => this.#quiet(words) ?? this.#ended(words, ends) ?? plan.final?.(words, outcomes),
      ...(plan.stuck === undefined
        ? {}
        : { stuck: (words, outcomes) => this.#quiet(words) ?? plan.stuck?.(words, outcomes) }),
    });
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const { lanes, ageing, shuffled, scheme, start = 0n, permits, agents } = this.#stand;
    const flags = words.get32(FRONT + FLAGS) & ~FLAG_OWN_CHAIN;
    const bits = Math.log2(this.#lines);
    if (ageing !== undefined) {
      words.put32(FRONT + FLAGS, flags | FLAG_LEVELS);
      words.put32(FRONT + DEALT_BITS, bits);
    } else if (lanes === undefined) words.put32(FRONT + FLAGS, flags | FLAG_BOX);
    else {
      words.put32(FRONT + FLAGS, flags | FLAG_DEALER | (shuffled === true ? FLAG_SHUFFLED : 0));
      words.put32(FRONT + DEALT_BITS, bits);
    }
    for (let index = 0; index < this.#lines; index++) {
      const line = behind(index);
      const [before, after] = [start, start + BigInt(permits)].map((number) =>
        visits(Number(BigInt.asIntN(32, number)), index, bits, words.get32(FRONT + FLAGS) & FLAG_SHUFFLED),
      );
      words.put32(line + BLOCK_TAG, tagOf(0));
      words.put32(line + BLOCK_KIND, this.code);
      const chain = lanes === undefined && scheme === 0 ? 0 : FLAG_OWN_CHAIN;
      words.put32(
        line + FLAGS,
        scheme | chain | (lanes === undefined ? FLAG_INNER : FLAG_DEALT) | (ageing === undefined ? 0 : FLAG_LEVEL),
      );
      words.put64(line + TICKET, 0n);
      words.put64(line + GRANT, lanes === undefined ? 0n : BigInt((((after ?? 0) - (before ?? 0)) << bits) >> bits));
      words.put32(line + LIMIT, 0);
      // Where the counters of a semaphore say how many permits there are, a line behind has its way to the first one.
      words.put64(line + own.FRONT, BigInt(FRONT));
      if ((scheme & FLAG_ARRAY) !== 0) words.put32(line + THRESHOLD, 1);
      if (ageing === undefined)
        for (let agent = 0; agent < agents; agent++) words.put32(entryAt(agent, 1 + index) + ENTRY_TAG, 0);
    }
    if (ageing === undefined) return;
    words.put32(behind(0) + own.AGEING, ageing);
    layBlocks(words, [[FRONT, (1 + this.#lines) * BLOCK_LINE, this.code]]);
  }

  /** Says of each agent whether it is in the middle of a step. */
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

  protected override get stillBeside(): readonly number[] {
    const lines = Array.from({ length: this.#lines }, (_, index) => behind(index) + BLOCK_TAG);
    return [...super.stillBeside, ...(this.#closes ? [] : [...lines, FRONT + BLOCK_TAG])];
  }

  /** A number of a stray is one for which a permit is still to come. */
  #ended(words: Words, permits: number | null): string | undefined {
    const { strays, tombstones } = remains(words, this.#extent);
    if (strays > 0 && !this.#hasTokens) return 'a stray is left';
    if (tombstones > 0) return 'a ticket that was given up is left';
    const free = this.core.referenceKernel(words).balance(FRONT) + strays;
    if (permits !== null && free !== permits) return `${free} permits are free at the end, and not ${permits}`;
    return this.checkElements(words, strays);
  }

  /** No agent has anything in hand, and no cancelled ticket is in the wrong place. */
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

  /** Tokens go to the first that comes, so a stray may wait for one when all others have theirs. */
  get #hasTokens(): boolean {
    return (this.#stand.scheme & FLAG_TOKENS) !== 0;
  }
}
