// The TWA semaphore: tickets, grants and a waiting array of chains.
//
// After Dice & Kogan, "Semaphores Augmented with a Waiting Array", Listings 1 to 3. Ours: giving up, several permits at
// once, closing, the walk by the releaser (in the paper each waiter wakes the next), and indivisible steps (src/kernel).
//
// BOX OFFICE, one 128-byte line
//
//   word      value                                                             written by
//   tag       n > 0: open · -n: closed · else freed (n is this creation's own)    create, close, free
//   ticket    permits ever asked for, less those whose waiters rolled back         acquire +n, tryAcquire, drain: CAS;
//                                                                                  withdraw, walk: CAS back, last in line
//   grant     permits ever given, begins at `permits`                              release +n; skipping a tombstone +n
//   debt      permits that agents gave back for others, which had taken them         release; recovery
//   capacity  permits there are, free or taken; rises when more are released         create, release
//   limit     `max`, 0 = unbounded; flags: whether holders are recorded            create
//
// GATE of an element, one per waiter (states.ts); in brackets the kernel step
//
//   FREE      ▶ QUEUED                [acquire, adopt]   a ticket is drawn
//   QUEUED    ▶ FREE                  [poll, leave]      admitted by its own look, or rolled back
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
//   1. grant - ticket = free permits - permits asked for by those in line (tombstones count until they are skipped).
//   2. The waiter with ticket t for n permits is admitted when grant - t >= n, never before: the order of tickets is
//      the order of service, for blocking and async waiters alike.
//   3. grant never falls. ticket falls only by a roll-back, and only to a ticket that nobody behind has drawn.
//   4. Once pushed, an element that is LINKED, PARKED, ABANDONED or SPENT is in exactly one place: one bucket's chain, or one
//      agent's hand (its record's chain, held or posts). Whoever has it in hand frees it, hands it over or puts it back.
//   5. Its bucket is that of the release it waits for: the one that reaches its last ticket, or, if it wants several
//      permits and is not head of the line, the one that makes it head (kernel/wait.ts, waitsForHead).
//   6. Permits move by the counters alone. A verdict at a gate (GRANTED) only tells of them.
//
// NO WAKE-UP IS LOST. A waiter draws its ticket, pushes its element, then looks at grant (kernel: link). A release adds
// to grant, then looks at ticket and the bucket (kernel: release). Each writes before it reads and all of it is
// sequentially consistent, so at least one sees the other: the waiter sees the grant, or the release finds the element.
// Elements that are put back (kernel: putBack) and waiters that become tombstones (kernel: leave) write first and look
// at grant again for the same reason.

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
  MODE_BLOCKING,
} from './kernel/layout.ts';
import { FULL, IDLE, RACED, SHUT, TAKEN, NEEDS_WALK } from './kernel/states.ts';
import type { Holdable, WaitOptions } from './lock.ts';
import { mayBlock } from './parking.ts';
import { mergePolicy, type WaitingPolicy } from './policy.ts';
import { permitsAccount } from './semaphore/account.ts';
import { overMax, refuseToBlock, rejected } from './semaphore/failures.ts';
import { PermitForms } from './semaphore/forms.ts';
import { wakeNext } from './semaphore/line.ts';
import { checkWait, SEMAPHORE_OPTIONS, type SemaphoreOptions } from './semaphore/options.ts';
import { countWaiters, permitFields, reportSemaphore, type SemaphoreReport } from './semaphore/report.ts';
import { awaitInLine, blockInLine } from './semaphore/waits.ts';
import { INSPECT, oneLine } from './one-line.ts';
import { refusePosting } from './unpostable.ts';

export type SemaphoreHandle = PrimitiveHandle<'sluice.semaphore'>;

const NO_OPTIONS: WaitOptions = {};
const DONE = Promise.resolve();
let construct: (place: Place, policy: WaitingPolicy) => Semaphore;
/** `acquireAsync` of one permit, with options that were checked and errors of another primitive. */
export let acquireFor: (semaphore: Semaphore, options: WaitOptions, what: Wanted) => Promise<void>;

