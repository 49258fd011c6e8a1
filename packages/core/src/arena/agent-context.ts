// An agent's context in an arena: its record, its kernel, and the elements and ledgers that it keeps for later use.

import { HAS_LEFT, MisuseError } from '../errors.ts';
import type { Engine, Kernel, KernelSource } from '../kernel/kernel.ts';
import {
  AGENT_DUTY_KIND,
  AGENT_PARKS,
  AGENT_SPARE,
  AGENT_STUB,
  ELEMENT_STRIDE,
  ENTRY_HELD,
  ENTRY_SEM,
  ENTRY_SINCE,
  ENTRY_STRIDE,
  ENTRY_TAG,
  GATE,
  HEADER_ELEMENT_POOL,
  HEADER_LEDGER_POOL,
  HEADER_PENDING,
  LEDGER_STRIDE,
  MODE,
  OWNER,
  SINCE,
} from '../kernel/layout.ts';
import { CLOSED, GRANTED, IDLE, CANCELLED, QUEUED, SHUT, TAKEN, WAITING } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import type { Kind, LineSteps, LoadedKind } from '../kind.ts';
import type { Parking } from '../parking.ts';
import { AdaptiveBudget } from '../policy.ts';
import { AsyncWaits } from './async-waits.ts';
import { lookAtHand, STEPS_BETWEEN_LOOKS } from './corrupt.ts';
import { isInUse, type Heap } from './heap.ts';
import { Pool } from './pool.ts';

/**
 * What an agent knows of a semaphore beside the shared words. All of the agent's instances share one. `block`: the address of its line.
 *
 * Uncontended paths read `block`, `tag` and `entry` here. V8 knows that they are small integers; private fields of a class, which start
 * as undefined, are checked at each read.
 */
export interface LocalState {
  readonly block: number;
  /** The primitive's tag for the kernel, or NO_TAG once this agent has left the arena. Read on uncontended paths. */
  tag: number;
  /** Where the permits that this agent holds are recorded; 0 = nowhere. */
  readonly entry: number;
  /** Async waits of this agent that have not settled yet. */
  readonly asyncWaits: AsyncWaits;
  /** Whether they settle only in the order of their tickets. */
  readonly ordered: boolean;
  /** Beside `ordered: false`: whether the waits in each of several lines do. */
  readonly orderedLines?: boolean;
  readonly patrol?: Patrol | undefined;
  /** The steps of its waiters. */
  readonly line: LineSteps;
}

/** How a local state is made. */
export interface LocalTraits {
  /** Whether a ledger entry records the permits that this agent holds. */
  readonly recorded: boolean;
  /** Default: `true`. */
  readonly ordered?: boolean | undefined;
  /** Default: `false`. */
  readonly orderedLines?: boolean | undefined;
  readonly patrol?: Patrol | undefined;
  /** Default: the steps of the core's semaphore. */
  readonly line?: LineSteps | undefined;
}

/** Binds a kind's steps to the arena's memory. */
export type Binder = <Steps extends object>(source: KernelSource<Steps>) => Steps;

/** For waiters that cannot rely on being woken: they wake up from time to time and check the waiters before them. */
export interface Patrol {
  /** How often, in ms, for the head of the line. A waiter behind it multiplies this by its distance from the head. */
  readonly everyMs: number;
  look(): void;
}

/** A tag that no block ever has: a kernel step that compares it returns SHUT. */
const NO_TAG = -(2 ** 31);
/** Elements that an agent keeps for its next waits. Further elements go back to the pool. */
const KEPT_ELEMENTS = 8;
/** How long an agent sleeps between two polls when it got no element and cannot take its ticket back. */
const STUB_SLEEP_MS = 1;

export class AgentContext {
  readonly words: Words;
  readonly kernel: Kernel;
  readonly parking: Parking;
  readonly heap: Heap;
  /** Address of the agent record. */
  readonly agent: number;
  readonly id: number;
  readonly engine: Engine;
  readonly spins = new AdaptiveBudget();

  readonly #elements = new Pool(HEADER_ELEMENT_POOL, ELEMENT_STRIDE);
  readonly #ledgers = new Pool(HEADER_LEDGER_POOL, LEDGER_STRIDE);
  readonly #kept: number[] = [];
  readonly #freeEntries: number[] = [];
  readonly #binder: Binder | undefined;
  /** The ids of kernels whose steps were added. */
  readonly #added = new Set<string>();
  readonly #kinds = new Map<number, LoadedKind>();
  /** The steps of waiters at the core's semaphore. */
  readonly semaphoreLine: LineSteps;
  /** By the address of the line, at which there is one living primitive at a time. */
  readonly #localStates = new Map<number, LocalState>();
  #left = false;
  /** HEADER_PENDING when this agent last looked for recoveries that others left. */
  #pendingSeen = 0;
  /** How many local states are kept before those of freed semaphores are dropped. */
  #enough = 64;

