// The slots that calls run in are permits of a semaphore. So all agents wait in one queue, and a dead agent's slots are released.

import { hasCode, MisuseError, type Semaphore } from '@sluice/core';
import { Account, acquireFor, asBlock, BLOCK_TAG, CAPACITY, checkNotFreed, countIn, holdersOf, contextOf, type Counted, type Place, type AgentContext } from '@sluice/core/internal';
import type { LimitHandle } from './handle.ts';
import { countPending, notePending } from './pending.ts';
import { reportLimit, type LimitReport } from './report.ts';
import type { WayOut } from './way-out.ts';

/** The slots of a semaphore that the caller created: as many as it has permits. */
export class Slots {
  readonly semaphore: Semaphore;
  /** Where the semaphore lies. */
  readonly place: Place;
  protected readonly localState: ReturnType<AgentContext['localState']>;
  protected readonly account: Account;

  /** Throws `MisuseError` if the semaphore was freed. */
  constructor(semaphore: Semaphore, place = placeOf(semaphore)) {
    this.semaphore = semaphore;
    this.place = place;
    this.account = new Account(
      {
        className: 'Limit',
        late: 'did not start the call',
        untouched: 'The function was not called.',
        noun: 'thread',
        count: () => this.countForText(),
        state: () => this.inUse(),
        blame: () => [{ how: 'held', agents: holdersOf(place.context, place) }],
      },
      place,
    );
    this.checkThere();
    // Only a lookup: the semaphore has created it.
    this.localState = place.context.localState(place.address, place.tag, { recorded: true });
  }

  get handle(): LimitHandle {
    return Object.freeze({ kind: 'sluice.limit', slots: this.semaphore.handle });
  }

  get size(): number {
    this.checkThere();
    return Number(this.place.context.words.load64(this.place.address + CAPACITY));
  }

  resize(_size: number): void {
    throw new MisuseError(`The concurrency of ${this.toString()} cannot be set: the limit was created over a semaphore, whose number of permits it is.`);
  }

  /** Takes a slot if one is free and no call waits for it. Throws as `Semaphore.tryAcquire`. */
  tryTake(): boolean {
    try {
      return this.semaphore.tryAcquire();
    } catch (failure) {
      throw hasCode(failure, 'SLUICE_CLOSED') ? this.account.closed() : failure;
    }
  }

  /** Queues for the start of a call, until `signal` ends the wait. Calls `granted` with a slot taken, or `refused` with the error. */
  take(signal: WayOut, granted: () => void, refused: (failure: unknown) => void): void {
    this.queueFor(this.semaphore, signal).then(granted, refused);
  }

  /**
   * How many slots the waiters of all agents lack, or `Infinity` if a slot in flight must be released: the limit was closed or freed, or has
   * too many slots. Does not throw.
   */
  wanted(): number {
    const { context: { kernel, words }, address } = this.place;
    // The local state has no tag once the agent has left the arena; its kernel must not be called then.
    return words.load32(address + BLOCK_TAG) === this.localState.tag ? -kernel.balance(address) : Infinity;
  }

  /** Notes for reports how many calls of this agent wait. */
  notePending(count: number): void {
    notePending(this.place, this.localState.entry, count);
  }

  /** The number of waiting calls of all agents; with `recovery: false`, of waiters in the limit's line. */
  pending(waiters: number): number {
    return this.localState.entry === 0 ? waiters : countPending(this.place);
  }

  /** The error of a call that waited too long. */
  late(timeout: number): Error {
    return this.account.timedOut(timeout, 0);
  }

  /** As "Limit 'downloads'". */
  toString(): string {
    return this.account.toString();
  }

  /** Counts the agents with waiting calls, for a message. */
  protected countForText(): Counted {
    return countIn(this.place.context, this.place);
  }

  /** For messages: how much of the limit is in use. */
  protected inUse(): string {
    const { context: { kernel }, address } = this.place;
    const { size } = this;
    // Some slots may be free, and on their way to calls before this one.
    return size === Infinity ? 'slots without limit' : `${Math.max(0, size - Math.max(0, kernel.balance(address)))} of ${size} slots in use`;
  }

  /** Waits for one permit, until `signal` ends the wait. Rejects as `Semaphore.acquireAsync`, with the limit's messages. */
  protected queueFor(semaphore: Semaphore, signal: WayOut): Promise<void> {
    // The calls that wait keep the event loop alive.
    return acquireFor(semaphore, { signal: signal as unknown as AbortSignal, ref: false }, this.account);
  }

  report(): LimitReport {
    return reportLimit(this, this.semaphore.inspect());
  }

  close(): void {
    this.semaphore.close();
  }

  /** Never throws: the function that ran in the slot could not handle the error. */
  giveBack(): void {
    this.letGo(1);
    this.settleOwn();
  }

  free(): void {
    throw new MisuseError(`${this.toString()} cannot be freed: it was created over a semaphore. Free the semaphore instead.`);
  }

  /** Releases `count` slots. Fails if the semaphore was freed, or if other code released too many permits, up to its `max`. */
  protected letGo(count: number): void {
    try {
      this.semaphore.release(count);
    } catch {
      this.#forget(count);
    }
  }

  #forget(count: number): void {
    const { entry } = this.localState;
    const { context: { words }, address, tag } = this.place;
    if (entry === 0 || Math.abs(words.load32(address + BLOCK_TAG)) !== tag) return;
    words.put64(entry, BigInt(Math.max(0, Number(words.get64(entry)) - count)));
  }

  /**
   * Settles those waits of this agent that have a verdict, without a turn of the event loop. Returns whether it settled all of them. Otherwise
   * the rest settles in later turns of the event loop.
   */
  settleOwn(): boolean {
    const { asyncWaits } = this.localState;
    asyncWaits.settle();
    return !asyncWaits.goesOn;
  }

  /** Throws if the limit was freed. */
  protected checkThere(): void {
    checkNotFreed(this.place, 'The limit');
  }
}

function placeOf({ arena, handle: { address, tag } }: Semaphore): Place {
  return { arena, context: contextOf(arena), address: asBlock(address), tag };
}
