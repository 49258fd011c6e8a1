// One arena with several agents in this thread, each of which can be made to die.

import { found } from '../../src/memory/found.ts';
import { contextOf } from '../../src/arena/arena.ts';
import type { AgentContext } from '../../src/agent/agent-context.ts';
import { Arena } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/kernel.ts';
import { HEADER_ID, LAYOUT_VERSION } from '../../src/kernel/layout.ts';
import { AtomicWords, type Words } from '../../src/kernel/words.ts';
import type { WaitingPolicy } from '../../src/api/policy.ts';
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
/** The engine of an arena's option, made once: every death has agents of its own. */
const engines = new Map<Engine, ReturnType<typeof engineNamed>>();

function engineOf(name: Engine): ReturnType<typeof engineNamed> {
  if (!engines.has(name)) {
    const engine = engineNamed(name);
    engines.set(name, engine && sharedEngine(engine));
  }
  return engines.get(name);
}

/** One memory serves all worlds of its size, one after the other: an engine takes back address space late. */
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
  /** Of no agent: for tests that only look. */
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
   * A realm has one agent in an arena. So to get another the arena has to be another by its id. `kinds`: whether it
   * loads all kinds in use.
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

  /** The handle as it leads to that agent, until another agent is asked for or joins. */
  handle<Handle extends { readonly arena: string }>(handle: Handle, { arena }: Agent): Handle {
    this.words.store64(HEADER_ID, BigInt(`0x${arena.id}`));
    return { ...handle, arena: arena.id };
  }

  /** An agent that has loaded no kind, as one that only watches others. */
  joinWithoutKinds(): Agent {
    return this.join(undefined, false);
  }

  /** Turns the event loop of every agent until nothing happens any more. */
  async settle(): Promise<void> {
    do {
      await turn();
      // The calls that had to let the event loop turn settle before this one.
      await threadBudget.done();
    } while (this.lot.turn());
  }
}
