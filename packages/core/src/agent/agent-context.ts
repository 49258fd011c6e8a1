// An agent's context in an arena: its record, its kernel, and the elements and ledgers that it keeps for later use.

import { HAS_LEFT, MisuseError } from '../api/errors.ts';
import type { Engine, Kernel, KernelSource } from '../kernel/kernel.ts';
import {
  AGENT_DUTY_KIND,
  AGENT_PARKS,
  AGENT_SPARE,
  AGENT_STUB,
  GATE,
  MODE_ASYNC,
  MODE_BLOCKING,
} from '../kernel/layout.ts';
import {
  AGAIN,
  CANCELLED,
  CLOSED,
  GRANTED,
  IDLE,
  NEEDS_WALK,
  QUEUED,
  SHUT,
  TAKEN,
  type Draw,
  type GateState,
  type HandOver,
  type Release,
} from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import type { Kind, LineSteps, LoadedKind } from './kind.ts';
import { threadBudget, type LoopBudget } from '../platform/loop-budget.ts';
import type { Parking } from './parking.ts';
import { SpinBudget } from './spin-budget.ts';
import { MIN_LEFT_BEHIND } from './compaction.ts';
import { asCorrupt, checkWalk, STEPS_BETWEEN_LOOKS, type WalkCheck } from '../memory/corrupt.ts';
import type { Heap } from '../memory/heap.ts';
import { isElement } from './is-element.ts';
import { LineStates, type LineState, type LineTraits } from './line-states.ts';
import { ElementPool } from './element-pool.ts';
import { OtherEntries } from './other-entries.ts';
import { untrapped } from '../memory/traps.ts';
import {
  asElement,
  type AgentAddress,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type NotifyAddress,
} from '../kernel/addresses.ts';

export type { LineState, LineTraits, TimedChecks } from './line-states.ts';

/** Binds a kind's steps to the arena's memory. */
export type Binder = <Steps extends object>(source: KernelSource<Steps>) => Steps;

/** The steps that wait loops call without a wrapper that catches traps. */
const LINE_STEPS = ['poll', 'park', 'cancel'] as const;
const WAITING_STEPS = ['beginWait', 'distance', 'endWait', 'goToSleep', 'link', 'walk'] as const;
/** The number of elements that an agent keeps for its next waits. It returns further elements to the pool. */
const KEPT_ELEMENTS = 8;
/** The sleep in ms between two polls of an agent that got no element and cannot take its ticket back. */
const STUB_SLEEP_MS = 1;

export class AgentContext {
  readonly words: Words;
  readonly kernel: Kernel;
  readonly parking: Parking;
  readonly heap: Heap;
  /** Address of the agent record. */
  readonly agent: AgentAddress;
  readonly id: number;
  readonly engine: Engine;
  readonly spins = new SpinBudget();
  /** The budget that the async calls of this thread spend before they settle. */
  readonly budget: LoopBudget = threadBudget;
  /** The number of times that this agent has slept. */
  parks = 0;
  /**
   * The tombstones that this agent has left behind since it last merged them, and the number at which it merges them.
   */
  leftBehind = 0;
  gatherAt = MIN_LEFT_BEHIND;

  readonly #elements = new ElementPool(this);
  readonly #kept: ElementAddress[] = [];
  readonly #binder: Binder | undefined;
  /** The ids of kernels whose steps were added. */
  readonly #added = new Set<string>();
  readonly #kinds = new Map<number, LoadedKind>();
  /** The steps of waiters at the core's semaphore. */
  readonly semaphoreLine: LineSteps;
  /** The steps of a blocking wait in any line, and of a walk. The loops that call them catch traps themselves. */
  readonly waiting: Pick<Kernel, (typeof WAITING_STEPS)[number]>;
  readonly #lineStates: LineStates;
  #others: OtherEntries | undefined;
  #left = false;
  /**
   * The value of HEADER_PENDING when this agent last looked for recoveries that other agents left (`finishPending`).
   */
  pendingSeen = 0;
  /**
   * Finishes the recoveries that other agents left to an agent with a kind that this agent has. The agent gets this
   * function when it joins its arena. In a model no recovery waits.
   */
  finishPending: () => void = nothing;

  /** The wait on a word whose last nap has ended (line/word-wait.ts). */
  nap:
    | { readonly address: number; readonly expected: number; readonly since: number; readonly end: number }
    | undefined = undefined;

  /**
   * Looks for a deadlock that the current blocking wait of this agent closes, and describes it. `undefined` unless the
   * program has switched the search on.
   */
  closedDeadlock: (() => string | undefined) | undefined = undefined;

