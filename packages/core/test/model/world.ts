// A small arena laid out by hand in the explorer's memory, with the real Semaphore, AgentContext and kernel steps on
// it.

import type { Context, Scenario, Words } from '@sluice/model';
import * as layout from '../../src/kernel/layout.ts';
import { FREE, TAKEN } from '../../src/kernel/states.ts';
import type { Kernel } from '../../src/kernel/kernel.ts';
import type * as Entry from './entry.ts';
import type { Parking } from '../../src/agent/parking.ts';
import { label } from './label.ts';
import { modelContext, crashingWords, parkingOf, stepping, type Tools } from './model-context.ts';
import type { Core, Setup } from './setup.ts';
import {
  AGENT_POOL,
  agentAt,
  ELEMENT_POOL,
  elementAt,
  END,
  entryAt,
  LEDGER_POOL,
  ledgerAt,
  layBlocks,
  semaphoreAddress,
  tagOf,
} from './places.ts';
import { asElement, type EntryAddress } from '../../src/kernel/addresses.ts';

const { AGENT_ALIVE, AGENT_SPARE, AGENT_STATE, AGENT_STRIDE, BLOCK_TAG, BUCKETS, BUCKET_SHIFT, CAPACITY } = layout;
const {
  BLOCK_LINE,
  KIND_SEMAPHORE,
  ELEMENT_STRIDE,
  ENTRY_HELD,
  ENTRY_LINE,
  ENTRY_TAG,
  FLAG_OWNED,
  FLAG_RECOVERY,
  FLAGS,
  GATE,
  GRANT,
} = layout;
const { HEADER_AGENT_POOL, HEADER_BUCKET_MASK, HEADER_ELEMENT_POOL, HEADER_LEDGER_POOL, HEADER_TOP, LEDGER_STRIDE } =
  layout;
const { LIMIT, MODE_ASYNC, OWNER, POOL_COUNT, POOL_STRIDE, TICKET } = layout;

export type { Core, Setup };

/** One agent in the world. Each run of its body makes a new one. */
export interface Actor {
  readonly ctx: Context;
  readonly context: Entry.AgentContext;
  readonly semaphores: readonly Entry.Semaphore[];
  /** The first semaphore, and this agent's ledger entry for it. */
  readonly sem: Entry.Semaphore;
  readonly entry: EntryAddress;
  readonly core: Core;
  /**
   * Draws a ticket of the first semaphore by hand. Returns the element that waits, or 0 if the agent was admitted at
   * once.
   */
  readonly draw: (permits: number) => number;
}

export type Body = (actor: Actor) => unknown;

/** The id of an agent that has no record in the world. */
export const OUTSIDER = 1000;
export const SILENT = {
  wait: () => 'timed-out' as const,
  waitAsync: () => undefined,
  notify: () => 0,
  now: () => 0,
  date: () => 0,
};

/** The tools of each agent, by the explorer's context, which stays the same through all runs of a body. */
const known = new WeakMap<Context, Tools>();

export class World {
  readonly core: Core;
  readonly setup: Required<Setup>;
  readonly bytes: number = END;
  readonly #AgentContext: typeof Entry.AgentContext;
  /** Kernels for the checks at the end of a schedule. Creating a kernel takes longer than such a check. */
  readonly #kernels = new WeakMap<Words, Kernel>();

  constructor(core: Core, setup: Setup) {
    this.core = core;
    const most = Math.max(...setup.permits);
    this.setup = {
      buckets: 1,
      max: 0,
      most,
      start: 0n,
      owned: false,
      elements: setup.agents + 1,
      spares: false,
      async: false,
      ...setup,
    };
    this.#AgentContext = modelContext(core, this.setup);
  }

  /** Returns a scenario. `ends` are the free permits of each semaphore at the end. Default: as at the start. */
  scenario(name: string, bodies: readonly Body[], ends = this.setup.permits, more: Partial<Scenario> = {}): Scenario {
    return {
      name,
      bytes: this.bytes,
      setup: (words) => this.layOut(words),
      agents: bodies.map((body, index) => ({ name: `agent ${index}`, body: (ctx) => body(this.actor(ctx)) })),
      invariant: (words) => this.checkHeld(words),
      final: (words) => this.checkEnd(words, ends),
      label: (address) => label(address, this.setup),
      ...more,
    };
  }

  layOut(words: Words): void {
    const { buckets, permits, max, start, agents } = this.setup;
    words.put32(HEADER_BUCKET_MASK, buckets - 1);
    words.put32(HEADER_TOP, END);
    const pool = (head: number, block: number, stride: number, count: number): void => {
      words.put32(head, block);
      words.put32(block + POOL_STRIDE, stride);
      words.put32(block + POOL_COUNT, count);
    };
    pool(HEADER_AGENT_POOL, AGENT_POOL, AGENT_STRIDE, agents);
    pool(HEADER_ELEMENT_POOL, ELEMENT_POOL, ELEMENT_STRIDE, this.setup.elements);
    pool(HEADER_LEDGER_POOL, LEDGER_POOL, LEDGER_STRIDE, agents);
    for (let agent = 0; agent < agents; agent++) {
      words.put32(agentAt(agent), agent + 1);
      words.put32(agentAt(agent) + AGENT_STATE, AGENT_ALIVE);
      words.put32(ledgerAt(agent), agent + 1);
      if (this.setup.spares && agent < this.setup.elements) {
        words.put32(elementAt(agent) + OWNER, agent + 1);
        words.put32(agentAt(agent) + AGENT_SPARE, elementAt(agent));
      }
      for (const semaphore of permits.keys()) {
        words.put32(entryAt(agent, semaphore) + ENTRY_LINE, semaphoreAddress(semaphore));
        words.put32(entryAt(agent, semaphore) + ENTRY_TAG, tagOf(semaphore));
      }
    }
    layBlocks(
      words,
      permits.map((_, index) => [semaphoreAddress(index), BLOCK_LINE, KIND_SEMAPHORE]),
    );
    for (const [index, count] of permits.entries()) {
      const sem = semaphoreAddress(index);
      words.put32(sem + BLOCK_TAG, tagOf(index));
      words.put64(sem + TICKET, start);
      words.put64(sem + GRANT, BigInt.asIntN(64, start + BigInt(count)));
      words.put64(sem + CAPACITY, BigInt(count));
      words.put32(sem + LIMIT, max);
      words.put32(sem + FLAGS, FLAG_RECOVERY | (this.setup.owned ? FLAG_OWNED : 0));
    }
  }