/**
 * A counting semaphore for all agents of an arena, fair to every one of them.
 *
 * Promises: strict first come, first served over blocking and async waiters together, whatever number of permits each
 * wants; `tryAcquire` takes only what nobody in line is waiting for; a wait that is given up leaves nothing behind and
 * delays nobody; a grant that comes before the timeout or the abort wins. Permits are not bound to agents: any agent
 * may release.
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
  // What the uncontended paths need, each a field of its own: a lookup less per call.
  readonly #sem: number;
  readonly #tag: number;
  readonly #entry: number;
  readonly #agent: number;
  readonly #acquire: Kernel['acquire'];
  readonly #release: Kernel['release'];

  static {
    // Not by the class's own name: bundlers would rename the class for it.
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
    this.#localState = context.localState(address, tag, (words.get32(address + FLAGS) & FLAG_RECOVERY) !== 0);
    this.#policy = policy;
    this.#account = permitsAccount('Semaphore', place);
    this.#limit = words.get32(address + LIMIT);
    this.#sem = address;
    this.#tag = tag;
    this.#entry = this.#localState.entry;
    this.#agent = context.agent;
    this.#acquire = mayBlock() ? kernel.acquire : refuseToBlock;
    this.#release = kernel.release;
    this.handle = handleTo('sluice.semaphore', place);
  }

  /** A new semaphore with `permits` free. Throws `RangeError`, `TypeError`, `ArenaFullError`. */
  static create(permits: number, options: SemaphoreOptions = {}): Semaphore {
    checkOptions(options, SEMAPHORE_OPTIONS);
    const { max, name, recovery = true } = options;
    if (max !== undefined) checkInteger('max', max, 1, MAX_PERMITS);
    checkInteger('permits', permits, 0, max ?? MAX_PERMITS);
    checkFlag('recovery', recovery);
    const arena = chosenArena(options.arena);
    const policy = mergePolicy(arena.policy, options.policy);
    // Before the block: what `fill` needs must not fail or die half-way.
    if (recovery) contextOf(arena).reserveEntry();
    const place = createPrimitive(arena, KIND_SEMAPHORE, BLOCK_LINE, name, (words, sem, tag) => {
      words.store64(sem + GRANT, BigInt(permits));
      words.store64(sem + CAPACITY, BigInt(permits));
      words.put32(sem + LIMIT, max ?? 0);
      words.put32(sem + FLAGS, recovery ? FLAG_RECOVERY : 0);
      contextOf(arena).localState(sem, tag, recovery);
    });
    return construct(place, policy);
  }

  /** The semaphore that a handle leads to. Throws `HandleError`; `ArenaFullError` when no record is left for this agent. */
  static from(handle: SemaphoreHandle, options: Pick<SemaphoreOptions, 'policy'> = {}): Semaphore {
    checkOptions(options, FROM_OPTIONS);
    const place = findPrimitive(handle, 'sluice.semaphore', KIND_SEMAPHORE);
    return construct(place, mergePolicy(place.arena.policy, options.policy));
  }

  /** As "Semaphore 'connections'". */
  override toString(): string {
    return this.#account.toString();
  }

  /** The name given at `create`, '' if none was. */
  get name(): string {
    this.#checkThere();
    return readName(this.#context.words, this.#sem);
  }

  /** The arena that it lives in. */
  get arena(): Arena {
    return this.#place.arena;
  }

  /** The most permits that may be free at once; `Infinity` = unbounded. */
  get max(): number {
    return this.#limit === 0 ? Infinity : this.#limit;
  }

  /** Permits that `tryAcquire` could take now; 0 when closed. */
  get available(): number {
    this.#checkThere();
    const open = this.#context.words.load32(this.#sem) === this.#tag;
    return open ? Math.max(0, this.#context.kernel.balance(this.#sem)) : 0;
  }

  /** Agents and async waits in line. Costs a pass over all waiters of the arena, unless permits are free. */
  get waiting(): number {
    this.#checkThere();
    return countWaiters(this.#context, this.#sem, this.#tag);
  }

  /**
   * Takes `permits`, blocking until they are there. Throws `RangeError` (1 to `max`), `ClosedError`, `MisuseError` (on
   * a browser's main thread), `DeadlockError` (behind an async wait of this same agent, which cannot go on while the
   * agent is blocked), `ArenaFullError`.
   */
  override acquire(permits = 1): void {
    if (permits !== 1) this.#checkPermits(permits);
    let drawn: number;
    try {
      drawn = this.#acquire(this.#sem, this.#localState.tag, this.#entry, permits, this.#agent);
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (drawn !== TAKEN) this.#acquireContended(drawn);
  }

  /**
   * Takes `permits` if that is possible within `timeoutMs` ms: with 0 without waiting, and only what nobody in line
   * waits for. Returns whether it did. Throws as `acquire`; `DeadlockError` only without an end (`Infinity`).
   */
  override tryAcquire(permits = 1, timeoutMs = 0): boolean {
    if (permits !== 1) this.#checkPermits(permits);
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const taken = this.#tryAtOnce(permits);
    if (taken || timeoutMs === 0) return taken;
    if (!mayBlock()) refuseToBlock();
    return this.#block(this.#draw(permits, MODE_BLOCKING), timeoutMs);
  }

  /**
   * Resolves when `permits` are taken; the agent goes on meanwhile. Rejects with `RangeError` or `TypeError` for an
   * argument, `TimeoutError`, `signal.reason`, `ClosedError`, `ArenaFullError`; then nothing was taken. While it waits
   * it keeps the event loop alive, unless `ref` is false.
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

  /** Takes every free permit at once, without waiting: how many. Throws `ClosedError`. */
  drain(): number {
    let taken: number;
    let tries = 0;
    do taken = this.#context.kernel.drain(this.#sem, this.#tag, this.#entry);
    while (taken === RACED && mayRetry(++tries));
    if (taken === SHUT) throw this.#shut();
    return taken;
  }

  /**
   * Gives `permits` back, whoever took them, and wakes the agents that come next. Throws `RangeError` (also when more
   * than `max` would be free). After `close` it is accepted and changes nothing for anybody.
   */
  override release(permits = 1): void {
    if (permits !== 1) this.#checkPermits(permits);
    // No lost wake-up, this end: the kernel adds to grant first and then looks who is in line; `link` in
    // acquireContended's wait is the other end.
    let released: number;
    try {
      released = this.#release(this.#sem, this.#localState.tag, this.#agent, this.#entry, permits);
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (released !== IDLE) this.#releaseContended(released, permits);
  }

  /** `permits` taken and given back as one lock. Make it once where it is used often. Throws `RangeError`. */
  override asLock(permits = 1): Holdable {
    this.#checkPermits(permits);
    return super.asLock(permits);
  }

  /** Who holds permits, who waits and since when: a snapshot. */
  inspect(): SemaphoreReport {
    this.#checkThere();
    return reportSemaphore(this.#context, this.#sem, this.#tag);
  }

  /** Ends its use: every waiter and every later caller gets `ClosedError`. Closing again changes nothing. */
  close(): void {
    this.#checkThere();
    const { kernel, agent } = this.#context;
    // First the tag, then every bucket: a waiter that links later sees the tag (`link`), one before is found here.
    if (kernel.close(agent, this.#sem, this.#tag) === TAKEN) this.#context.finishWalk();
  }

  /**
   * Gives its memory back: another primitive may get it, so no agent may be inside a call on this one. Throws
   * `MisuseError` while agents wait (close it first) and when it was freed before; every later use throws it, too.
   */
  free(): void {
    // Waiters of a closed semaphore only look at its tag any more.
    const open = this.#context.words.load32(this.#sem) === this.#tag;
    if (open && this.waiting > 0) throw this.#account.inUse(' Close it first.');
    freePrimitive(this.#place, 'The semaphore');
  }

  [INSPECT](): string {
    return oneLine('Semaphore', () => ({ name: this.name, ...permitFields(this.inspect()) }));
  }

  #acquireContended(drawn: number): void {
    const element = drawn === SHUT ? SHUT : this.#context.begin(drawn, this.#entry, MODE_BLOCKING);
    this.#block(element, Infinity);
  }

  /** Whether a ticket was admitted in time. */
  #block(element: number, timeoutMs: number): boolean {
    if (element === TAKEN) return true;
    // No lost wake-up, this end: the wait links the element first and then looks at grant again; `release` is the other
    // end.
    if (element === SHUT) throw this.#shut();
    const outcome = blockInLine(this.#context, this.#localState, element, this.#policy, timeoutMs, this.#account);
    // It may have been freed since it was closed.
    if (outcome === SHUT) throw this.#account.closed();
    return outcome === TAKEN;
  }

  async #acquireAsyncContended(permits: number, options: WaitOptions, what: Wanted): Promise<void> {
    if (options.timeout === 0) throw what.timedOut(0, 0);
    let drawn = SHUT;
    const draw = (): number => (drawn = this.#draw(permits, MODE_ASYNC));
    const outcome = await awaitInLine(this.#context, this.#localState, draw, options, what);
    if (outcome === SHUT) throw drawn === SHUT ? this.#shut(what) : what.closed();
  }

  /**
   * Draws a ticket for a wait that must be able to end at any time, so with an element at hand: TAKEN, SHUT or the
   * element that waits. Throws `ArenaFullError` before anything is drawn.
   */
  #draw(permits: number, mode: number): number {
    this.#context.refill();
    let drawn: number;
    try {
      drawn = this.#context.kernel.acquire(this.#sem, this.#tag, this.#entry, permits, this.#agent);
    } catch (failure) {
      throw asCorrupt(failure);
    }
    return drawn === TAKEN || drawn === SHUT ? drawn : this.#context.begin(drawn, this.#entry, mode);
  }

  #tryAtOnce(permits: number, what: Wanted = this.#account): boolean {
    let taken: number;
    let tries = 0;
    do taken = this.#context.kernel.tryAcquire(this.#sem, this.#tag, this.#entry, permits);
    while (taken === RACED && mayRetry(++tries));
    if (taken === SHUT) throw this.#shut(what);
    return taken === TAKEN;
  }

  #releaseContended(released: number, permits: number): void {
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

  /** It was closed: nobody needs the permits, and they are not held any more. */
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

  #shut(what: Wanted = this.#account): Error {
    this.#checkThere();
    return what.closed();
  }
}

/** A semaphore over words that already lie somewhere: for primitives made of semaphores, and for models. */
export function semaphoreAt(place: Place, policy: WaitingPolicy): Semaphore {
  return construct(place, policy);
}