  constructor(words: Words, kernel: Kernel, parking: Parking, heap: Heap, agent: number, id: number, engine: Engine = 'wasm', binder?: Binder) {
    this.words = words;
    this.kernel = kernel;
    this.parking = parking;
    this.heap = heap;
    this.agent = agent;
    this.id = id;
    this.engine = engine;
    this.#binder = binder;
    this.semaphoreLine = { poll: kernel.poll, park: kernel.park, cancel: kernel.leave };
  }

  /** Makes the steps of a kind available to this agent. */
  load<Steps extends object>(kind: Kind<Steps>): LoadedKind<Steps> {
    const known = this.#kinds.get(kind.code);
    if (known !== undefined) return known as unknown as LoadedKind<Steps>;
    const kernel = this.addKernel(kind.kernel);
    const loaded: LoadedKind<Steps> = { kind, kernel, steps: kind.steps(kernel, this) };
    this.#kinds.set(kind.code, loaded as unknown as LoadedKind);
    // Recoveries that this agent could not finish before may be waiting for this kind.
    this.#pendingSeen = 0;
    return loaded;
  }

  /** Adds the steps of a package's kernel to this agent's. */
  addKernel<Steps extends object>(source: KernelSource<Steps>): Kernel & Steps {
    // In a model the steps of all packages are there from the start.
    if (this.#binder !== undefined && !this.#added.has(source.id)) Object.assign(this.kernel, this.#binder(source));
    this.#added.add(source.id);
    return this.kernel as Kernel & Steps;
  }

  /** Whether a recovery was left to agents with other kinds since the last call. */
  seesPending(): boolean {
    const count = this.words.load32(HEADER_PENDING);
    if (count === this.#pendingSeen) return false;
    this.#pendingSeen = count;
    return true;
  }

  /** The kind with that code. `undefined`: this agent has not loaded it. */
  kindWith(code: number): LoadedKind | undefined {
    return this.#kinds.get(code);
  }

  /** What a log shows of the context. Without it, each primitive would print hundreds of lines of the kernel's. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `[agent ${this.id}]`;
  }

  /**
   * Returns the element to enqueue with a ticket that was just drawn, or TAKEN or SHUT if that was decided meanwhile. Throws
   * `ArenaFullError` if no element is available; then the ticket was taken back. `line`: the steps of the line's waiters.
   */
  begin(drawn: number, entry: number, mode: number, line = this.semaphoreLine): number {
    const element = drawn === this.agent + AGENT_STUB ? this.#provide(drawn, entry, line) : drawn;
    if (element === TAKEN || element === SHUT) return element;
    this.words.put32(element + MODE, mode);
    this.words.put64(element + SINCE, BigInt(this.parking.date()));
    return element;
  }

  /** Makes sure that the agent has a spare element. Throws `ArenaFullError`. */
  refill(): void {
    if (this.words.get32(this.agent + AGENT_SPARE) !== 0) return;
    this.words.put32(this.agent + AGENT_SPARE, this.#kept.pop() ?? this.claimElement());
  }

  /**
   * For a blocking wait that drew a ticket without a spare element: gets one from the pool, or takes the ticket back. All other waits call
   * `refill` before they draw.
   */
  #provide(stub: number, entry: number, line: LineSteps): number {
    for (;;) {
      try {
        this.refill();
        return this.kernel.adopt(this.agent);
      } catch (full) {
        if (this.kernel.withdraw(this.agent, stub) === CANCELLED) {
          this.finishWalk();
          throw full;
        }
      }
      // Other agents drew tickets behind this one, so it cannot be taken back now. It stays in line until it can be, or until its turn has
      // come. No agent wakes a stub, hence the short sleep.
      const seen = line.poll(stub, entry);
      if (seen !== WAITING) return seen;
      this.parking.wait(stub + GATE, QUEUED, STUB_SLEEP_MS);
    }
  }

  /** An element for a wait outside a semaphore's line. Call `keep` afterwards. Throws `ArenaFullError`. */
  takeElement(): number {
    return this.#kept.pop() ?? this.claimElement();
  }

  protected claimElement(): number {
    return this.#elements.claim(this);
  }

  /** Records for `inspect` when permits were acquired after a wait. */
  stamp(entry: number): void {
    if (entry !== 0) this.words.put64(entry + ENTRY_SINCE, BigInt(this.parking.date()));
  }

  /** Keeps an element whose wait is over. */
  keep(element: number): void {
    if (this.words.get32(this.agent + AGENT_SPARE) === 0) this.words.put32(this.agent + AGENT_SPARE, element);
    else if (this.#kept.length < KEPT_ELEMENTS) this.#kept.push(element);
    else this.words.store32(element + OWNER, 0);
  }

  /** Walks everything that this agent, or a dead one, has detached: the second half of a release. */
  finishWalk(agent = this.agent): void {
    let before = '';
    for (let steps = 1; ; steps++) {
      const next = this.kernel.walk(agent);
      if (next > 0) this.notify(next);
      else if (next === IDLE && !this.#walkKind(agent)) return;
      if (steps % STEPS_BETWEEN_LOOKS === 0) before = lookAtHand(this.words, agent, before);
    }
  }

  /** One part of what a step of a kind left. False: nothing was left, or only an agent with that kind can go on. */
  #walkKind(agent: number): boolean {
    const code = this.words.get32(agent + AGENT_DUTY_KIND);
    const steps = code === 0 ? undefined : this.#kinds.get(code)?.steps;
    if (steps?.walk === undefined) return false;
    const next = steps.walk(agent);
    if (next > 0) this.notify(next);
    return true;
  }

  /** Sleeps on an element's gate and counts the sleep for `inspect`. */
  sleep(element: number, expected: number, timeoutMs: number): 'ok' | 'not-equal' | 'timed-out' {
    const woke = this.parking.wait(element + GATE, expected, timeoutMs);
    if (woke !== 'not-equal') this.countPark();
    return woke;
  }

  /** As `sleep`, without blocking: settles when the gate is notified. `undefined`: the gate was not `expected`. */
  waitAsync(element: number, expected: number): Promise<unknown> | undefined {
    return this.parking.waitAsync(element + GATE, expected);
  }

  /** Whether an element has its verdict. */
  hasVerdict(element: number): boolean {
    const gate = this.words.load32(element + GATE);
    return gate === GRANTED || gate === CLOSED;
  }

  /** Wakes the agent that sleeps on an element's gate. */
  notify(element: number): void {
    this.parking.notify(element + GATE);
  }

  /** How often this agent has slept. */
  get parks(): number {
    return this.words.get32(this.agent + AGENT_PARKS);
  }

  countPark(): void {
    this.words.put32(this.agent + AGENT_PARKS, this.parks + 1);
  }

  /** This agent's local state at a semaphore. Throws `ArenaFullError`. */
  localState(block: number, tag: number, { recorded, ordered = true, orderedLines = false, patrol, line = this.semaphoreLine }: LocalTraits): LocalState {
    const known = this.#localStates.get(block);
    if (known?.tag === tag) return known;
    // It belongs to an earlier primitive at the same address.
    if (known !== undefined) this.#drop(known);
    if (this.#localStates.size >= this.#enough) this.#collectLocalStates();
    const entry = recorded ? this.#openEntry(block, tag) : 0;
    const localState: LocalState = { block, tag, entry, asyncWaits: new AsyncWaits(), ordered, orderedLines, patrol, line };
    this.#localStates.set(block, localState);
    return localState;
  }

  #drop({ block, entry }: LocalState): void {
    this.#localStates.delete(block);
    if (entry === 0) return;
    this.words.put32(entry + ENTRY_TAG, 0);
    this.#freeEntries.push(entry);
  }

  /** Whether this agent has left the arena: its record, elements and ledgers may be another agent's. */
  get hasLeft(): boolean {
    return this.#left;
  }

  /** Throws `MisuseError` if this agent has left the arena. */
  checkNotLeft(): void {
    if (this.#left) this.#refuse();
  }

  /** Makes every later use of this context throw `MisuseError`, except for the kernel's steps (see `refuseSteps`). */
  retire(): void {
    this.#left = true;
    // Primitives that keep kernel functions of their own, for their uncontended paths, pass this tag. SHUT then leads them to a check.
    for (const localState of this.#localStates.values()) localState.tag = NO_TAG;
  }

  /** The second half of `retire`: makes the kernel's steps throw, too. */
  refuseSteps(): void {
    const refuse = (): never => this.#refuse();
    for (const steps of [this.kernel, this.semaphoreLine, ...[...this.#kinds.values()].map((loaded) => loaded.steps)]) {
      for (const step of Object.keys(steps)) (steps as unknown as Record<string, unknown>)[step] = refuse;
    }
  }

  #refuse(): never {
    throw new MisuseError(
      `Agent ${this.id} of this thread ${HAS_LEFT}. Nothing was changed: join again with Arena.from, and open the primitive again ` +
        'with its from.',
    );
  }

  /** Makes sure that the next local states, at most seven, find entries. Throws `ArenaFullError`. */
  reserveEntry(count = 1): void {
    if (this.#freeEntries.length >= count) return;
    const ledger = this.#ledgers.claim(this);
    for (let at = ENTRY_STRIDE; at < LEDGER_STRIDE; at += ENTRY_STRIDE) this.#freeEntries.push(ledger + at);
  }

  #openEntry(block: number, tag: number): number {
    this.reserveEntry();
    const entry = this.#freeEntries.pop() ?? 0;
    this.words.put64(entry + ENTRY_HELD, 0n);
    this.words.put64(entry + ENTRY_SINCE, 0n);
    this.words.put32(entry + ENTRY_SEM, block);
    // Last: an entry with a tag is complete for an agent that reads it after this agent's death.
    this.words.put32(entry + ENTRY_TAG, tag);
    return entry;
  }

  /** Drops the local states of freed semaphores. */
  #collectLocalStates(): void {
    for (const localState of this.#localStates.values()) if (!isInUse(this.words, localState.block, localState.tag)) this.#drop(localState);
    // Twice what is left: with many living semaphores the search stays rare.
    this.#enough = Math.max(64, 2 * this.#localStates.size);
  }
}
