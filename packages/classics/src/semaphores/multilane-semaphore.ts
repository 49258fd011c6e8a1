// The multilane semaphore: several semaphores side by side, so that fewer agents contend at each. It is Dice's
// "multilane" idiom, in the form in which posts and arrivals are numbered, and a number determines its lane. Table of
// words and invariants: kernel/multilane.ts.

import type { WaitOptions } from '@sluice/core';
import {
  asLine,
  FLAGS,
  GRANT,
  BLOCK_LINE,
  MODE_ASYNC,
  MODE_BLOCKING,
  RACED,
  LINE,
  SHUT,
  TAKEN,
  WAITING,
  type Draw,
  type LineAddress,
  type Poll,
} from '@sluice/core/format';
import { checkInteger, checkObject, MAX_PERMITS, show } from '@sluice/core/calls';
import {
  asCorrupt,
  endOfWait,
  isElement,
  leaveLine,
  PermitErrors,
  retryOrThrow,
  orCorrupt,
  type NewBlock,
} from '@sluice/core/internal';
import { allWaiting, reportLine, type LineReport } from '@sluice/core/report';
import type { Capabilities } from '@sluice/semaphores';
import type { ReleaseOrTell } from '@sluice/semaphores/kernel';
import { FrontSemaphore, writeLine } from './front-semaphore.ts';
import { visits } from './kernel/lane-order.ts';
import { DEALT_BITS, FLAG_DEALER, FLAG_DEALT, FLAG_SHUFFLED, FLAG_TOKENS } from './kernel/layout.ts';
import { CancelledPlaces } from './cancelled-places.ts';
import type { TicketWaits } from './ticket-waits.ts';
import { createMember, findMember, type FamilyHandle, type Membership } from './create-and-open.ts';
import type { FamilyOptions } from './options.ts';
import { rejoinCounted } from './rejoin-counted.ts';
import { sharedPlaceOf, type SharedPlace } from './shared-place.ts';
import { flagOf, lineAt, schemeAt, wakesOne, type SchemeName } from './inner-semaphores.ts';

export interface MultilaneOptions extends FamilyOptions {
  /** The number of lanes, a power of two. Default: 4. */
  readonly lanes?: number | undefined;
  /** The semaphore in each lane: the core's (`semaphore`), or a member of the family. Default: `semaphore`. */
  readonly inner?: SchemeName | undefined;
  /**
   * `ordered`: arrivals and posts use the lanes in turn. `random`: they use the lanes in an order that changes from
   * round to round. So no pattern of arrivals hits the same lane repeatedly. Default: `ordered`.
   */
  readonly order?: 'ordered' | 'random' | undefined;
}

const OWN_OPTIONS = ['lanes', 'inner', 'order'];
const MAX_LANES = 1024;

const CAPABILITIES: Capabilities = { fifo: false, weighted: false, givesUp: true, bounded: true, wakesOne: true };

/**
 * A semaphore with several queues (lanes). The n-th arrival gets the n-th permit, whatever its lane. So all agents are
 * served in FIFO order, except agents that arrive at the same moment. Use it on machines with so many cores that a
 * single queue is too contended. With few cores it is only slower.
 *
 * ```ts run
 * import { MultilaneSemaphore } from '@sluice/classics';
 *
 * const sem = MultilaneSemaphore.create(3, { lanes: 2, inner: 'chain' });
 * sem.acquire();
 * console.log(sem.available, sem.lanes); // 2 2
 * sem.release();
 * await sem.runAsync(async () => console.log(sem.available)); // 2
 * ```
 */
export class MultilaneSemaphore extends FrontSemaphore {
  /** The capabilities of a semaphore with the default options. */
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  readonly #lanes: readonly LineAddress[];
  readonly #lines: ReadonlyMap<LineAddress, TicketWaits>;
  readonly #shared: SharedPlace;
  /** `undefined`: a wait takes up the place that an earlier wait of its agent left, so there is no need for a bound. */
  readonly #cancelledPlaces: CancelledPlaces | undefined;

