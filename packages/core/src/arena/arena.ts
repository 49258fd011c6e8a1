// An arena: one shared memory with all primitives of its agents, and this agent's context in it.

import { checkInteger, checkOptions } from '../api/check.ts';
import { MisuseError } from '../api/errors.ts';
import { kernelModules, receiveModules, type Engine, type JsEngine } from '../kernel/kernel.ts';
import { HEADER_BUCKET_MASK, HEADER_MAX_PAGES, LAYOUT_VERSION } from '../kernel/layout.ts';
import { AtomicWords } from '../kernel/words.ts';
import { AtomicParking } from '../agent/parking.ts';
import { DEFAULT_POLICY, mergePolicy, type WaitingPolicy } from '../api/waiting-policy.ts';
import { found, heapStart, join, newArenaId } from '../memory/lay-out-arena.ts';
import { arenaId, checkArena, checkHandle, requireSharedMemory, type ArenaHandle } from '../memory/handle.ts';
import { Heap, PAGE_BYTES } from '../memory/heap.ts';
import { binderFor, checkEngine, chooseKernel } from '../agent/engine.ts';
import { announceDefault, joinDefault, leaveDefault } from './default-arena.ts';
import { announceOpened, type OpenedArena } from './announce-opened.ts';
import { findCycle, type DeadlockedAgent } from '../report/deadlock.ts';
import { leaveArena } from '../recovery/leave-arena.ts';
import { noteIdentity } from '../agent/identity.ts';
import { arm } from '../agent/liveness-probe.ts';
import { finishPending, recordOf, recover, recoverDead, tidy, type Refusal } from '../recovery/claim-dead-agent.ts';
import type { ReclaimReport } from '../recovery/reclaim-report.ts';
import { reportArena, type ArenaReport } from '../report/arena-report.ts';
import { INSPECT, consoleText } from '../api/console-text.ts';
import { refusePosting } from '../platform/unpostable.ts';
import { AgentContext } from '../agent/agent-context.ts';
import { checkWatch, Watch, WATCH_OPTIONS, type WatchedWorker, type WatchOptions } from '../recovery/watch.ts';

export interface ArenaOptions {
  /**
   * The number of 64 KiB pages to begin with. Default: 2, or more if the arena's tables need more. The tables take 64
   * bytes for each bucket and for each of `maxPages`.
   */
  readonly initialPages?: number;
  /**
   * The maximum number of pages. Beyond it, calls throw `ArenaFullError`. Default 1024 (64 MiB), at most 32767 (2 GiB).
   */
  readonly maxPages?: number;
  /** Pass `jsEngine` from `sluice/js` to run this agent's kernel in TypeScript. Default: in WebAssembly. */
  readonly engine?: JsEngine | undefined;
  /** How waiters wait, unless their semaphore specifies otherwise, and the size of the waiting array. */
  readonly policy?: Partial<WaitingPolicy>;
}

const DEFAULT_MAX_PAGES = 1024;
const ARENA_OPTIONS: readonly (keyof ArenaOptions)[] = ['initialPages', 'maxPages', 'engine', 'policy'];
const ATTACH_OPTIONS: readonly (keyof ArenaOptions)[] = ['engine', 'policy'];

/**
 * The arenas of this realm by id, because each message brings the same arena as a new memory object. An agent lives
 * until its thread ends or it leaves, even if the program no longer refers to the arena (docs/decisions/032).
 */
const arenas = new Map<string, Arena>();
let defaultArena: Arena | undefined;
let contextInside: (arena: Arena) => AgentContext;

