// The TWA semaphore: tickets, grants and a waiting array of chains.
//
// After Dice & Kogan, "Semaphores Augmented with a Waiting Array", Listings 1 to 3. Our additions: cancellation, several
// permits at once, closing, the walk by the releaser (in the paper each waiter wakes the next), and atomic steps (src/kernel).
//
// BOX OFFICE, one 128-byte line
//
//   word      value                                                               written by
//   tag       n > 0: open · -n: closed · else freed (n is unique to this creation)  create, close, free
//   ticket    permits ever requested, less those whose waiters rolled back          acquire +n, tryAcquire, drain: CAS;
//                                                                                   withdraw, walk: CAS back, last in line
//   grant     permits ever granted, starts at `permits`                             release +n; skipping a tombstone +n
//   released  permits that an agent released for another, which had acquired them   release; recovery
//   ForOthers
//   capacity  permits that exist, free or held; rises when more are released        create, release
//   limit     `max`, 0 = unbounded; flags: whether holders are recorded             create
//
// GATE of an element, one per waiter (states.ts); in brackets the kernel step
//
//   FREE      ▶ QUEUED                [acquire, adopt]   a ticket is drawn
//   QUEUED    ▶ FREE                  [poll, leave]      admitted by its own poll, or rolled back
//   QUEUED    ▶ LINKED                [link]             pushed; back to QUEUED when the push lost
//   QUEUED    ▶ ABANDONED             [leave]            pushed as a tombstone; back to QUEUED when the push lost
//   LINKED    ▶ PARKED                [park]             and back [leave, wakeEarly]
//   LINKED    ▶ ABANDONED             [leave]            a tombstone
//   LINKED    ▶ SPENT                 [leave]            at a box office: took its permit without the walker (leave.ts)
//   LINKED, PARKED ▶ GRANTED, CLOSED  [walk]             the verdict; then FREE [poll]
//   ABANDONED ▶ SPENT                 [walk]             claimed; back to ABANDONED when it is not last and not due
//   SPENT     ▶ FREE                  [walk]             back in the pool
//
// INVARIANTS
//
//   1. grant - ticket = free permits - permits requested by the waiters in line (tombstones count until they are skipped).
//   2. The waiter with ticket t for n permits is admitted when grant - t >= n, never before: the order of tickets is
//      the order of service, for blocking and async waiters alike.
//   3. grant never decreases. ticket decreases only by a roll-back, and only to a value that no later waiter has drawn.
//   4. Once pushed, an element that is LINKED, PARKED, ABANDONED or SPENT is in exactly one place: one bucket's chain, or
//      in flight at one agent (its record's chain, held or posts). That agent frees it, hands it over or puts it back.
//   5. Its bucket is that of the release it waits for: the one that reaches its last ticket, or, if it wants several
//      permits and is not head of the line, the one that makes it head (kernel/wait.ts, waitsForHead).
//   6. Permits move by the counters alone. A verdict at a gate (GRANTED) only reports them.
//
// NO WAKE-UP IS LOST. A waiter draws its ticket, pushes its element, then reads grant (kernel: link). A release adds
// to grant, then reads ticket and the bucket (kernel: release). Each side writes before it reads, and every access is
// sequentially consistent. So at least one side sees the other: the waiter sees the grant, or the release finds the element.
// An element that is put back (kernel: putBack) and a waiter that becomes a tombstone (kernel: leave) also write first
// and then read grant again.

