// A world of words that agents change and wait for, run by the real code, and the state that its buckets must have at
// the end.

import { DIED, type Context, type Options, type Words } from '@sluice/model';
import * as layout from '../../src/kernel/layout.ts';
import { FREE } from '../../src/kernel/states.ts';
import type { AgentContext } from '../../src/agent/agent-context.ts';
import type { BlockRef } from '../../src/arena/block-ref.ts';
import { recoverOnce } from './death-bodies.ts';
import { modelContext, crashingWords, stepping, type Tools } from './model-context.ts';
import { agentAt, elementAt, END, ledgerAt, MAP, semaphoreAddress, tagOf } from './places.ts';
import type { Case } from './case.ts';
import { World, type Core, type Setup } from './world.ts';

const {
  AGENT_CHAIN,
  AGENT_IN_FLIGHT,
  AGENT_LEFT,
  AGENT_TO_WAKE,
  AGENT_RECLAIMER,
  AGENT_STATE,
  BLOCK_TAG,
  BUCKETS,
  BUCKET_SHIFT,
} = layout;
const {
  BLOCK_KIND,
  CHAIN,
  GATE,
  HEADER_AGENT_POOL,
  HEADER_ELEMENT_POOL,
  HEADER_HEAP,
  HEADER_LEDGER_POOL,
  HEADER_TOP,
  HEADER_WATCHED,
} = layout;
const { OWNER, SLEEPERS } = layout;

/**
 * A sleep of at least this long counts as endless: such a timeout only guards against a defect, and no model needs it.
 */
const NAP_MS = 1000;
/** Longer than any timeout of a wait: the clock of a waiter that timed out advances by this much. */
const LATE_MS = 100;

/** An agent, created anew for each run of its body. */
export interface Someone<Entry extends Core = Core> {
  readonly core: Entry;
  readonly ctx: Context;
  readonly context: AgentContext;
  readonly ref: BlockRef;
}

export interface Plan<Entry extends Core> {
  readonly name: string;
  readonly bodies: readonly ((someone: Someone<Entry>) => unknown)[];
  readonly options: Options;
  /** A check of the final state, in addition to the checks of every case. */
  readonly final?: (words: Words, outcomes: readonly unknown[]) => string | undefined;
  readonly invariant?: (words: Words) => string | undefined;
  readonly mayCrash?: readonly number[];
  readonly deaths?: number;
  readonly stuck?: (words: Words, outcomes: readonly unknown[]) => string | undefined;
}

export class ConditionWorld<Entry extends Core = Core> extends World {
  readonly #entry: Entry;
  readonly #flags: number;
  readonly #AgentContext: ReturnType<typeof modelContext>;
  #still: ReadonlySet<number> = new Set();

  /** `flags`: flags of the first semaphore, in addition to its own. */
  constructor(core: Entry, setup: Setup, flags = 0) {
    super(core, setup);
    this.#entry = core;
    this.#flags = flags;
    this.#AgentContext = modelContext(core, this.setup);
  }