/**
 * Shared memory that primitives live in. A program that names no arena uses `Arena.default()`. A handle brings its
 * arena along, so a program needs to post only handles.
 *
 * The kernel of an agent runs in WebAssembly: it is fast, and a killed worker leaves no step half done. If a page's
 * policy refuses to compile WebAssembly, pass `engine: jsEngine` from `sluice/js`. Agents with different engines work
 * together.
 *
 * ```ts run
 * import { Arena, Semaphore } from '@sluice/core';
 *
 * const arena = Arena.create({ maxPages: 64 });
 * const permits = Semaphore.create(4, { arena, name: 'open files' });
 * console.log(permits.available, arena.inspect().blocks.map(({ name }) => name)); // 4 [ 'open files' ]
 * ```
 */
export class Arena {
  /** The handle to post to another thread. Pass it to `Arena.from` there. */
  readonly handle: ArenaHandle;
  /** The kernel that this agent runs. */
  readonly engine: Engine;
  /** How this agent waits, unless a semaphore specifies otherwise. */
  readonly policy: WaitingPolicy;
  readonly #context: AgentContext;
  readonly #watches = new Set<Watch>();

  static {
    contextInside = (arena) => {
      arena.#context.checkNotLeft();
      return arena.#context;
    };
  }

  private constructor(memory: WebAssembly.Memory, words: AtomicWords, options: ArenaOptions) {
    refusePosting(this);
    const engine = options.engine?.name ?? 'wasm';
    const kernel = chooseKernel(options.engine, memory, words);
    const heap = new Heap(memory, words.get32(HEADER_MAX_PAGES));
    // Create this before the agent joins: it throws on a runtime that cannot park threads.
    const parking = new AtomicParking(words);
    const { agent, id } = join(words, kernel, heap);
    noteIdentity(words, agent);
    const buckets = words.get32(HEADER_BUCKET_MASK) + 1;
    this.engine = engine;
    this.policy = { ...mergePolicy(DEFAULT_POLICY, options.policy), buckets };
    this.handle = Object.freeze({
      kind: 'sluice.arena',
      layout: LAYOUT_VERSION,
      arena: arenaId(words),
      memory,
      modules: kernelModules(),
    });
    const bind = binderFor(options.engine, memory, words);
    this.#context = new AgentContext({ words, kernel, parking, heap, agent, id, engine, bind });
    this.#context.finishPending = () => finishPending(this.#context);
    arm(this.#context);
    arenas.set(this.handle.arena, this);
    announceOpened({ handle: this.handle, parking });
  }

  /**
   * Creates an arena.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {MisuseError} If memory cannot be shared, or if WebAssembly is missing or refused.
   */
  static create(options: ArenaOptions = {}): Arena {
    checkOptions(options, ARENA_OPTIONS);
    requireSharedMemory();
    const { buckets } = mergePolicy(DEFAULT_POLICY, options.policy);
    const smallest = leastPages(buckets, 1);
    const maximum = checkInteger(
      'maxPages',
      options.maxPages ?? Math.max(DEFAULT_MAX_PAGES, smallest),
      smallest,
      32_767,
    );
    const wanted = checkInteger(
      'initialPages',
      options.initialPages ?? Math.min(maximum, Math.max(2, smallest)),
      smallest,
      maximum,
    );
    const initial = Math.max(wanted, Math.min(maximum, leastPages(buckets, maximum)));
    checkEngine(options.engine);
    const memory = new WebAssembly.Memory({ initial, maximum, shared: true });
    const words = new AtomicWords(memory);
    found(words, buckets, maximum, newArenaId());
    return new Arena(memory, words, options);
  }

  /**
   * Returns the arena that primitives of this realm use unless they name another. The first call creates it, and so
   * does the first call after this agent has left it. Copies of this package in one realm share it, and each copy is an
   * agent of its own.
   */
  static default(): Arena {
    return (defaultArena ??= Arena.#joinDefault() ?? Arena.#makeDefault());
  }

  static #joinDefault(): Arena | undefined {
    const handle = joinDefault() as ArenaHandle | undefined;
    return handle === undefined ? undefined : Arena.#attach('sluice.arena', handle, {});
  }

  static #makeDefault(): Arena {
    const arena = Arena.create();
    announceDefault(arena.handle);
    return arena;
  }

