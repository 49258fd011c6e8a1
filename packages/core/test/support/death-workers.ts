// The workers of a death storm, and their state as the main thread reads it from the shared words.

import type { Arena } from '@sluice/core';
import { soakSize, startWorker, type Message, type Random } from '@sluice/harness';
import type { Worker } from 'node:worker_threads';
import {
  AGENT_LEFT,
  AGENT_RECLAIMER,
  AGENT_STATE,
  AGENT_THREAD,
  DRAWN,
  GATE,
  HEADER_AGENT_POOL,
  HEADER_ELEMENT_POOL,
  LEAVING,
  LINE,
  SINCE,
} from '../../src/kernel/layout.ts';
import { records } from '../../src/memory/records.ts';
import { GRANTED, LINKED, PARKED, QUEUED } from '../../src/kernel/states.ts';
import { AtomicWords, type Words } from '../../src/kernel/words.ts';
import { EXIT_CODE, LAST_WORDS, type Fate, type LifeData } from '../jobs/crash-life.mjs';

/** A heap that a worker starts with and that is soon full. */
const SMALL_HEAP = { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 4 };

/** The module, job and data of a worker. */
export interface Birth {
  /** The module whose exported function `job` is its life. */
  readonly module: URL;
  readonly job: string;
  readonly data: LifeData;
}

/** A worker that will die. */
export class Crashing {
  readonly slot: number;
  readonly fate: Fate;
  readonly worker: Worker;
  /** As in AGENT_THREAD. */
  readonly thread: number;
  /** Resolves with the kind of death after the watch has run. Rejects if the death was not intended. */
  readonly gone: Promise<string>;
  /** When the exit event came. */
  exitedAt = 0;
  #terminated: string | undefined;
  #said: Message | undefined;
  #error: unknown;