  private constructor(membership: Membership) {
    super(membership, 'MultilaneSemaphore', false, true);
    const { context, policy, ref } = this;
    const count = 1 << context.words.get32(ref.address + DEALT_BITS);
    this.#lanes = Array.from({ length: count }, (_, lane) => asLine(ref.address + (1 + lane) * BLOCK_LINE));
    this.#lines = new Map(this.#lanes.map((line) => [line, lineAt({ context, policy, line }, this.lineState)]));
    if (this.inner !== 'semaphore')
      this.#cancelledPlaces = new CancelledPlaces(
        () => this.inspect().abandoned,
        () => this.toString(),
      );
    this.#shared = sharedPlaceOf(this.lineState, {
      takeFree: () => this.take(1) === 1,
      enter: (options, taken) => this.#enterAsync(options, taken),
      settle: () => this.lineState.asyncWaits.settle(),
      release: () => this.release(),
    });
  }

  /**
   * Creates a semaphore with `permits` free permits.
   *
   * @throws {RangeError} If `permits` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(permits: number, options: MultilaneOptions = {}): MultilaneSemaphore {
    checkObject(options);
    const { lanes = 4, inner = 'semaphore', order = 'ordered' } = options;
    checkInteger('lanes', lanes, 1, MAX_LANES);
    if ((lanes & (lanes - 1)) !== 0) throw new RangeError(`lanes must be a power of two: received ${lanes}`);
    const scheme = flagOf('inner', inner);
    if (typeof order !== 'string') throw new TypeError(`order must be a string: received ${show(order)}`);
    if (!['ordered', 'random'].includes(order))
      throw new RangeError(`order must be ordered or random: received ${show(order)}`);
    const shuffled = order === 'random' ? FLAG_SHUFFLED : 0;
    const bits = Math.log2(lanes);
    const fill = ({ context, words, address: home, tag }: NewBlock): void => {
      words.put32(home + DEALT_BITS, bits);
      for (let lane = 0; lane < lanes; lane++) {
        const line = writeLine(context, home, tag, lane, scheme | FLAG_DEALT);
        words.store64(line + GRANT, BigInt(visits(permits, lane, bits, shuffled)));
      }
    };
    return new MultilaneSemaphore(
      createMember(FLAG_DEALER | shuffled, permits, options, {
        lines: 1 + lanes,
        fill,
        own: OWN_OPTIONS,
        ordered: false,
        orderedLines: true,
      }),
    );
  }

  /**
   * Opens the semaphore that a handle refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live semaphore.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: FamilyHandle, options: Pick<FamilyOptions, 'policy'> = {}): MultilaneSemaphore {
    return new MultilaneSemaphore(findMember(FLAG_DEALER, handle, options, 'MultilaneSemaphore'));
  }

  /** The capabilities of this instance, with its options. */
  override get capabilities(): Capabilities {
    return { ...CAPABILITIES, wakesOne: wakesOne(this.inner) };
  }

  /** The number of lanes. */
  get lanes(): number {
    this.checkThere();
    return this.#lanes.length;
  }

  /** The kind of semaphore in each lane. */
  get inner(): SchemeName {
    this.checkThere();
    return schemeAt({ context: this.context, line: asLine(this.ref.address + BLOCK_LINE) });
  }

  /** The order in which the lanes are used. */
  get order(): 'ordered' | 'random' {
    this.checkThere();
    return (this.context.words.get32(this.ref.address + FLAGS) & FLAG_SHUFFLED) !== 0 ? 'random' : 'ordered';
  }

  /**
   * The number of agents and async waits without permits. The async waits of another agent count as one. The call
   * visits all waiters of the arena.
   */
  override get waiting(): number {
    this.checkThere();
    const waits = [...allWaiting(this.context)].filter(({ tag }) => tag === this.ref.tag);
    return this.#lanes.reduce(
      (sum, lane) =>
        sum +
        this.#waitingAt(
          lane,
          waits.filter(({ address }) => address === lane),
        ),
      this.#shared.more,
    );
  }

  #waitingAt(lane: number, waits: readonly { readonly ticket: bigint }[]): number {
    const { words } = this.context;
    const free = words.load64(lane + GRANT);
    // A token belongs to no waiter until a waiter takes it. A number less than 0 means that the lane was closed.
    if ((words.get32(lane + FLAGS) & FLAG_TOKENS) !== 0) return Math.max(0, waits.length - Math.max(0, Number(free)));
    return waits.filter(({ ticket }) => free <= ticket).length;
  }

  /** Returns the waiters of `inspect`, lane by lane. */
  inspectLanes(): readonly LineReport[] {
    this.checkThere();
    return this.#lanes.map((lane) => reportLine(this.context, lane, this.ref.tag));
  }

  /**
   * Takes all free permits without waiting. Returns their number.
   *
   * The number of steps depends on the number of lanes, not of permits. If other agents acquire or release permits
   * meanwhile, the call may repeat them, each time for half as many permits. While it runs, a `tryAcquire` of another
   * agent may find no permit.
   *
   * @throws {ClosedError} If the semaphore is closed.
   */
  override drain(): number {
    let all = 0;
    let left = Math.max(0, this.#balance);
    let most = MAX_PERMITS;
    let tries = 0;
    do {
      const wanted = Math.min(most, left);
      // Taking a few permits one by one needs fewer steps than lane by lane. If none is free, this call only checks
      // whether the semaphore is closed.
      const alone = wanted > 0 && wanted <= this.#lanes.length;
      const taken = alone ? this.take(1) : this.#drainLanes(wanted);
      if (taken === SHUT) throw this.shut();
      if (taken === 0 && alone) return all;
      // Another agent took a permit in between. With half as many permits it is less likely that a lane has too few.
      if (taken === 0) most = wanted >> 1;
      all += taken;
      // At most as many as were free at first, without permits that are on their way to waiters.
      left = Math.min(left - taken, this.#balance);
    } while (left > 0 && retryOrThrow(++tries, this));
    return all;
  }

  get #balance(): number {
    return this.context.kernel.balance(this.ref.address);
  }

  /**
   * Takes up to `most` free permits from all lanes. Returns their number, or SHUT. 0: none is free, or another agent
   * took some of them first.
   */
  #drainLanes(most: number): number {
    const { context, lineState, kernel } = this;
    const { agent } = context;
    const begun = kernel.beginDrain(this.ref.address, this.ref.tag, agent, most);
    if (begun === WAITING) return 0;
    if (begun === SHUT) return SHUT;
    let drawn: number;
    let tries = 0;
    do drawn = kernel.drawShare(agent);
    while (drawn === RACED && retryOrThrow(++tries, this));
    let taken = drawn;
    if (drawn === TAKEN) {
      tries = 0;
      do taken = kernel.endDrain(agent, lineState.entry);
      while (taken === RACED && retryOrThrow(++tries, this));
    }
    context.finishWalk();
    return taken === WAITING ? 0 : taken;
  }

  protected override get lines(): readonly LineAddress[] {
    return this.#lanes;
  }

  protected override takeOnce(): number {
    const { context, lineState } = this;
    const { address, tag } = this.ref;
    // Another agent may draw a ticket in the same lane first. Then this call must cancel its own ticket, which needs an
    // element.
    context.refill();
    const drawn = this.kernel.tryEnterLane(address, tag, lineState.entry, context.agent);
    const element = isElement(drawn) ? context.begin(drawn, lineState.entry, MODE_BLOCKING) : drawn;
    const outcome = isElement(element)
      ? endOfWait(context, lineState, element, leaveLine(context, lineState, element))
      : element;
    if (outcome === TAKEN) return 1;
    return outcome === WAITING ? 0 : outcome;
  }

  override release(permits = 1): void {
    super.release(permits);
    // This agent's waits take what they can before its next call does.
    if (this.#shared.more > 0) this.lineState.asyncWaits.settle();
  }

  protected override releaseOnce(permits: number): ReleaseOrTell {
    const { address, tag } = this.ref;
    try {
      return this.kernel.postToLanes(address, tag, this.context.agent, this.lineState.entry, permits);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }

  protected override block(timeoutMs: number): Poll {
    if (timeoutMs !== Infinity) this.#cancelledPlaces?.check();
    const element = this.#enter(MODE_BLOCKING);
    return this.#lineOf(element).block(element, timeoutMs, this.errors);
  }

  protected override async await(options: WaitOptions): Promise<void> {
    if (options.timeout !== undefined || options.signal !== undefined) this.#cancelledPlaces?.check();
    if ((await this.#shared.wait(options, new PermitErrors(this.errors, 1))) === SHUT) throw this.shutInLine();
  }

  protected override instead(permits: number): string {
    return `a Semaphore or a member of the family with one line takes ${permits} at once`;
  }

  #lineOf(element: Draw): TicketWaits {
    const { context, policy } = this;
    const lane = asLine(isElement(element) ? context.words.get32(element + LINE) : (this.#lanes[0] ?? 0));
    return this.#lines.get(lane) ?? lineAt({ context, policy, line: lane }, this.lineState);
  }

  async #enterAsync(options: WaitOptions, taken: () => void): Promise<Poll> {
    const element = this.#enter(MODE_ASYNC);
    return this.#lineOf(element).await(() => element, options, new PermitErrors(this.errors, 1), taken);
  }

  #enter(mode: number): Draw {
    const { context } = this;
    const { address, tag } = this.ref;
    const left = rejoinCounted(context, this.lineState, address);
    if (left !== 0) return context.begin(left, this.lineState.entry, mode);
    // Before the number is drawn: from then on the wait must have everything that it needs.
    context.refill(mode);
    const drawn = orCorrupt(() => this.kernel.enterLane(address, tag, this.lineState.entry, context.agent));
    return drawn === TAKEN || drawn === SHUT ? drawn : context.begin(drawn, this.lineState.entry, mode);
  }
}
