// A world with one lightweight or multilane semaphore. Its first line is at the place of the first semaphore, and its
// inner lines are at the next places.

import type { Context, Words } from '@sluice/model';
import * as layout from '../../../../core/src/kernel/layout.ts';
import type { Kernel } from '../../../../core/src/kernel/kernel.ts';
import { agentAt, entryAt, insideAt, MAX_ELEMENTS, tagOf } from '../../../../core/test/model/places.ts';
import type { Case } from '../../../../core/test/model/case.ts';
import type { Plan } from '../../../../core/test/model/condition-world.ts';
import { visits } from '../../../src/semaphores/kernel/lane-order.ts';
import * as own from '../../../src/semaphores/kernel/layout.ts';
import { FRONT as FRONT_AT } from '../../../../semaphores/src/kernel/layout.ts';
import { behind, FRONT, type Extent } from '../../../../semaphores/test/model/front-accounts.ts';
import type * as Entry from './entry.ts';
import { faultOf, remains } from './composite-accounts.ts';
import { MemberWorld } from './member-world.ts';

const {
  AGENT_CHAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_IN_FLIGHT,
  AGENT_POSTS,
  AGENT_POST_LINE,
  AGENT_SWEEP,
  BLOCK_KIND,
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
  FLAG_SHUFFLED,
  FLAG_TOKENS,
  NEAR_TICKETS,
} = own;

/** Words of an agent record that are 0 when the agent has no unfinished work. */
const IN_HAND = [
  ...[AGENT_CHAIN, AGENT_IN_FLIGHT, AGENT_POSTS, AGENT_POST_LINE, AGENT_SWEEP, AGENT_DUTY, AGENT_DUTY_KIND],
  ...[AGENT_CHAIN, AGENT_IN_FLIGHT, AGENT_POSTS, AGENT_POST_LINE].map((word) => KIND_AREA + word),
];

export type CompositeCore = typeof Entry;

export interface Stand {
  /** The number of lanes. Absent: a lightweight semaphore. */
  readonly lanes?: number;
  readonly shuffled?: boolean;
  /** The FLAG_* values of the inner line. */
  readonly scheme: number;
  readonly permits: number;
  readonly agents: number;
  /** The most permits that may ever be held. Default: `permits`. */
  readonly most?: number;
  readonly max?: number;
  readonly buckets?: number;
  /** The number at which the numbers of a multilane semaphore start. */
  readonly start?: bigint;
}

export interface CompositePlan extends Plan<CompositeCore> {
  /** The number of free permits at the end. null: not checked. Default: as at the start. */
  readonly ends?: number | null;
}

export class CompositeWorld extends MemberWorld {
  readonly #stand: Stand;
  readonly #lines: number;
  #closes = false;

  constructor(core: CompositeCore, stand: Stand) {
    const { lanes = 1, permits, agents, most = permits, max = 0, buckets = 1, start = 0n } = stand;
    const elements = Math.min(MAX_ELEMENTS, 3 * agents);
    super(core, {
      permits: [permits, ...Array<number>(lanes).fill(0)],
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

  /** `closes`: an agent closes the semaphore. */
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
    const { lanes, shuffled, scheme, start = 0n, permits, agents } = this.#stand;
    const flags = words.get32(FRONT + FLAGS) & ~FLAG_OWN_CHAIN;
    const bits = Math.log2(this.#lines);
    if (lanes === undefined) words.put32(FRONT + FLAGS, flags | FLAG_BOX);
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
      words.put32(line + FLAGS, scheme | chain | (lanes === undefined ? FLAG_INNER : FLAG_DEALT));
      words.put64(line + TICKET, 0n);
      words.put64(line + GRANT, lanes === undefined ? 0n : BigInt((((after ?? 0) - (before ?? 0)) << bits) >> bits));
      words.put32(line + LIMIT, 0);
      // At the place where a semaphore's counters hold its permits, an inner line has the address of the first line.
      words.put64(line + FRONT_AT, BigInt(FRONT));
      if ((scheme & FLAG_ARRAY) !== 0) words.put32(line + NEAR_TICKETS, 1);
      for (let agent = 0; agent < agents; agent++) words.put32(entryAt(agent, 1 + index) + ENTRY_TAG, 0);
    }
  }

  /** Returns for each agent whether it is in the middle of a step. */
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

  /** The number of a stray counts if its permit is still to come. */
  #ended(words: Words, permits: number | null): string | undefined {
    const { strays, tombstones } = remains(words, this.#extent);
    if (strays > 0 && !this.#hasTokens) return 'a stray is left';
    if (tombstones > 0) return 'a cancelled ticket is left';
    const free = this.core.referenceKernel(words).balance(FRONT) + strays;
    if (permits !== null && free !== permits) return `${free} permits are free at the end, expected ${permits}`;
    return this.checkElements(words, strays);
  }

  /** Checks that no agent has unfinished work, and that no cancelled ticket is in a wrong place. */
  #quiet(words: Words): string | undefined {
    for (let agent = 0; agent < this.setup.agents; agent++) {
      for (const word of IN_HAND)
        if (words.load32(agentAt(agent) + word) !== 0) return `agent ${agent} still has unfinished work at ${word}`;
    }
    const isOpen = words.load32(FRONT + BLOCK_TAG) === tagOf(0);
    return isOpen ? remains(words, this.#extent).forgotten : undefined;
  }

  get #extent(): Extent {
    return { agents: this.setup.agents, elements: this.setup.elements };
  }

  /** Tokens go to the first agent that arrives, so a stray may wait for one when all others have theirs. */
  get #hasTokens(): boolean {
    return (this.#stand.scheme & FLAG_TOKENS) !== 0;
  }
}
