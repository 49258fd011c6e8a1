// The capacitor admits agents in platoons of B. The next platoon enters when all agents of the last one have departed.
// After Dice, "Capacitors" (Listing 2), over core's semaphore. Words and invariants: kernel/capacitor.ts.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import {
  FOREIGN,
  IDLE,
  NEEDS_WALK,
  SHUT,
  TAKEN,
  type EntryAddress,
  type AgentAddress,
  type Draw,
  type LineAddress,
} from '@sluice/core/format';
import { checkTimeout, checkWait, NO_WAIT_OPTIONS, refuseToBlock } from '@sluice/core/calls';
import {
  asCorrupt,
  finishPending,
  handleTo,
  WaitLine,
  mayBlock,
  openWithPolicy,
  type Kernel,
  type BlockRef,
  type PrimitiveHandle,
  type LineState,
} from '@sluice/core/internal';
import { CAPACITOR, type GateSteps } from './kinds.ts';
import { createCapacitor, type CapacitorOptions } from './options.ts';
import { GateBlock } from './gate-block.ts';
import { reportCapacitor, type CapacitorReport } from './report.ts';

export type CapacitorHandle = PrimitiveHandle<'sluice.capacitor'>;

const SHAPE = { className: 'Capacitor', what: 'The capacitor', inside: 'entered' };
let construct: (ref: BlockRef, policy: WaitingPolicy) => Capacitor;

/**
 * A gate that admits agents in groups (platoons), and so bounds how often a waiter can be overtaken between `arrive`
 * and `depart`. The first B agents to arrive enter at once. Then the capacitor is closed. It opens for the next B
 * agents when the whole platoon has departed.
 *
 * Waiters enter in FIFO order, blocking and async together. At most B - 1 agents that arrive after a waiter enter
 * before or with it. A cancelled wait takes nothing. An agent that dies inside departs when it is reclaimed, so a dead
 * agent does not keep a platoon closed. An agent that arrives and never departs does.
 *
 * ```ts run
 * import { Capacitor } from '@sluice/capacitor';
 *
 * const door = Capacitor.create({ bypassLimit: 2 });
 * door.arrive();
 * door.arrive();
 * console.log(door.tryArrive()); // false
 * door.depart();
 * console.log(door.tryArrive()); // false
 * door.depart();
 * console.log(door.tryArrive()); // true
 * ```
 */