  /** Checks that agents never hold more permits than exist. */
  checkHeld(words: Words): string | undefined {
    const { permits, most } = this.setup;
    const tooMany = permits.findIndex((_, semaphore) => this.held(words, semaphore) > most);
    return tooMany < 0 ? undefined : `more than ${most} permits of semaphore ${tooMany} are held`;
  }

  /** Performs all checks at the end of a schedule. */
  checkEnd(words: Words, ends: readonly number[]): string | undefined {
    const kernel = this.#kernels.get(words) ?? this.core.referenceKernel(words);
    this.#kernels.set(words, kernel);
    for (const [index, permits] of ends.entries()) {
      const free = kernel.balance(semaphoreAddress(index));
      if (free !== permits) return `semaphore ${index} ends with ${free} free permits, expected ${permits}`;
    }
    return this.checkGates(words);
  }

  /** Checks that no element is left in a chain and every element is free again. */
  checkGates(words: Words): string | undefined {
    for (let bucket = 0; bucket < this.setup.buckets; bucket++) {
      const head = words.load32(BUCKETS + (bucket << BUCKET_SHIFT));
      if (head !== 0) return `bucket ${bucket} still holds ${label(head, this.setup)}`;
    }
    for (let index = 0; index < this.setup.elements; index++) {
      const [owner, gate] = [words.load32(elementAt(index)), words.load32(elementAt(index) + GATE)];
      if (owner !== 0 && gate !== FREE) return `element ${index} ends with gate ${gate}`;
    }
    return undefined;
  }

  /** Recovers a dead agent once more, while no other agent runs. */
  tidy(words: Words, agent: number): void {
    const context = new this.core.AgentContext({
      words,
      kernel: this.core.referenceKernel(words),
      parking: SILENT,
      heap: this.heap() as never,
      agent: agentAt(0),
      id: OUTSIDER,
    });
    this.core.recover(context, agentAt(agent), agent + 1, true);
  }

  /** Returns the number of permits of a semaphore that agents hold according to their ledgers. */
  held(words: Words, semaphore: number): number {
    let sum = 0;
    for (let agent = 0; agent < this.setup.agents; agent++) {
      sum += Number(words.get64(entryAt(agent, semaphore) + ENTRY_HELD));
    }
    return sum;
  }

  actor(ctx: Context): Actor {
    const context = this.context(ctx);
    const policy = { ...this.core.DEFAULT_POLICY, spinMicros: 0 };
    const arena = { handle: { memory: undefined, arena: 'model' } } as never;
    const semaphores = this.setup.permits.map((_, index) =>
      this.core.semaphoreAt({ arena, context, address: semaphoreAddress(index), tag: tagOf(index) }, policy),
    );
    const [sem] = semaphores;
    if (sem === undefined) throw new Error('A world has at least one semaphore.');
    const entry = entryAt(ctx.index, 0);
    const draw = (permits: number): number => {
      const drawn = context.kernel.acquire(semaphoreAddress(0), tagOf(0), entry, permits, context.agent);
      const element = drawn === TAKEN ? TAKEN : context.begin(asElement(drawn), entry, MODE_ASYNC);
      return element === TAKEN ? 0 : element;
    };
    return { ctx, context, semaphores, sem, entry, core: this.core, draw };
  }

  protected parking(ctx: Context): Parking {
    return parkingOf(ctx, this.setup.async);
  }

  /** Returns the memory as an agent sees it. */
  protected words(ctx: Context): Words {
    return ctx.words;
  }

  protected kernel(ctx: Context): Kernel {
    return this.core.referenceKernel(this.words(ctx));
  }

  #tools(ctx: Context): Tools {
    return {
      words: crashingWords(ctx, this.words(ctx)),
      kernel: stepping(this.kernel(ctx), ctx),
      parking: this.parking(ctx),
    };
  }

  /** Returns a real context whose pools have only the world's elements and entries. */
  context(ctx: Context): Entry.AgentContext {
    const tools = known.get(ctx) ?? this.#tools(ctx);
    known.set(ctx, tools);
    return new this.#AgentContext({
      words: tools.words,
      kernel: tools.kernel,
      parking: tools.parking,
      heap: this.heap(ctx) as never,
      agent: agentAt(ctx.index),
      id: ctx.index + 1,
    });
  }

  /** Returns the heap. Most worlds have none, because their blocks are laid out in advance. */
  protected heap(_ctx?: Context): Entry.Heap | undefined {
    return undefined;
  }
}