import { PermitsWanted, type Account, type Wanted } from './account/account.ts';
import { contextOf, type Arena } from './arena/arena.ts';
import type { PrimitiveHandle } from './arena/handle.ts';
import { readName } from './arena/name.ts';
import {
  checkNotFreed,
  checkPlace,
  chosenArena,
  createPrimitive,
  findPrimitive,
  freePrimitive,
  handleTo,
  type Place,
} from './arena/primitive.ts';
import type { AgentContext, LocalState } from './arena/agent-context.ts';
import { asCorrupt } from './arena/corrupt.ts';
import { mayRetry } from './arena/retry.ts';
import { checkFlag, checkInteger, checkOptions, checkTimeout, FROM_OPTIONS, MAX_PERMITS } from './check.ts';
import type { Kernel } from './kernel/kernel.ts';
import {
  BLOCK_LINE,
  CAPACITY,
  FLAG_RECOVERY,
  FLAGS,
  GRANT,
  KIND_SEMAPHORE,
  LIMIT,
  MODE_ASYNC,
} from './kernel/layout.ts';
import type { AgentAddress, BlockAddress, EntryAddress } from './kernel/addresses.ts';
import { isElement } from './drawn.ts';
import { FULL, IDLE, RACED, SHUT, TAKEN, NEEDS_WALK, type Draw, type Release, type Try } from './kernel/states.ts';
import type { Holdable, WaitOptions } from './lock.ts';
import { mayBlock } from './parking.ts';
import { mergePolicy, type WaitingPolicy } from './policy.ts';
import { permitsAccount } from './semaphore/account.ts';
import { overMax, refuseToBlock, rejected } from './semaphore/failures.ts';
import { PermitForms } from './semaphore/forms.ts';
import { blockInLine, wakeNext } from './semaphore/line.ts';
import { awaitInLine } from './semaphore/line-async.ts';
import { checkWait, SEMAPHORE_OPTIONS, type SemaphoreOptions } from './semaphore/options.ts';
import { countWaiters, permitFields, reportSemaphore, type SemaphoreReport } from './semaphore/report.ts';
import { INSPECT, oneLine } from './one-line.ts';
import { refusePosting } from './unpostable.ts';

export type SemaphoreHandle = PrimitiveHandle<'sluice.semaphore'>;

const NO_OPTIONS: WaitOptions = {};
const DONE = Promise.resolve();
let construct: (place: Place, policy: WaitingPolicy) => Semaphore;
/** `acquireAsync` of one permit, with options that are already checked. The errors name another primitive, `what`. */
export let acquireFor: (semaphore: Semaphore, options: WaitOptions, what: Wanted) => Promise<void>;

/**
 * A fair counting semaphore, shared by all agents of an arena.
 *
 * - Waiters are served in strict FIFO order, blocking and async waiters together, whatever number of permits each requests.
 * - `tryAcquire` without a timeout does not barge: it takes only permits for which no waiter is in line.
 * - A wait that times out or is aborted takes no permit and delays no other waiter.
 * - A grant that arrives before the timeout or the abort wins.
 * - Permits are not bound to agents: any agent may release.
 *
 * ```ts run
 * import { Semaphore } from '@sluice/core';
 *
 * const files = Semaphore.create(2, { name: 'open files' });
 * files.acquire();
 * console.log(files.available, files.tryAcquire(2)); // 1 false
 * files.release();
 * await files.runAsync(async () => console.log(files.available)); // 1
 * ```
 */
export class Semaphore extends PermitForms {
  /** Post this to another thread and give it to `Semaphore.from` there. */
  readonly handle: SemaphoreHandle;
  readonly #place: Place;
  readonly #context: AgentContext;
  readonly #localState: LocalState;
  readonly #policy: WaitingPolicy;
  readonly #limit: number;
  readonly #account: Account;
  // What the uncontended paths need. Numbers come from the local state where it has them: the engine knows its fields to be integers.
  readonly #sem: BlockAddress;
  readonly #tag: number;
  readonly #entry: EntryAddress;
  readonly #agent: AgentAddress;
  readonly #acquire: Kernel['acquire'];
  readonly #tryAcquire: Kernel['tryAcquire'];
  readonly #release: Kernel['release'];

