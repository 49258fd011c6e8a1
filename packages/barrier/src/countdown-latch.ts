// The countdown latch, as one agent sees it. The words, states and invariants are in kernel/latch.ts.

import { MisuseError, type Arena, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import {
  Account,
  allHoldings,
  asCorrupt,
  BLOCK_LINE,
  Bouncer,
  checkInteger,
  checkNotFreed,
  checkOptions,
  checkPlace,
  checkTimeout,
  checkWait,
  chosenArena,
  contextOf,
  createPrimitive,
  freePrimitive,
  FROM_OPTIONS,
  FULL,
  handleTo,
  holdersOf,
  IDLE,
  INSPECT,
  mayBlock,
  mayRetry,
  mergePolicy,
  oneLine,
  openPrimitive,
  PLACED_OPTIONS,
  RACED,
  readName,
  refusePosting,
  refuseToBlock,
  SHUT,
  TAKEN,
  type LocalState,
  type Place,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { MOST_COUNT, PROGRESS } from './kernel/layout.ts';
import { LATCH, type LatchKernel } from './kinds.ts';
import { countAt, reportLatch, type CountdownLatchReport } from './report.ts';

export type CountdownLatchHandle = PrimitiveHandle<'sluice.countdown-latch'>;

export interface CountdownLatchOptions {
  /** The arena that contains it. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits for it. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

const NO_OPTIONS: WaitOptions = {};
let construct: (place: Place, policy: WaitingPolicy) => CountdownLatch;

/**
 * A countdown latch (also known as "wait group"): agents count down, and others wait until the count is 0.
 *
 * - When the count reaches 0, all waiters are admitted at once. While it is 0, a wait returns at once.
 * - The latch is reusable: `add` at count 0 begins a new round. Waiters of the round before are not affected.
 * - Writes before a `done` are visible after a wait that its round admits.
 * - If an agent dies that has called `claim`, its recovery counts down for it.
 *
 * ```ts run
 * import { Region } from '@sluice/core';
 * import { CountdownLatch } from '@sluice/barrier';
 *
 * const parts = CountdownLatch.create(2, { name: 'parts' });
 * const sums = Region.create(8).int32;
 * for (const part of [0, 1]) {
 *   sums[part] = part + 1;
 *   parts.done();
 * }
 * parts.wait();
 * console.log(sums[0] + sums[1], parts.count); // 3 0
 * ```
 */
export class CountdownLatch {
  /** Post this to another thread and give it to `CountdownLatch.from` there. */
  readonly handle: CountdownLatchHandle;
  readonly #place: Place;
  readonly #bouncer: Bouncer;
  readonly #account: Account;
  readonly #kernel: LatchKernel;
  // What the uncontended path needs, each in its own field: one lookup fewer per call.
  readonly #latch: number;
  readonly #agent: number;
  readonly #localState: LocalState;
  readonly #countDown: LatchKernel['countDown'];
  readonly #mayBlock = mayBlock();

  static {
    construct = (place, policy) => new this(place, policy);
  }

  private constructor(place: Place, policy: WaitingPolicy) {
    refusePosting(this);
    checkPlace(place, 'CountdownLatch');
    const { context, address, tag } = place;
    const { kernel, steps: line } = context.load(LATCH);
    this.#place = place;
    this.#kernel = kernel;
    this.#latch = address;
    this.#agent = context.agent;
    this.#countDown = kernel.countDown;
    this.#account = new Account(
      {
        className: 'CountdownLatch',
        late: 'did not reach 0',
        untouched: 'It was not changed.',
        ordered: false,
        state: (at) => `count ${countAt(at)}`,
        blame: (at) => [{ how: 'claimed', agents: holdersOf(at.context, at) }],
      },
      place,
    );
    const visit = (mayWait: number): number => kernel.enqueueAtLatch(address, tag, context.agent, mayWait);
    this.#bouncer = new Bouncer(place, policy, { recorded: true, together: true, line }, visit, this.#account);
    this.#localState = this.#bouncer.localState;
    this.handle = handleTo('sluice.countdown-latch', place, LATCH.kernel.id);
  }

  /**
   * Creates a latch.
   *
   * @param count - The initial count, 0 to 2^31 − 1. Default: 0.
   * @throws {RangeError} If the count or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(count = 0, options: CountdownLatchOptions = {}): CountdownLatch {
    checkInteger('The count', count, 0, MOST_COUNT);
    checkOptions(options, PLACED_OPTIONS);
    const arena = chosenArena(options.arena);
    const policy = mergePolicy(arena.policy, options.policy);
    const context = contextOf(arena);
    // Before the block is allocated: an agent may lack the kernel, and filling the block must not stop half-way.
    context.load(LATCH);
    context.reserveEntry();
    const place = createPrimitive(arena, LATCH.code, BLOCK_LINE, options.name, (words, latch, tag) => {
      words.put32(latch + PROGRESS, 0 - count);
      context.localState(latch, tag, { recorded: true, line: context.load(LATCH).steps });
    });
    return construct(place, policy);
  }

  /**
   * Opens the latch that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live latch.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: CountdownLatchHandle, options: Pick<CountdownLatchOptions, 'policy'> = {}): CountdownLatch {
    checkOptions(options, FROM_OPTIONS);
    const place = openPrimitive(handle, LATCH);
    return construct(place, mergePolicy(place.arena.policy, options.policy));
  }

  /** The title that messages use, such as "CountdownLatch 'parts'". */
  toString(): string {
    return this.#account.toString();
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    this.#checkThere();
    return readName(this.#place.context.words, this.#latch);
  }

  /** The arena that contains the latch. */
  get arena(): Arena {
    return this.#place.arena;
  }

  /** The outstanding count. At 0 a wait returns at once. */
  get count(): number {
    this.#checkThere();
    return countAt(this.#place);
  }

  /** The number of waiters. Reads the records of all waiters of the arena; for reports and tests. */
  get waiting(): number {
    return this.inspect().waiters.length;
  }

  /**
   * Increases the count by `n`. At count 0 this begins a new round.
   *
   * Any agent may call it at any time. To be sure that a waiter waits for the work, call it before the waiter calls `wait`.
   *
   * @param n - 1 to 2^31 − 1.
   * @throws {RangeError} If the count would pass 2^31 − 1. Then it was not changed.
   */
  add(n = 1): void {
    checkInteger('The number to add', n, 1, MOST_COUNT);
    let added: number;
    let tries = 0;
    do added = this.#kernel.addToLatch(this.#latch, this.#localState.tag, n);
    while (added === RACED && mayRetry(++tries));
    if (added === FULL) throw new RangeError(`${this.toString()} cannot count up by ${n}: its count is ${this.count}, the maximum ${MOST_COUNT}. It was not changed.`);
    if (added === SHUT) this.#checkThere();
  }

  /**
   * Makes this agent responsible for `n` of the count: if it dies before it has called `done` for them, its recovery counts them down.
   *
   * The count stays as it is. Calls of `done` by this agent count against its claims first. Without a claim, no agent counts down for a
   * dead one, and waiters wait until their timeout.
   *
   * @param n - 1 to 2^31 − 1.
   * @throws {MisuseError} If this agent would have claimed more than the count. Then it claimed nothing.
   */
  claim(n = 1): void {
    checkInteger('The number to claim', n, 1, MOST_COUNT);
    const claimed = this.#kernel.claimAtLatch(this.#latch, this.#localState.tag, this.#localState.entry, n);
    if (claimed === FULL) throw this.#tooMany('claimed', n);
    if (claimed === SHUT) this.#checkThere();
  }

  /**
   * Decreases the count by `n`. At 0 all waiters are admitted.
   *
   * Any agent may call it, also for an `add` of another agent. It never blocks.
   *
   * @param n - 1 to 2^31 − 1.
   * @throws {MisuseError} If the count is less than `n`. Then it was not changed.
   */
  done(n = 1): void {
    if (n !== 1) checkInteger('The number to count down', n, 1, MOST_COUNT);
    const { tag, entry } = this.#localState;
    let left: number;
    let tries = 0;
    try {
      do left = this.#countDown(this.#latch, tag, this.#agent, entry, n);
      while (left === RACED && mayRetry(++tries));
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (left !== IDLE) this.#afterDone(left, n);
  }

  /**
   * Waits until the count is 0, blocking the calling thread.
   *
   * @throws {MisuseError} On a browser's main thread; use `waitAsync`.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  wait(): void {
    if (!this.#mayBlock) refuseToBlock();
    if (!this.tryWait()) this.#waitWithin(Infinity);
  }

  /**
   * Waits until the count is 0, for at most `timeoutMs`; returns whether it was 0.
   *
   * With 0, the default, the call does not wait. Throws as `wait` does.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   */
  tryWait(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#waitWithin(timeoutMs);
  }

  /**
   * Waits until the count is 0, without blocking the thread.
   *
   * A pending wait keeps the event loop alive, unless `ref` is `false`. Rejects with `TimeoutError`, `signal.reason` or
   * `ArenaFullError`.
   */
  async waitAsync(options: WaitOptions = NO_OPTIONS): Promise<void> {
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    if ((await this.#bouncer.enterAsync(checked)) === SHUT) this.#checkThere();
  }

  /** A snapshot of the latch: its count, the agents with claims, its waiters and since when each has waited. */
  inspect(): CountdownLatchReport {
    this.#checkThere();
    return reportLatch(this.#place, this.#bouncer.inspect());
  }

  [INSPECT](): string {
    return oneLine('CountdownLatch', () => {
      const { name, count, waiters } = this.inspect();
      return { name, count, waiting: waiters.length };
    });
  }

  /**
   * Frees the latch's memory, which another primitive may reuse.
   *
   * No agent may be inside a call on the latch. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If agents wait for it or have claims, or it was already freed.
   */
  free(): void {
    this.#checkThere();
    // Also a waiter that was admitted and has not read its verdict yet.
    const isUsed = [...allHoldings(this.#place.context.words)].some(({ address, tag }) => address === this.#latch && tag === this.#place.tag);
    if (isUsed || this.waiting > 0) throw this.#account.inUse();
    freePrimitive(this.#place, 'The latch');
  }

  #waitWithin(timeoutMs: number): boolean {
    const outcome = this.#bouncer.enter(timeoutMs);
    if (outcome === SHUT) this.#checkThere();
    return outcome === TAKEN;
  }

  #afterDone(left: number, n: number): void {
    if (left === FULL) throw this.#tooMany('counted down', n);
    if (left === SHUT) this.#checkThere();
    this.#bouncer.wake(left);
  }

  #tooMany(what: string, n: number): MisuseError {
    return new MisuseError(`${this.toString()}: ${n} cannot be ${what}, its count is ${this.count}. It was not changed.`);
  }

  #checkThere(): void {
    checkNotFreed(this.#place, 'The latch');
  }
}

/** A latch over words that exist already: for models. */
export function countdownLatchAt(place: Place, policy: WaitingPolicy): CountdownLatch {
  return construct(place, policy);
}