  case({ name, bodies, options, final, invariant, mayCrash, deaths, stuck }: Plan<Entry>): Case {
    const surviving = [...bodies.keys()].filter((agent) => mayCrash?.includes(agent) !== true);
    this.#still = new Set([
      ...[
        HEADER_WATCHED,
        HEADER_TOP,
        HEADER_AGENT_POOL,
        HEADER_ELEMENT_POOL,
        HEADER_LEDGER_POOL,
        HEADER_HEAP,
        MAP,
        MAP + 4,
      ],
      ...this.setup.permits.map((_, index) => semaphoreAddress(index) + BLOCK_KIND),
      ...surviving.flatMap((agent) => [
        agentAt(agent) + OWNER,
        agentAt(agent) + AGENT_RECLAIMER,
        ledgerAt(agent) + OWNER,
      ]),
      ...this.stillBeside,
    ]);
    const scenario = this.scenario(name, [], [], {
      agents: [
        ...bodies.map((body, index) => ({ name: `agent ${index}`, body: (ctx: Context) => body(this.someone(ctx)) })),
        { name: 'observer', body: lookAround },
      ],
      invariant: (words) => {
        lookAround({ words });
        return invariant?.(words);
      },
      final: (words, outcomes) => this.checkRest(words) ?? this.checkDead(words, outcomes) ?? final?.(words, outcomes),
      ...(stuck === undefined ? {} : { stuck }),
      ...(mayCrash === undefined ? {} : { mayCrash, deaths: deaths ?? 1 }),
    });
    return { scenario, options };
  }

  override layOut(words: Words): void {
    super.layOut(words);
    words.put32(HEADER_WATCHED, 1);
    // The semaphores are the only blocks, and all words lie below the end.
    words.put32(HEADER_HEAP, semaphoreAddress(0));
    words.put32(HEADER_TOP, END);
    for (const [index] of this.setup.permits.entries()) {
      const flags = semaphoreAddress(index) + layout.FLAGS;
      words.put32(flags, words.get32(flags) | this.#flags);
    }
  }

  someone(ctx: Context): Someone<Entry> {
    const context = this.context(ctx);
    const policy = { ...this.core.DEFAULT_POLICY, spinMicros: 0 };
    const arena = { handle: { memory: undefined, arena: 'model' }, policy } as never;
    return { core: this.#entry, ctx, context, ref: { arena, context, address: semaphoreAddress(0), tag: tagOf(0) } };
  }

  /** The number of further words that never change. */
  protected get stillBeside(): readonly number[] {
    return [];
  }

  override context(ctx: Context): AgentContext {
    const { words, kernel } = this.#tools(ctx);
    return new this.#AgentContext({
      words,
      kernel,
      parking: parkingOf(ctx),
      heap: undefined as never,
      agent: agentAt(ctx.index),
      id: ctx.index + 1,
    });
  }

  #tools(ctx: Context): Pick<Tools, 'words' | 'kernel'> {
    const made = tools.get(ctx) ?? {
      words: crashingWords(ctx, this.words(ctx)),
      kernel: stepping(this.kernel(ctx), ctx),
    };
    tools.set(ctx, made);
    return made;
  }

  /** Some words never change in this case: a load of one is no scheduling point. */
  protected override words(ctx: Context): Words {
    const known = views.get(ctx);
    if (known !== undefined) return known;
    const { words } = ctx;
    const bound = Object.fromEntries(
      WORDS.map((name) => [name, (words[name] as (...args: unknown[]) => unknown).bind(words)]),
    );
    const still = this.#still;
    const view = {
      ...bound,
      load32: (at: number) => (still.has(at) ? words.get32(at) : words.load32(at)),
    } as unknown as Words;
    views.set(ctx, view);
    return view;
  }

  /** Checks that no element is in a chain, that no sleeper is counted, and that no agent still has a waiter to wake. */
  checkRest(words: Words): string | undefined {
    for (let bucket = 0; bucket < this.setup.buckets; bucket++) {
      const at = BUCKETS + (bucket << BUCKET_SHIFT);
      for (const word of [0, CHAIN, SLEEPERS])
        if (words.load32(at + word) !== 0) return `bucket ${bucket} ends with ${words.load32(at + word)} at ${word}`;
    }
    for (let agent = 0; agent < this.setup.agents; agent++) {
      for (const word of [AGENT_CHAIN, AGENT_IN_FLIGHT, AGENT_TO_WAKE]) {
        if (words.load32(agentAt(agent) + word) !== 0)
          return `agent ${agent} still has a record of unfinished work at ${word}`;
      }
    }
    return undefined;
  }

  /** Checks that every element is free, except one per living agent that has waited at a location. */
  checkElements(words: Words, lingering = 0): string | undefined {
    let left = 0;
    for (let index = 0; index < this.setup.elements; index++) {
      if (words.load32(elementAt(index)) !== 0 && words.load32(elementAt(index) + GATE) !== FREE) left += 1;
    }
    return left > lingering ? `${left} elements are not free` : undefined;
  }

  checkDead(words: Words, outcomes: readonly unknown[]): string | undefined {
    for (const [agent, outcome] of outcomes.entries()) {
      if (outcome !== DIED) continue;
      if (words.load32(agentAt(agent) + AGENT_STATE) === AGENT_LEFT) this.tidy(words, agent);
      if (words.load32(agentAt(agent) + OWNER) !== 0) return `agent ${agent} died and still has its record`;
    }
    return undefined;
  }
}

/** Recovers the dead agents, one after another. */
export function recover<Entry extends Core>(
  { core, ctx, context }: Someone<Entry>,
  ...victims: readonly number[]
): void {
  for (const victim of victims) if (ctx.waitForDeath(victim)) recoverOnce({ core, ctx, context } as never, victim);
}

/** Time advances only for the agent that times out. */
function parkingOf(ctx: Context): Tools['parking'] {
  let now = 0;
  return {
    wait: (address, expected, timeoutMs) => {
      const outcome = ctx.parking.wait(address, expected, timeoutMs < NAP_MS);
      if (outcome === 'timed-out') now += LATE_MS;
      return outcome;
    },
    waitAsync: () => undefined,
    notify: (address, count) => {
      // The agent may die before it wakes them.
      ctx.step('notify');
      return ctx.parking.notify(address, count);
    },
    now: () => now,
    date: () => 0,
  };
}

const tools = new WeakMap<Context, Pick<Tools, 'words' | 'kernel'>>();
const views = new WeakMap<Context, Words>();
const looked = new WeakSet<Words>();

/**
 * All words count as shared from the start, so the search does not start over each time it finds another shared word.
 */
function lookAround({ words }: { readonly words: Words }): void {
  if (looked.has(words)) return;
  looked.add(words);
  for (let at = 0; at < END; at += 4) words.get32(at);
}

const WORDS = [
  ...(['load32', 'store32', 'add32', 'cas32', 'exchange32', 'load64', 'store64', 'add64', 'cas64'] as const),
  ...(['get32', 'put32', 'get64', 'put64'] as const),
];

export const blockTag = (): number => semaphoreAddress(0) + BLOCK_TAG;