  static {
    // `this`, not the class's own name: bundlers rename a class that refers to itself by name.
    construct = (place, policy) => new this(place, policy);
    acquireFor = async (semaphore, options, what) => {
      if (!semaphore.#tryAtOnce(1, what)) await semaphore.#acquireAsyncContended(1, options, what);
    };
  }

  private constructor(place: Place, policy: WaitingPolicy) {
    super();
    refusePosting(this);
    checkPlace(place, 'Semaphore');
    const { context, address, tag } = place;
    const { words, kernel } = context;
    this.#place = place;
    this.#context = context;
    this.#localState = context.localState(address, tag, { recorded: (words.get32(address + FLAGS) & FLAG_RECOVERY) !== 0 });
    this.#policy = policy;
    this.#account = permitsAccount('Semaphore', place);
    this.#limit = words.get32(address + LIMIT);
    this.#sem = address;
    this.#tag = tag;
    this.#entry = this.#localState.entry;
    this.#agent = context.agent;
    this.#acquire = mayBlock() ? kernel.acquire : refuseToBlock;
    this.#tryAcquire = kernel.tryAcquire;
    this.#release = kernel.release;
    this.handle = handleTo('sluice.semaphore', place);
  }

  /**
   * Creates a semaphore with `permits` free permits.
   *
   * @param permits - 0 to `max` (or 2^31 − 1).
   * @throws {RangeError} If `permits` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(permits: number, options: SemaphoreOptions = {}): Semaphore {
    checkOptions(options, SEMAPHORE_OPTIONS);
    const { max, name, recovery = true } = options;
    if (max !== undefined) checkInteger('max', max, 1, MAX_PERMITS);
    checkInteger('permits', permits, 0, max ?? MAX_PERMITS);
    checkFlag('recovery', recovery);
    const arena = chosenArena(options.arena);
    const policy = mergePolicy(arena.policy, options.policy);
    // Reserve before the block is allocated: filling the block must not fail or stop half-way.
    if (recovery) contextOf(arena).reserveEntry();
    const place = createPrimitive(arena, KIND_SEMAPHORE, BLOCK_LINE, name, (words, sem, tag) => {
      words.store64(sem + GRANT, BigInt(permits));
      words.store64(sem + CAPACITY, BigInt(permits));
      words.put32(sem + LIMIT, max ?? 0);
      words.put32(sem + FLAGS, recovery ? FLAG_RECOVERY : 0);
      contextOf(arena).localState(sem, tag, { recorded: recovery });
    });
    return construct(place, policy);
  }

  /**
   * Opens the semaphore that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live semaphore.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: SemaphoreHandle, options: Pick<SemaphoreOptions, 'policy'> = {}): Semaphore {
    checkOptions(options, FROM_OPTIONS);
    const place = findPrimitive(handle, 'sluice.semaphore', KIND_SEMAPHORE);
    return construct(place, mergePolicy(place.arena.policy, options.policy));
  }

  /** The title that messages use, such as "Semaphore 'connections'". */
  override toString(): string {
    return this.#account.toString();
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    this.#checkThere();
    return readName(this.#context.words, this.#sem);
  }

  /** The arena that contains the semaphore. */
  get arena(): Arena {
    return this.#place.arena;
  }

  /** The maximum number of permits that may be free at once; `Infinity` if unbounded. */
  get max(): number {
    return this.#limit === 0 ? Infinity : this.#limit;
  }

  /** The number of permits that `tryAcquire` could take now; 0 if the semaphore is closed. */
  get available(): number {
    this.#checkThere();
    const open = this.#context.words.load32(this.#sem) === this.#tag;
    return open ? Math.max(0, this.#context.kernel.balance(this.#sem)) : 0;
  }

  /** The number of waiters in line, blocking and async. Unless permits are free, this scans all waiters of the arena. */
  get waiting(): number {
    this.#checkThere();
    return countWaiters(this.#context, this.#sem, this.#tag);
  }

  /**
   * Acquires `permits`, blocking the calling thread until they are available (also known as "wait", "P" or "down").
   *
   * Waiters are served in FIFO order, together with async waiters. If the call throws, no permit was taken.
   *
   * @param permits - 1 to `max` (or 2^31 − 1).
   * @throws {RangeError} If `permits` is out of range.
   * @throws {ClosedError} If the semaphore is closed, before or during the wait.
   * @throws {MisuseError} On a browser's main thread; use `acquireAsync`.
   * @throws {DeadlockError} If this agent has an earlier async waiter on this semaphore, which could not settle while the agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override acquire(permits = 1): void {
    if (permits !== 1) this.#checkPermits(permits);
    const { block, tag, entry } = this.#localState;
    let drawn: Draw;
    try {
      drawn = this.#acquire(block, tag, entry, permits, this.#agent);
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (drawn === TAKEN) return;
    // Lost wake-up, waiter side: the wait links its element before it reads grant again. Pairs with `release`.
    const outcome = blockInLine(this.#context, this.#localState, drawn, this.#policy, Infinity, this.#account);
    if (outcome === SHUT) throw this.#closedSince(drawn);
  }

  /**
   * Acquires `permits` if they become available within `timeoutMs`; returns whether it did.
   *
   * With 0, the default, the call does not wait, and it does not barge: it takes only permits for which no waiter is in line.
   * With a timeout, the caller waits in line. Throws as `acquire` does; `DeadlockError` only if `timeoutMs` is `Infinity`.
   *
   * @param permits - 1 to `max` (or 2^31 − 1).
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   */
  override tryAcquire(permits = 1, timeoutMs = 0): boolean {
    if (permits !== 1) this.#checkPermits(permits);
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const taken = this.#tryAtOnce(permits);
    if (taken || timeoutMs === 0) return taken;
    if (!mayBlock()) refuseToBlock();
    const drawn = this.#draw(permits);
    const outcome = blockInLine(this.#context, this.#localState, drawn, this.#policy, timeoutMs, this.#account);
    if (outcome === SHUT) throw this.#closedSince(drawn);
    return outcome === TAKEN;
  }

  /**
   * Acquires `permits` without blocking the thread; the promise resolves when they are acquired.
   *
   * Waits in the same FIFO line as `acquire`. A pending wait keeps the event loop alive, unless `ref` is `false`. If the
   * promise rejects, no permit was taken. It rejects with:
   *
   * - `RangeError` or `TypeError` if an argument is wrong;
   * - `TimeoutError` if `timeout` elapses first, and `signal.reason` if the signal is aborted first;
   * - `ClosedError` if the semaphore is closed, before or during the wait;
   * - `ArenaFullError` if the arena has no room for the waiter.
   *
   * @param permits - 1 to `max` (or 2^31 − 1).
   */
  override acquireAsync(permits = 1, options: WaitOptions = NO_OPTIONS): Promise<void> {
    let checked = options;
    try {
      if (permits !== 1) this.#checkPermits(permits);
      if (options !== NO_OPTIONS) checked = checkWait(options);
      if (this.#tryAtOnce(permits)) return DONE;
    } catch (failure) {
      return rejected(failure);
    }
    return this.#acquireAsyncContended(permits, checked, new PermitsWanted(this.#account, permits));
  }

  /**
   * Acquires all free permits at once, without waiting; returns how many.
   *
   * @throws {ClosedError} If the semaphore is closed.
   */
  drain(): number {
    let taken: number;
    let tries = 0;
    do taken = this.#context.kernel.drain(this.#sem, this.#tag, this.#entry);
    while (taken === RACED && mayRetry(++tries));
    if (taken === SHUT) throw this.#shut();
    return taken;
  }

  /**
   * Releases `permits` and wakes the waiters that can now proceed (also known as "signal", "post", "V" or "up").
   *
   * Any agent may release, also permits that another agent acquired. On a closed semaphore the call succeeds and wakes no waiter.
   *
   * @param permits - 1 to `max` (or 2^31 − 1).
   * @throws {RangeError} If `permits` is out of range, or more than `max` permits would be free. Nothing was released.
   */
  override release(permits = 1): void {
    if (permits !== 1) this.#checkPermits(permits);
    const { block, tag, entry } = this.#localState;
    // Lost wake-up, release side: the kernel adds to grant before it reads the line. Pairs with `link` in the wait of
    // `acquire`.
    let released: Release;
    try {
      released = this.#release(block, tag, this.#agent, entry, permits);
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (released !== IDLE) this.#releaseContended(released, permits);
  }

  /**
   * Returns a lock whose `lock` acquires `permits` and whose `unlock` releases them.
   *
   * Each call makes a new object; if you use the lock often, make it once.
   *
   * @throws {RangeError} If `permits` is out of range.
   */
  override asLock(permits = 1): Holdable {
    this.#checkPermits(permits);
    return super.asLock(permits);
  }

  /** A snapshot of the semaphore: its holders, its waiters and since when each has waited. */
  inspect(): SemaphoreReport {
    this.#checkThere();
    return reportSemaphore(this.#context, this.#sem, this.#tag);
  }

  /**
   * Closes the semaphore: every waiter and every later attempt to acquire fails with `ClosedError`.
   *
   * Closing it again has no effect.
   */
  close(): void {
    this.#checkThere();
    const { kernel, agent } = this.#context;
    // First the tag, then every bucket: a waiter that links later sees the tag (`link`); one that linked before is found here.
    if (kernel.close(agent, this.#sem, this.#tag) === TAKEN) this.#context.finishWalk();
  }

  /**
   * Frees the semaphore's memory, which another primitive may reuse.
   *
   * No agent may be inside a call on the semaphore. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If agents wait for it (close it first), or it was already freed.
   */
  free(): void {
    // Waiters of a closed semaphore read only its tag.
    const open = this.#context.words.load32(this.#sem) === this.#tag;
    if (open && this.waiting > 0) throw this.#account.inUse(' Close it first.');
    freePrimitive(this.#place, 'The semaphore');
  }

  [INSPECT](): string {
    return oneLine('Semaphore', () => ({ name: this.name, ...permitFields(this.inspect()) }));
  }

  async #acquireAsyncContended(permits: number, options: WaitOptions, what: Wanted): Promise<void> {
    if (options.timeout === 0) throw what.timedOut(0, 0);
    let drawn: Draw = SHUT;
    const draw = (): Draw => {
      drawn = this.#draw(permits);
      return !isElement(drawn) ? drawn : this.#context.begin(drawn, this.#entry, MODE_ASYNC);
    };
    const outcome = await awaitInLine(this.#context, this.#localState, draw, options, what);
    if (outcome === SHUT) throw this.#closedSince(drawn, what);
  }

  /**
   * Draws a ticket: TAKEN, SHUT or the element that is to wait. Reserves the element first, so that the wait can be cancelled at
   * any time. Throws `ArenaFullError` before anything is drawn.
   */
  #draw(permits: number): Draw {
    this.#context.refill();
    try {
      return this.#context.kernel.acquire(this.#sem, this.#tag, this.#entry, permits, this.#agent);
    } catch (failure) {
      throw asCorrupt(failure);
    }
  }

  #tryAtOnce(permits: number, what: Wanted = this.#account): boolean {
    const { block, tag, entry } = this.#localState;
    let taken: Try;
    let tries = 0;
    do taken = this.#tryAcquire(block, tag, entry, permits);
    while (taken === RACED && mayRetry(++tries));
    if (taken === SHUT) throw this.#shut(what);
    return taken === TAKEN;
  }

  #releaseContended(released: Release, permits: number): void {
    let result = released;
    try {
      for (let tries = 1; result === RACED && mayRetry(tries); tries++) {
        result = this.#release(this.#sem, this.#localState.tag, this.#agent, this.#entry, permits);
      }
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (result === NEEDS_WALK) wakeNext(this.#context, this.#sem, this.#policy);
    else if (result === SHUT) this.#forget(permits);
    else if (result === FULL) throw overMax(permits, this.#limit, this.toString(), this.available);
  }

  /** After a release on a closed semaphore: no waiter needs the permits; the agent's ledger no longer lists them. */
  #forget(permits: number): void {
    this.#checkThere();
    if (this.#entry === 0) return;
    const { words } = this.#context;
    const held = Number(words.get64(this.#entry));
    words.put64(this.#entry, BigInt(Math.max(0, held - permits)));
  }

  #checkPermits(permits: number): void {
    const most = this.#limit === 0 ? MAX_PERMITS : this.#limit;
    if (!Number.isInteger(permits) || permits < 1 || permits > most) checkInteger(`${this.toString()}: permits`, permits, 1, most);
  }

  #checkThere(): void {
    checkNotFreed(this.#place, 'The semaphore');
  }

  /** The error of a wait on a closed semaphore. `drawn` not SHUT: closed during the wait, and it may have been freed since. */
  #closedSince(drawn: Draw, what: Wanted = this.#account): Error {
    return drawn === SHUT ? this.#shut(what) : what.closed();
  }

  #shut(what: Wanted = this.#account): Error {
    this.#checkThere();
    return what.closed();
  }
}

/** A semaphore over words that exist already: for primitives built from semaphores, and for models. */
export function semaphoreAt(place: Place, policy: WaitingPolicy): Semaphore {
  return construct(place, policy);
}
