// An agent's context in an arena: its record and its kernel, with the parts of the agent: the kinds that it has loaded,
// its spare elements, and its state at each line.

import { HAS_LEFT, MisuseError } from '../api/errors.ts';
import type { Engine, Kernel, KernelSource } from '../kernel/kernel.ts';
import { AGENT_DUTY_KIND, AGENT_PARKS, AGENT_STUB, GATE, MODE_BLOCKING } from '../kernel/layout.ts';
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
import { LINE_STEPS, LoadedKinds, type Binder } from './loaded-kinds.ts';
import { OtherEntries } from './other-entries.ts';
import { SpareElements } from './spare-elements.ts';
import { untrapped } from '../memory/traps.ts';
import type { AgentAddress, ElementAddress, EntryAddress, LineAddress, NotifyAddress } from '../kernel/addresses.ts';

export type { LineState, LineTraits, TimedChecks } from './line-states.ts';

/** The steps of a blocking wait and of a walk that loops call without a wrapper that catches traps. */
const WAITING_STEPS = ['beginWait', 'distance', 'endWait', 'goToSleep', 'link', 'walk'] as const;
/** The sleep in ms between two polls of an agent that got no element and cannot take its ticket back. */
const STUB_SLEEP_MS = 1;

/** What an agent has when it has joined an arena. */
export interface JoinedAgent {
  readonly words: Words;
  readonly kernel: Kernel;
  readonly parking: Parking;
  readonly heap: Heap;
  /** Address of the agent record. */
  readonly agent: AgentAddress;
  readonly id: number;
  /** Default: 'wasm'. */
  readonly engine?: Engine;
  /** Binds the steps of kinds. Default: the kernel has the steps of all packages from the start, as in a model. */
  readonly bind?: Binder;
}

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

  /** The elements for its next waits. */
  readonly spares: SpareElements = new SpareElements(this);
  readonly #kinds: LoadedKinds;
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

  constructor({ words, kernel, parking, heap, agent, id, engine = 'wasm', bind }: JoinedAgent) {
    this.words = words;
    this.kernel = kernel;
    this.parking = parking;
    this.heap = heap;
    this.agent = agent;
    this.id = id;
    this.engine = engine;
    this.#kinds = new LoadedKinds(this, bind);
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
    return this.#kinds.load(kind);
  }

  /**
   * Adds the steps of a package's kernel to this agent's kernel. Throws `MisuseError` if another package has a step
   * with the name of one of them.
   */
  addKernel<Steps extends object>(source: KernelSource<Steps>): Kernel & Steps {
    return this.#kinds.addKernel(source);
  }

  /** Returns the kind with that code, or `undefined` if this agent has not loaded it. */
  kindWith(code: number): LoadedKind | undefined {
    return this.#kinds.byCode.get(code);
  }

  /** Merges tombstones in the chains that only kinds walk. Returns the number of visited elements and blocks. */
  compactKinds(): number {
    return this.#kinds.compact();
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
    this.spares.refill(mode);
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
    return this.spares.take(mode);
  }

  /** Takes back an element whose wait is over: keeps it for a later wait, or returns it to the pool. */
  keep(element: ElementAddress): void {
    this.spares.keep(element);
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
    const steps = this.#kinds.byCode.get(code)?.steps;
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
    this.spares.retire();
  }

  /** Does the second half of `retire`: makes the kernel's steps throw `MisuseError`, too. */
  refuseSteps(): void {
    const refuse = (): never => this.#refuse();
    for (const steps of [
      this.kernel,
      this.semaphoreLine,
      this.waiting,
      ...[...this.#kinds.byCode.values()].map((loaded) => loaded.steps),
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
