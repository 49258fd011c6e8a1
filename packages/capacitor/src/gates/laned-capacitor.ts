// A capacitor with lanes in order: arrivals use the lanes in turn, and so do the permits. After Dice's "multilane"
// idiom. Words and invariants: kernel/lanes.ts.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import {
  type RACED,
  asLine,
  BLOCK_LINE,
  ADMITTED_DETACHED,
  CANCELLED_LEFT_BEHIND,
  GRANT,
  IDLE,
  MODE_BLOCKING,
  NEEDS_WALK,
  SHUT,
  TAKEN,
  TICKET,
  WAITING,
  type Poll,
  type LineAddress,
} from '@sluice/core/format';
import { checkTimeout, checkWait, NO_WAIT_OPTIONS } from '@sluice/core/calls';
import {
  WaitLine,
  corrupt,
  finishPending,
  handleTo,
  isElement,
  leaveLine,
  openWithPolicy,
  orCorrupt,
  rejoin,
  type BlockRef,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { LANE_BITS, TALLY } from '../kernel/layout.ts';
import { LANED_CAPACITOR, type GateKernel } from './kinds.ts';
import { createLanedCapacitor, MAX_LANE_BITS, type LanedCapacitorOptions } from './options.ts';
import { GateBlock } from './gate-block.ts';
import { reportLanes, type LanedCapacitorReport } from './report.ts';

export type LanedCapacitorHandle = PrimitiveHandle<'sluice.laned-capacitor'>;

const SHAPE = {
  className: 'LanedCapacitor',
  what: 'The capacitor',
  inside: 'entered',
  ordered: false,
  lines: (ref: BlockRef) => lanesOf(ref).map((address) => ({ address, tag: ref.tag })),
};
let construct: (ref: BlockRef, policy: WaitingPolicy) => LanedCapacitor;

/**
 * A `Capacitor` with several queues (lanes), for machines with so many cores that a single queue is too contended.
 *
 * At most B - 1 agents that take their place in a lane after a waiter enter before it. Agents that had drawn a lane but
 * no ticket when the waiter came may enter before it, too.
 *
 * ```ts run
 * import { LanedCapacitor } from '@sluice/capacitor';
 *
 * const door = LanedCapacitor.create({ bypassLimit: 4, lanes: 2 });
 * for (let n = 0; n < 4; n++) door.arrive();
 * console.log(door.tryArrive(), door.inspect().lanes.length); // false 2
 * for (let n = 0; n < 4; n++) door.depart();
 * console.log(door.empty); // true
 * ```
 */
export class LanedCapacitor extends GateBlock {
  /** The handle to post to another thread. Pass it to `LanedCapacitor.from` there. */
  readonly handle: LanedCapacitorHandle;
  readonly #kernel: GateKernel;
  readonly #waitLine: WaitLine;

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    super(ref, SHAPE);
    const { context, address, tag } = ref;
    const { agent } = context;
    const { kernel, steps: line } = context.load(LANED_CAPACITOR);
    this.#kernel = kernel;
    const visit = (mayWait: number) =>
      mayWait === 0 ? this.#tryOnce() : kernel.arriveInLane(address, tag, this.#waitLine.entry, agent);
    this.#waitLine = new WaitLine(ref, policy, { recorded: true, unordered: true, rejoin, line }, visit, this.errors());
    this.handle = handleTo('sluice.laned-capacitor', ref, LANED_CAPACITOR.kernel.id);
  }

  /**
   * Creates a capacitor that is open for the first B agents.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: LanedCapacitorOptions): LanedCapacitor {
    return construct(...createLanedCapacitor(options));
  }

  /**
   * Returns the capacitor of a handle.
   *
   * @throws {HandleError} If the handle does not refer to a live capacitor.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: LanedCapacitorHandle, options: Pick<LanedCapacitorOptions, 'policy'> = {}): LanedCapacitor {
    return construct(...openWithPolicy(LANED_CAPACITOR, handle, options));
  }

  /** The number of lanes. */
  get lanes(): number {
    this.checkThere();
    return 1 << this.ref.context.words.get32(this.ref.address + LANE_BITS);
  }

  /** Whether no agent is inside and none waits. The answer comes from one look at each lane. */
  get empty(): boolean {
    const { words } = this.ref.context;
    const lanes = lanesOf(this.ref);
    // Use the order of the kernel's isCapacitorEmpty; the low halves of the counters are enough.
    const sum = (counter: number): number => lanes.reduce((all, lane) => (all + words.load32(lane + counter)) | 0, 0);
    const grants = sum(GRANT);
    const tally = words.load32(this.ref.address + TALLY);
    return ((grants - sum(TICKET)) | 0) === tally && sum(GRANT) === grants;
  }

  /** Enters as `Capacitor.arrive` does. */
  arrive(): void {
    this.#enter(Infinity);
  }

  /** Enters as `Capacitor.tryArrive` does. With 0, it enters only if the next lane in turn has room. */
  tryArrive(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#enter(timeoutMs);
  }

  /** Enters as `Capacitor.arriveAsync` does. */
  async arriveAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    const checked = checkWait(options);
    if ((await this.#waitLine.enterAsync(checked)) === SHUT) this.checkThere();
  }

  /** Leaves as `Capacitor.depart` does. */
  depart(): void {
    const { context, address, tag } = this.ref;
    // `departCapacitor` catches no traps itself (kinds.ts).
    const departed = orCorrupt(
      () => this.#kernel.departCapacitor(address, tag, context.agent, this.#waitLine.entry),
      this,
    );
    if (departed === NEEDS_WALK) context.finishWalk();
    if (departed === IDLE || departed === NEEDS_WALK) return;
    this.checkThere();
    throw this.notInside();
  }

  /** Returns a snapshot: the agents inside, the waiters of each lane, and since when each has waited. */
  inspect(): LanedCapacitorReport {
    this.checkThere();
    return reportLanes(this.ref, lanesOf(this.ref));
  }

  /** Frees the memory as `Capacitor.free` does. */
  free(): void {
    this.checkThere();
    finishPending(this.context);
    if (!this.empty) throw this.errors().inUse();
    this.freeBlock(1 + this.lanes);
  }

  /** Tries once, without waiting. */
  #tryOnce(): Poll | typeof RACED {
    const { context, address, tag } = this.ref;
    // Refill first: another agent may draw a ticket in the same lane first. Then this call has a ticket to cancel,
    // which takes an element.
    context.refill();
    const { entry } = this.#waitLine;
    const drawn = this.#kernel.tryArriveInLane(address, tag, entry, context.agent);
    if (!isElement(drawn)) return drawn;
    const element = context.begin(drawn, entry, MODE_BLOCKING);
    if (!isElement(element)) return element;
    const left = leaveLine(context, this.#waitLine.lineState, element);
    if (left !== CANCELLED_LEFT_BEHIND && left !== ADMITTED_DETACHED) context.keep(element);
    return left === TAKEN || left === ADMITTED_DETACHED ? TAKEN : WAITING;
  }

  #enter(timeoutMs: number): boolean {
    const outcome = this.#waitLine.enter(timeoutMs);
    if (outcome === SHUT) this.checkThere();
    return outcome === TAKEN;
  }
}

function lanesOf({ context: { words }, address }: BlockRef): LineAddress[] {
  const bits = words.get32(address + LANE_BITS);
  if (bits < 0 || bits > MAX_LANE_BITS) throw corrupt(`a laned capacitor has 2^${bits} lanes`);
  return Array.from({ length: 1 << bits }, (_, lane) => asLine(address + (1 + lane) * BLOCK_LINE));
}

/** Opens a capacitor over words that exist already, for models. */
export function lanedCapacitorAt(ref: BlockRef, policy: WaitingPolicy): LanedCapacitor {
  return construct(ref, policy);
}
