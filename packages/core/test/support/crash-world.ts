// One arena with several agents in this thread. A test can kill each of them.

import { found } from '../../src/memory/lay-out-arena.ts';
import { contextOf } from '../../src/arena/arena.ts';
import type { AgentContext } from '../../src/agent/agent-context.ts';
import { Arena } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/kernel.ts';
import { HEADER_ID, LAYOUT_VERSION } from '../../src/kernel/layout.ts';
import { AtomicWords, type Words } from '../../src/kernel/words.ts';
import type { WaitingPolicy } from '../../src/api/waiting-policy.ts';
import { threadBudget } from '../../src/platform/loop-budget.ts';
import { bornAs, Life, sharedEngine } from './crash.ts';
import { ParkingLot } from './parking-lot.ts';
import { turn } from './turn.ts';
import { engineNamed, loadKinds } from './engines.ts';

export interface Agent {
  readonly life: Life;
  readonly arena: Arena;
  readonly context: AgentContext;
}

export interface WorldOptions {
  readonly engine: Engine;
  readonly pages?: number;
  readonly buckets?: number;
  readonly policy?: Partial<WaitingPolicy>;
}

let lastId = 0n;
/** The engine for the option of an arena. It is created once, because every death needs new agents. */
const engines = new Map<Engine, ReturnType<typeof engineNamed>>();

function engineOf(name: Engine): ReturnType<typeof engineNamed> {
  if (!engines.has(name)) {
    const engine = engineNamed(name);
    engines.set(name, engine && sharedEngine(engine));
  }
  return engines.get(name);
}

/** One memory serves all worlds of its size in sequence, because an engine frees address space late. */
const memories = new Map<number, WebAssembly.Memory>();

function emptyMemory(pages: number): WebAssembly.Memory {
  const memory = memories.get(pages) ?? new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  memories.set(pages, memory);
  new Uint8Array(memory.buffer).fill(0);
  return memory;
}

export class World {
  readonly lot = new ParkingLot();
  readonly memory: WebAssembly.Memory;
  /** Words that belong to no agent, for tests that only read. */
  readonly words: Words;
  readonly #options: WorldOptions;

  constructor(options: WorldOptions) {
    const { pages = 1, buckets = 4 } = options;
    this.#options = options;
    this.memory = emptyMemory(pages);
    this.words = new AtomicWords(this.memory);
    found(this.words, buckets, pages, ++lastId);
  }

  /**
   * Adds an agent. A realm has one agent per arena, so the arena gets another id for each agent. `kinds` says whether
   * the agent loads all kinds in use.
   */
  join(life = new Life(this.lot), kinds = true): Agent {
    const arena = (++lastId).toString(16).padStart(16, '0');
    this.words.store64(HEADER_ID, lastId);
    const { engine, policy = { spinMicros: 0 } } = this.#options;
    const handle = { kind: 'sluice.arena', layout: LAYOUT_VERSION, memory: this.memory, arena } as const;
    const agentsArena = bornAs(life, () => Arena.from(handle, { engine: engineOf(engine), policy }));
    const context = contextOf(agentsArena);
    if (kinds) bornAs(life, () => loadKinds(context));
    return { life, arena: agentsArena, context };
  }

  /**
   * Returns the handle for that agent. It is valid until a handle for another agent is requested or another agent
   * joins.
   */
  handle<Handle extends { readonly arena: string }>(handle: Handle, { arena }: Agent): Handle {
    this.words.store64(HEADER_ID, BigInt(`0x${arena.id}`));
    return { ...handle, arena: arena.id };
  }

  /** Adds an agent that has loaded no kind, such as an agent that only watches others. */
  joinWithoutKinds(): Agent {
    return this.join(undefined, false);
  }

  /** Turns the event loop of every agent until all are idle. */
  async settle(): Promise<void> {
    do {
      await turn();
      // Calls that had to let the event loop turn settle before this call.
      await threadBudget.done();
    } while (this.lot.turn());
  }
}