  constructor(
    words: Words,
    kernel: Kernel,
    parking: Parking,
    heap: Heap,
    agent: AgentAddress,
    id: number,
    engine: Engine = 'wasm',
    binder?: Binder,
  ) {
    this.words = words;
    this.kernel = kernel;
    this.parking = parking;
    this.heap = heap;
    this.agent = agent;
    this.id = id;
    this.engine = engine;
    this.#binder = binder;
    this.#lineStates = new LineStates(this);
    this.semaphoreLine = untrapped<LineSteps>(
      { poll: kernel.poll, park: kernel.park, cancel: kernel.cancelWait },
      LINE_STEPS,
    );
    const { beginWait, distance, endWait, goToSleep, link, walk } = kernel;
    this.waiting = untrapped({ beginWait, distance, endWait, goToSleep, link, walk }, WAITING_STEPS);
  }

  /** Calls `wait` without the search for deadlocks, for a wait that must end with its lock. */
  withoutSearch(wait: () => void): void {
    const search = this.closedDeadlock;
    this.closedDeadlock = undefined;
    try {
      wait();
    } finally {
      this.closedDeadlock = search;
    }
  }

  /** Makes the steps of a kind available to this agent. The first call for a kind also calls `finishPending`. */
  load<Steps extends object>(kind: Kind<Steps>): LoadedKind<Steps> {
    const known = this.#kinds.get(kind.code);
    if (known !== undefined) return known as unknown as LoadedKind<Steps>;
    const kernel = this.addKernel(kind.kernel);
    const loaded: LoadedKind<Steps> = { kind, kernel, steps: untrapped(kind.steps(kernel, this), LINE_STEPS) };
    this.#kinds.set(kind.code, loaded as unknown as LoadedKind);
    // A recovery that this agent could not finish before may be waiting for this kind.
    this.pendingSeen = 0;
    this.finishPending();
    return loaded;
  }