export class Capacitor extends GateBlock {
  /** The handle to post to another thread. Pass it to `Capacitor.from` there. */
  readonly handle: CapacitorHandle;
  readonly #waitLine: WaitLine;
  // Fields of the uncontended paths. Numbers come from the line state where it has them, because the engine knows its
  // fields to be integers.
  readonly #capacitor: LineAddress;
  readonly #lineState: LineState;
  readonly #entry: EntryAddress;
  readonly #agent: AgentAddress;
  readonly #arrive: Kernel['acquire'];
  readonly #arriveOnce: Kernel['tryAcquire'];
  readonly #depart: GateSteps['departCapacitor'];
  readonly #isEmpty: GateSteps['isCapacitorEmpty'];

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    super(ref, SHAPE);
    const { context, address, tag } = ref;
    const { agent } = context;
    const { kernel, steps: line } = context.load(CAPACITOR);
    const visit = (mayWait: number) =>
      mayWait === 0
        ? kernel.tryAcquire(address, tag, this.#entry, 1)
        : kernel.acquire(address, tag, this.#entry, 1, agent);
    this.#waitLine = new WaitLine(ref, policy, { recorded: true, line }, visit, this.errors());
    this.#capacitor = address;
    this.#entry = this.#waitLine.entry;
    this.#lineState = this.#waitLine.lineState;
    this.#agent = agent;
    this.#arrive = mayBlock() ? kernel.acquire : refuseToBlock;
    this.#arriveOnce = kernel.tryAcquire;
    this.#depart = kernel.departCapacitor;
    this.#isEmpty = kernel.isCapacitorEmpty;
    this.handle = handleTo('sluice.capacitor', ref, CAPACITOR.kernel.id);
  }

  /**
   * Creates a capacitor that is open for the first B agents.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: CapacitorOptions = {}): Capacitor {
    return construct(...createCapacitor(options));
  }

  /**
   * Returns the capacitor of a handle.
   *
   * @throws {HandleError} If the handle does not refer to a live capacitor.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: CapacitorHandle, options: Pick<CapacitorOptions, 'policy'> = {}): Capacitor {
    return construct(...openWithPolicy(CAPACITOR, handle, options));
  }

  /** Whether the capacitor is empty at this moment: no agent is inside and none waits. */
  get empty(): boolean {
    return this.#isEmpty(this.#capacitor) === 1;
  }

  /** How many times this agent is inside: arrivals without a departure. */
  get inside(): number {
    this.checkThere();
    return Number(this.context.words.get64(this.#entry));
  }

  /**
   * Enters, blocking until that is possible. An agent may enter several times and must depart as many times.
   *
   * @throws {MisuseError} On a browser's main thread; use `arriveAsync`.
   * @throws {DeadlockError} If this agent has an earlier async wait here, which could not settle while the agent is
   *   blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  arrive(): void {
    const { block, tag, entry } = this.#lineState;
    let drawn: Draw;
    try {
      drawn = this.#arrive(block, tag, entry, 1, this.#agent);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (drawn !== TAKEN && this.#waitLine.stay(drawn) === SHUT) this.checkThere();
  }

  /**
   * Enters if that is possible within `timeoutMs` ms (with 0, the call does not wait); returns whether this agent is
   * inside. Never overtakes a waiter.
   *
   * @throws The errors of `arrive`.
   */
  tryArrive(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const { block, tag, entry } = this.#lineState;
    return this.#arriveOnce(block, tag, entry, 1) === TAKEN || this.#wait(timeoutMs);
  }

  /**
   * Enters without blocking; the promise resolves when this agent is inside. Rejects with `TimeoutError`,
   * `signal.reason` or `ArenaFullError`; then it is not inside.
   */
  async arriveAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    const checked = checkWait(options);
    if ((await this.#waitLine.enterAsync(checked)) === SHUT) this.checkThere();
  }

  /**
   * Leaves. The last departure of a platoon admits the next one.
   *
   * @throws {MisuseError} If this agent is not inside.
   */
  depart(): void {
    const { block, tag, entry } = this.#lineState;
    let departed: ReturnType<GateSteps['departCapacitor']>;
    try {
      departed = this.#depart(block, tag, this.#agent, entry);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (departed !== IDLE) this.#departLast(departed);
  }

  /** Leaves if this agent is inside; returns whether it was. */
  departIfInside(): boolean {
    const { block, tag, entry } = this.#lineState;
    let departed: ReturnType<GateSteps['departCapacitor']>;
    try {
      departed = this.#depart(block, tag, this.#agent, entry);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (departed === FOREIGN || departed === SHUT) {
      this.checkThere();
      return false;
    }
    this.#waitLine.wake(departed);
    return true;
  }

  /** Returns a snapshot: the agents inside, the waiters, and since when each has waited. */
  inspect(): CapacitorReport {
    this.checkThere();
    return reportCapacitor(this.ref, this.#waitLine.inspect());
  }

  /**
   * Frees the capacitor's memory. Another primitive may reuse it, so no agent may be inside a call on this capacitor.
   * Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} While an agent is inside or waits, or if the capacitor was already freed.
   */
  free(): void {
    this.checkThere();
    finishPending(this.context);
    if (!this.empty) throw this.errors().inUse();
    this.freeBlock();
  }

  #wait(timeoutMs: number): boolean {
    const outcome = this.#waitLine.enter(timeoutMs);
    if (outcome === SHUT) this.checkThere();
    return outcome === TAKEN;
  }

  #departLast(departed: ReturnType<GateSteps['departCapacitor']>): void {
    if (departed !== NEEDS_WALK) {
      this.checkThere();
      throw this.notInside();
    }
    this.#waitLine.wake(departed);
  }
}

/** Opens a capacitor over words that exist already, for models. */
export function capacitorAt(ref: BlockRef, policy: WaitingPolicy): Capacitor {
  return construct(ref, policy);
}