  /**
   * Returns the arena of a handle. In one realm, every call returns the same object until `leave`, so only the first
   * call uses `options` (this agent's engine and policy).
   *
   * @throws {HandleError} If the handle is not that of an arena.
   * @throws {MisuseError} If WebAssembly is refused.
   */
  static from(handle: ArenaHandle, options: Pick<ArenaOptions, 'engine' | 'policy'> = {}): Arena {
    checkOptions(options, ATTACH_OPTIONS);
    return Arena.#attach('sluice.arena', handle, options);
  }

  /** Returns the arena of a handle of a primitive of that kind. @internal */
  static ofHandle(kind: string, handle: { readonly arena: string; readonly modules?: unknown }): Arena {
    return Arena.#attach(kind, handle, {});
  }

  static #attach(
    kind: string,
    handle: { readonly arena: string; readonly modules?: unknown },
    options: ArenaOptions,
  ): Arena {
    checkEngine(options.engine);
    const memory = checkHandle(kind, handle);
    const words = new AtomicWords(memory);
    checkArena(kind, handle, words, memory);
    receiveModules(handle.modules);
    return arenas.get(handle.arena) ?? new Arena(memory, words, options);
  }

  /** Returns the title, such as "Arena 00c0ffee00c0ffee". */
  toString(): string {
    return `Arena ${this.id}`;
  }

  /** The arena's id: the same in every agent. */
  get id(): string {
    return this.handle.arena;
  }

  /** This agent's id in the arena. It is never reused. */
  get agentId(): number {
    return this.#context.id;
  }

  /**
   * Recovers the worker's agent in this arena when the worker ends, for whatever reason. End the watch with `stop`, or
   * declare it with `using`. On Node and Bun the watch acts on the worker's `exit` event, so the event loop of the
   * watching thread must turn. For a Web Worker the watch probes all agents of the arena every 50 ms, and probes agents
   * with a blocked event loop less often.
   *
   * This thread need not import the packages of the primitives that the worker uses. The report lists what this thread
   * cannot recover as `pending`; threads that wait at these primitives finish it.
   *
   * ```ts run
   * import { Arena, Semaphore } from '@sluice/core';
   * import { isMainThread, Worker, workerData } from 'node:worker_threads';
   *
   * if (isMainThread) {
   *   const permits = Semaphore.create(1, { name: 'the only one' });
   *   const worker = new Worker(new URL(import.meta.url), { workerData: permits.handle });
   *   Arena.default().watch(worker, { onReclaim: ({ permits }) => console.log(permits.length) }); // 1
   *   worker.once('exit', () => console.log(permits.available)); // 1
   * } else {
   *   Semaphore.from(workerData).acquire(); // and ends with it
   * }
   * ```
   *
   * @throws {TypeError} If `worker` is not a worker, or an option has the wrong type or is unknown.
   * @throws {MisuseError} If the worker has ended.
   */
  watch(worker: WatchedWorker, options: WatchOptions = {}): Watch {
    checkOptions(options, WATCH_OPTIONS);
    checkWatch(worker, options);
    return new Watch(contextOf(this), worker, options, this.#watches);
  }

  /**
   * Recovers a dead agent: releases what it held, cancels its waits, and finishes its half-done operations.
   *
   * Any agent may call this, and several may call it at once while other agents go on working; the first caller does
   * the recovery. If the report lists primitives as `pending`, this thread has not loaded their packages. Threads that
   * have loaded them finish the recovery, and the agent stays in `inspect` until then.
   *
   * @throws {MisuseError} If the agent is the caller itself, is alive or not known to be dead, or is being recovered by
   *   another agent. Also for an id that no agent has, because it was never assigned or its agent was already
   *   recovered. Then nothing was changed.
   */
  reclaim(agentId: number): ReclaimReport {
    checkInteger('agentId', agentId, 1, 2 ** 31 - 1);
    if (agentId === this.agentId) throw new MisuseError(`Agent ${agentId} is this agent itself. Nothing was changed.`);
    const context = contextOf(this);
    const record = recordOf(context, agentId);
    if (record === 0)
      throw new MisuseError(`There is no agent ${agentId}: it never joined, left, or was recovered before.`);
    const outcome = recover(context, record, agentId, false);
    tidy(context);
    if (typeof outcome !== 'string') return outcome;
    throw new MisuseError(`Agent ${agentId} ${REFUSALS[outcome]} Nothing was changed.`);
  }

  /**
   * Recovers every agent that is found dead, and returns their reports. Use it for agents without a watch. It also
   * finishes recoveries that another agent reported as `pending`, if this agent has loaded the packages.
   */
  reclaimDead(): ReclaimReport[] {
    return recoverDead(contextOf(this));
  }

  /**
   * Returns a cycle of agents, each blocked on an owned lock that the next one owns, or `undefined`. Waits with a
   * timeout count, async waits do not.
   */
  findDeadlock(): DeadlockedAgent[] | undefined {
    return findCycle(contextOf(this));
  }

  /**
   * Returns a snapshot of the arena: its blocks, its elements, and for each agent what it holds, what it waits for, and
   * since when. The call visits all of them.
   */
  inspect(): ArenaReport {
    return reportArena(contextOf(this), this.id, this.engine);
  }

  /**
   * Takes this thread's agent out of the arena before the thread ends. Afterwards the arena's memory can be collected
   * here and another agent can use its record. Without this call an agent stays until its thread ends, even if the
   * program drops every reference to the arena.
   *
   * Its watches stop. Afterwards this object and every primitive that was opened through it throw `MisuseError`;
   * `handle`, `id` and `agentId` stay readable. Subscriptions to broadcasts end, and publishers no longer wait for
   * them. A later `Arena.from`, or a primitive's `from`, joins the arena with a new agent id. The other agents are not
   * affected.
   *
   * Permits that this agent acquired and does not mean to release count as held, unless their semaphore has
   * `recovery: false`.
   *
   * ```ts run
   * import { Arena, Semaphore } from '@sluice/core';
   *
   * const arena = Arena.create();
   * const { handle } = Semaphore.create(1, { arena });
   * arena.leave();
   * console.log(Semaphore.from(handle).arena.agentId); // 2
   * ```
   *
   * @throws {MisuseError} While this agent holds or waits for something in the arena, or if it has already left. Then
   *   nothing was changed.
   */
  leave(): void {
    leaveArena(contextOf(this));
    for (const watch of this.#watches) watch.stop();
    arenas.delete(this.id);
    if (defaultArena !== this) return;
    defaultArena = undefined;
    leaveDefault(this.handle);
  }

  [INSPECT](): string {
    return consoleText('Arena', () => ({
      id: this.id,
      agent: this.agentId,
      engine: this.engine,
      pages: this.#context.heap.bytes / PAGE_BYTES,
    }));
  }
}

/** The calling agent's context in an arena. */
export function contextOf(arena: Arena): AgentContext {
  return contextInside(arena);
}

/** The arenas that this thread has opened through this copy of the package and has not left. */
export function openedArenas(): OpenedArena[] {
  return [...arenas.values()].map((arena) => ({ handle: arena.handle, parking: contextOf(arena).parking }));
}

const REFUSALS: Record<Refusal, string> = {
  alive: 'is alive.',
  unknown: 'is not known to be dead: it does not answer, and was asked too often or never could.',
  busy: 'is being recovered by another agent.',
};

/** The number of pages for the tables of an arena that may grow to `maxPages`, and for the first primitives. */
function leastPages(buckets: number, maxPages: number): number {
  return Math.ceil((heapStart(buckets, maxPages) + PAGE_BYTES / 2) / PAGE_BYTES);
}