  /**
   * Adds the steps of a package's kernel to this agent's kernel. Throws `MisuseError` if another package has a step
   * with the name of one of them.
   */
  addKernel<Steps extends object>(source: KernelSource<Steps>): Kernel & Steps {
    // In a model the kernel has the steps of all packages from the start.
    if (this.#binder === undefined || this.#added.has(source.id)) return this.kernel as Kernel & Steps;
    const steps = this.#binder(source);
    for (const name of Object.keys(steps)) {
      if (name in this.kernel)
        throw new MisuseError(
          `${source.entry} cannot be loaded: another package has a step named ${name}. Nothing was changed.`,
        );
    }
    this.#added.add(source.id);
    return Object.assign(this.kernel, steps);
  }

  /** Returns the kind with that code, or `undefined` if this agent has not loaded it. */
  kindWith(code: number): LoadedKind | undefined {
    return this.#kinds.get(code);
  }

  /** Merges tombstones in the chains that only kinds walk. Returns the number of visited elements and blocks. */
  compactKinds(): number {
    let visits = 0;
    for (const { steps } of this.#kinds.values()) visits += steps.compact?.() ?? 0;
    return visits;
  }

  /**
   * Returns the text that a log shows. Without it, a log of a primitive would have hundreds of lines about the kernel.
   */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `[agent ${this.id}]`;
  }

  /**
   * Returns the element to enqueue with a ticket that was just drawn. Returns TAKEN or SHUT if that was decided
   * meanwhile. Throws `ArenaFullError` if no element is available; then the ticket was taken back. `line` has the steps
   * of the line's waiters.
   */
  begin(drawn: ElementAddress, entry: EntryAddress, mode: number, line = this.semaphoreLine): Draw {
    const element = drawn === this.agent + AGENT_STUB ? this.#provide(drawn, entry, line) : drawn;
    if (element === TAKEN || element === SHUT) return element;
    this.waiting.beginWait(element, mode, this.parking.date());
    return element;
  }

  /** Makes sure that the agent has a spare element for a wait of that mode. Throws `ArenaFullError`. */
  refill(mode: number = MODE_BLOCKING): void {
    const spare = asElement(this.words.get32(this.agent + AGENT_SPARE));
    if (spare !== 0) {
      if (mode !== MODE_ASYNC || !this.#elements.borrowed.has(spare)) return;
      this.words.put32(this.agent + AGENT_SPARE, 0);
      this.#elements.giveBack(spare);
    }
    this.words.put32(this.agent + AGENT_SPARE, this.#kept.pop() ?? this.claimElement(mode));
  }

  /**
   * Gets an element from the pool for a blocking wait that drew a ticket without a spare element, or takes the ticket
   * back. All other waits call `refill` before they draw.
   */
  #provide(stub: ElementAddress, entry: EntryAddress, line: LineSteps): Draw {
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
      // Other agents drew tickets behind this ticket, so it cannot be taken back now. It stays in line until it can be
      // taken back, or until its turn has come. The sleep is short because no agent wakes a stub.
      const seen = line.poll(stub, entry);
      if (seen === TAKEN || seen === SHUT) return seen;
      this.parking.wait(stub + GATE, QUEUED, STUB_SLEEP_MS);
    }
  }

  /** Takes an element for a wait outside a semaphore's line. Call `keep` after the wait. Throws `ArenaFullError`. */
  takeElement(mode: number): ElementAddress {
    return this.#kept.pop() ?? this.claimElement(mode);
  }

  protected claimElement(mode: number): ElementAddress {
    return this.#elements.claimFor(mode);
  }

  /** Takes back an element whose wait is over: keeps it for a later wait, or returns it to the pool. */
  keep(element: ElementAddress): void {
    // Check the size first, because that is cheap: with many threads the engine interprets this function.
    if (this.#elements.borrowed.size > 0 && this.#elements.borrowed.has(element)) this.#elements.giveBack(element);
    else if (this.words.get32(this.agent + AGENT_SPARE) === 0) this.words.put32(this.agent + AGENT_SPARE, element);
    else if (this.#kept.length < KEPT_ELEMENTS) this.#kept.push(element);
    else this.#elements.giveBack(element);
  }

  /** Walks all chains that this agent, or a dead agent, has detached. The walk is the second half of a release. */
  finishWalk(agent = this.agent): void {
    const { waiting, words, parking } = this;
    let before: WalkCheck | undefined;
    try {
      for (let steps = 1; ; steps++) {
        const next = waiting.walk(agent);
        if (next === IDLE) {
          if (words.get32(agent + AGENT_DUTY_KIND) === 0 || !this.#walkKind(agent)) return;
        } else if (next !== AGAIN) parking.notify(next + GATE);
        if (steps % STEPS_BETWEEN_LOOKS === 0) before = checkWalk(words, agent, before);
      }
    } catch (failure) {
      throw asCorrupt(failure);
    }
  }

  /**
   * Does one part of the work that a step of a kind left. Returns `false` if no work was left, or if this agent has not
   * loaded the kind.
   */
  #walkKind(agent: AgentAddress): boolean {
    const code = this.words.get32(agent + AGENT_DUTY_KIND);
    const steps = this.#kinds.get(code)?.steps;
    if (steps?.walk === undefined) return false;
    const next = steps.walk(agent);
    if (next !== IDLE && next !== AGAIN) this.notify(next);
    return true;
  }

  /**
   * Sleeps on an element's gate without blocking. Returns a promise that settles when the gate is notified, or
   * `undefined` if the gate is not `expected`.
   */
  waitAsync(element: ElementAddress, expected: GateState): Promise<unknown> | undefined {
    return this.parking.waitAsync(element + GATE, expected);
  }

  /** Returns whether an element has its verdict. */
  hasVerdict(element: ElementAddress): boolean {
    const gate = this.words.load32(element + GATE);
    return gate === GRANTED || gate === CLOSED;
  }

  /** Wakes the agent that sleeps on an element's gate, or the agents that sleep on a word. */
  notify(element: NotifyAddress): void {
    this.parking.notify(element + GATE);
  }

  /**
   * Finishes a step that may have admitted waiters. `admitted` is the step's result: the one waiter to wake, or
   * NEEDS_WALK if the line has to be walked. Any other result changes nothing.
   */
  wakeAdmitted(admitted: HandOver | Release | ElementAddress): void {
    if (isElement(admitted)) this.notify(admitted);
    else if (admitted === NEEDS_WALK) this.finishWalk();
  }

  /** Counts a sleep of this agent, for `inspect`. */
  countPark(): void {
    this.parks += 1;
    this.words.put32(this.agent + AGENT_PARKS, this.parks);
  }

  /** Returns this agent's line state at a primitive. Throws `ArenaFullError`. */
  lineState(block: LineAddress, tag: number, traits: LineTraits): LineState {
    return this.#lineStates.at(block, tag, traits);
  }

  /** Returns the ledger entries of all agents for a primitive. */
  entriesOf(line: LineAddress, tag: number): readonly EntryAddress[] {
    const own = this.#lineStates.entryOf(line, tag);
    this.#others ??= new OtherEntries(this.words, this.id);
    const others = this.#others.of(line, tag);
    return own === 0 ? others : [own, ...others];
  }

  /** Whether this agent has left the arena. Its record, elements and ledgers may then belong to another agent. */
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
    this.#lineStates.retire();
    // These elements go back to the pool. A late call must not put one of them into the record, which may belong to
    // another agent by then.
    this.#kept.length = 0;
    this.#elements.borrowed.clear();
  }

  /** Does the second half of `retire`: makes the kernel's steps throw `MisuseError`, too. */
  refuseSteps(): void {
    const refuse = (): never => this.#refuse();
    for (const steps of [
      this.kernel,
      this.semaphoreLine,
      this.waiting,
      ...[...this.#kinds.values()].map((loaded) => loaded.steps),
    ]) {
      for (const step of Object.keys(steps)) (steps as unknown as Record<string, unknown>)[step] = refuse;
    }
  }

  #refuse(): never {
    throw new MisuseError(
      `Agent ${this.id} of this thread ${HAS_LEFT}. Nothing was changed: join again with Arena.from, and open the primitive again ` +
        'with its from.',
    );
  }

  /** Makes sure that the next `count` line states, at most seven, find ledger entries. Throws `ArenaFullError`. */
  reserveEntry(count = 1): void {
    this.#lineStates.reserveEntry(count);
  }
}

function nothing(): void {
  // No recovery was left to this agent.
}