  /** `watch` runs between the two handlers of the exit event. */
  constructor({ module, job, data }: Birth, index: number, seed: number, watch: (worker: Worker) => void) {
    this.slot = data.slot;
    this.fate = data.fate;
    this.worker = startWorker(
      { module: module.href, job, data, index, seed },
      data.fate === 'memory' ? SMALL_HEAP : {},
    );
    this.thread = this.worker.threadId + 1;
    this.worker.on('exit', () => (this.exitedAt = performance.now()));
    this.worker.on('message', (message: Message) => (this.#said = message));
    this.worker.on('error', (error: unknown) => (this.#error = error));
    watch(this.worker);
    this.gone = new Promise((resolve, reject) => {
      this.worker.on('exit', (code) => {
        const how = this.#howItDied(code);
        if (how === undefined)
          reject(new Error(`Worker ${index} (${data.fate}) ended with code ${code}: ${this.#lastWords()}`));
        else resolve(how);
      });
    });
    this.gone.catch(() => undefined);
  }

  /** Whether the worker still has to be terminated from outside. */
  get isQuarry(): boolean {
    return this.fate === 'killed' && this.#terminated === undefined && this.exitedAt === 0;
  }

  /** Terminates the worker. `doing` is its present activity. */
  terminate(doing: string): void {
    this.#terminated ??= doing;
    void this.worker.terminate();
  }

  #howItDied(code: number): string | undefined {
    if (this.#said?.kind === 'failed') return undefined;
    if (this.#said?.kind === 'done') return 'end';
    if (code === EXIT_CODE) return 'exit';
    const { code: reason, message } = (this.#error ?? {}) as { readonly code?: string; readonly message?: string };
    if (message === LAST_WORDS) return 'throw';
    if (reason === 'ERR_WORKER_OUT_OF_MEMORY') return 'memory';
    return this.#error === undefined && this.#terminated !== undefined ? `terminated ${this.#terminated}` : undefined;
  }

  #lastWords(): string {
    if (this.#said?.kind === 'failed') return this.#said.text;
    return this.#error instanceof Error ? (this.#error.stack ?? this.#error.message) : 'it said nothing';
  }
}

/** A wait that has not ended. */
export interface Wait {
  /** The address of the semaphore or bouncer. */
  readonly at: number;
  readonly gate: number;
  /** Whether the box office no longer counts the wait. */
  readonly leaving: boolean;
  /** A key that no other wait has. */
  readonly key: string;
}

/** The agent records of an arena, as the main thread reads them. */
export class Registry {
  readonly words: Words;
  readonly #arena: Arena;

  constructor(arena: Arena) {
    this.#arena = arena;
    this.words = new AtomicWords(arena.handle.memory as WebAssembly.Memory);
  }

  /** Returns the addresses of the records of a thread's agents that are not recovered yet. */
  #ofThread(thread: number): { record: number; owner: number }[] {
    const { words } = this;
    return [...records(words, HEADER_AGENT_POOL)]
      .filter(({ record, owner }) => owner !== 0 && words.load32(record + AGENT_THREAD) === thread)
      .filter(({ record }) => words.load32(record + AGENT_STATE) !== AGENT_LEFT);
  }

  agentsOf(thread: number): number[] {
    return this.#ofThread(thread).map(({ owner }) => owner);
  }

  /**
   * Polls without a pause until an agent recovers an agent of that thread. Returns its id, or 0 if there is none until
   * `end`.
   */
  recovererOf(thread: number, end: number): number {
    const dead = this.#ofThread(thread).map(({ record }) => record);
    while (performance.now() < end) {
      for (const record of dead) {
        const recoverer = this.words.load32(record + AGENT_RECLAIMER);
        if (recoverer > 0) return recoverer;
      }
    }
    return 0;
  }

  /** Returns the waits of a thread's agents, including granted waits that the agent has not seen. */
  waitsOf(thread: number): Wait[] {
    const { words } = this;
    const agents = this.agentsOf(thread);
    return [...records(words, HEADER_ELEMENT_POOL)]
      .filter(({ owner }) => agents.includes(owner))
      .map(({ record }) => ({
        at: words.get32(record + LINE),
        gate: words.load32(record + GATE),
        leaving: words.get32(record + LEAVING) !== 0,
        key: `${record} ${words.get64(record + DRAWN)} ${words.get64(record + SINCE)}`,
      }))
      .filter(({ gate }) => [QUEUED, LINKED, PARKED, GRANTED].includes(gate));
  }

  waits(thread: number): boolean {
    const agents = this.agentsOf(thread);
    return this.#arena.inspect().agents.some(({ agent, waits }) => agents.includes(agent) && waits.length > 0);
  }

  /** Returns the number of agents that the agents of a thread have begun to recover. */
  recoveriesOf(thread: number): number {
    const { words } = this;
    const agents = this.agentsOf(thread);
    const recoverers = [...records(words, HEADER_AGENT_POOL)].map(({ record }) =>
      words.load32(record + AGENT_RECLAIMER),
    );
    return recoverers.filter((agent) => agents.includes(agent)).length;
  }

  /** Records of a pool by their owner. */
  owners(pool: Parameters<typeof records>[1]): number[] {
    return [...records(this.words, pool)].map(({ owner }) => owner).filter((owner) => owner !== 0);
  }
}

/**
 * The percentage of deaths by a full heap. Only long runs have them: such a worker sometimes seems to end the whole
 * process.
 */
const MEMORY_DEATHS = soakSize(0, 3);

/** Draws a random fate with its data; `killed` is the most frequent. */
export function drawFate(random: Random): Pick<LifeData, 'fate' | 'rounds'> {
  const dice = random.below(100);
  if (dice < MEMORY_DEATHS) return { fate: 'memory', rounds: random.below(20) };
  const rounds = random.below(60);
  if (dice < 13) return { fate: 'exit', rounds };
  if (dice < 22) return { fate: 'throw', rounds };
  if (dice < 30) return { fate: 'end', rounds };
  return { fate: 'killed', rounds: Infinity };
}
