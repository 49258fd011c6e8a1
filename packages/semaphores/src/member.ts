// What all semaphores of the family have: a block with the counters of a semaphore, permits, and an end.

import { HandleError, type Arena, type Holdable, type PrimitiveHandle, type SemaphoreReport, type WaitingPolicy } from '@sluice/core';
import {
  type Account,
  allWaiting,
  BLOCK_LINE,
  BLOCK_TAG,
  CAPACITY,
  checkFlag,
  checkInteger,
  checkNotFreed,
  checkOptions,
  checkPlace,
  chosenArena,
  createPrimitive,
  findPrimitive,
  FLAG_RECOVERY,
  FLAGS,
  freePrimitive,
  FROM_OPTIONS,
  FULL,
  GRANT,
  handleTo,
  INSPECT,
  KIND_FAMILY,
  LIMIT,
  MAX_PERMITS,
  mergePolicy,
  overMax,
  permitFields,
  permitsAccount,
  oneLine,
  PermitForms,
  refusePosting,
  mayRetry,
  RACED,
  readName,
  reportSemaphore,
  contextOf,
  SHUT,
  TAKEN,
  type Place,
  type AgentContext,
  type LocalState,
} from '@sluice/core/internal';
import { FAMILY_OPTIONS, type Capabilities, type FamilyOptions } from './options.ts';

export type FamilyHandle = PrimitiveHandle<'sluice.family-semaphore'>;

/** Where a new or a found semaphore lies, and how this agent waits there. */
export interface Membership {
  readonly place: Place;
  readonly policy: WaitingPolicy;
}

/** What a member needs beside the words of every semaphore: how many lines, and what else is to be written. */
export interface Furniture {
  readonly lines?: number;
  readonly fill?: (sem: number, context: AgentContext, tag: number) => void;
  /** Names of options beside those of all members. */
  readonly own?: readonly string[];
  /** Whether async waits of an agent settle in the order in which they began. Default true. */
  readonly ordered?: boolean;
}

/**
 * A new semaphore whose waiters wait as `scheme` says, a FLAG_*. Throws `RangeError`, `TypeError`, `ArenaFullError`; then nothing was
 * made.
 */
export function createMember(scheme: number, permits: number, options: FamilyOptions, { lines = 1, fill, own = [], ordered = true }: Furniture = {}): Membership {
  checkOptions(options, [...FAMILY_OPTIONS, ...own]);
  const { max, name, recovery = true } = options;
  if (max !== undefined) checkInteger('max', max, 1, MAX_PERMITS);
  checkInteger('permits', permits, 0, max ?? MAX_PERMITS);
  checkFlag('recovery', recovery);
  const arena = chosenArena(options.arena);
  const policy = mergePolicy(arena.policy, options.policy);
  const context = contextOf(arena);
  // Before the block: what `fill` needs must not fail or die half-way.
  if (recovery) context.reserveEntry();
  const place = createPrimitive(arena, KIND_FAMILY, lines * BLOCK_LINE, name, (words, sem, tag) => {
    words.store64(sem + GRANT, BigInt(permits));
    words.store64(sem + CAPACITY, BigInt(permits));
    words.put32(sem + LIMIT, max ?? 0);
    words.put32(sem + FLAGS, scheme | (recovery ? FLAG_RECOVERY : 0));
    fill?.(sem, context, tag);
    context.localState(sem, tag, recovery, ordered);
  });
  return { place, policy };
}

/** Throws `HandleError`, also for another member of the family. */
export function findMember(scheme: number, handle: FamilyHandle, options: Pick<FamilyOptions, 'policy'>, what: string): Membership {
  checkOptions(options, FROM_OPTIONS);
  const place = findPrimitive(handle, 'sluice.family-semaphore', KIND_FAMILY);
  if ((place.context.words.get32(place.address + FLAGS) & scheme) === 0) throw new HandleError(`The handle leads to a semaphore that is no ${what}, but another member of the family.`);
  return { place, policy: mergePolicy(place.arena.policy, options.policy) };
}

/** A caller's own `new` brings none. */
function checkMembership(membership: Membership | undefined, className: string): Membership {
  checkPlace(membership?.place, className);
  return membership as Membership;
}

export abstract class FamilySemaphore extends PermitForms {
  /** Post this to another thread and give it to `from` of the same class there. */
  readonly handle: FamilyHandle;
  readonly #place: Place;
  readonly #localState: LocalState;
  readonly #policy: WaitingPolicy;
  readonly #account: Account;
  readonly #className: string;
  readonly #limit: number;

  /** `ordered`: as of `Furniture`. */
  protected constructor(membership: Membership | undefined, className: string, ordered = true) {
    super();
    refusePosting(this);
    const { place, policy } = checkMembership(membership, className);
    const { context, address, tag } = place;
    this.#className = className;
    this.#place = place;
    this.#localState = context.localState(address, tag, (context.words.get32(address + FLAGS) & FLAG_RECOVERY) !== 0, ordered);
    this.#policy = policy;
    this.#account = permitsAccount(className, place, ordered);
    this.#limit = context.words.get32(address + LIMIT);
    this.handle = handleTo('sluice.family-semaphore', place);
  }

  abstract get capabilities(): Capabilities;

  // Not fields: those would be seen by everything that walks over an instance.
  protected get place(): Place {
    return this.#place;
  }

  protected get context(): AgentContext {
    return this.#place.context;
  }

  protected get localState(): LocalState {
    return this.#localState;
  }

  protected get policy(): WaitingPolicy {
    return this.#policy;
  }

  /** What errors say of it. */
  protected get account(): Account {
    return this.#account;
  }

  [INSPECT](): string {
    return oneLine(this.#className, () => ({ name: this.name, ...permitFields(this.inspect()) }));
  }

  override toString(): string {
    return this.account.toString();
  }

  /** The name given at `create`, '' if none was. */
  get name(): string {
    this.checkThere();
    return readName(this.context.words, this.place.address);
  }

  /** The arena that it lives in. */
  get arena(): Arena {
    return this.place.arena;
  }

  /** The most permits that may be free at once; `Infinity` = unbounded. */
  get max(): number {
    return this.#limit === 0 ? Infinity : this.#limit;
  }

  /** Permits that `tryAcquire` could take now; 0 when closed. */
  get available(): number {
    this.checkThere();
    return this.isOpen ? Math.max(0, this.context.kernel.balance(this.place.address)) : 0;
  }

  /** Agents and async waits that permits have not been given for. Costs a pass over all waiters of the arena. */
  get waiting(): number {
    this.checkThere();
    const { words } = this.context;
    const { address, tag } = this.place;
    const grant = words.load64(address + GRANT);
    return [...allWaiting(words)].filter((wait) => wait.address === address && wait.tag === tag && BigInt.asIntN(64, grant - wait.ticket) < BigInt(wait.permits)).length;
  }

  /** Who holds permits, who waits and since when: a snapshot. */
  inspect(): SemaphoreReport {
    this.checkThere();
    return reportSemaphore(this.context, this.place.address, this.place.tag);
  }

  override asLock(permits = 1): Holdable {
    this.checkPermits(permits);
    return super.asLock(permits);
  }

  /** Takes every free permit at once, without waiting: how many. Throws `ClosedError`. */
  drain(): number {
    let all = 0;
    for (let tries = 1; ; tries++) {
      const taken = this.drainOnce();
      if (taken === SHUT) throw this.shut();
      if (taken !== RACED) all += taken;
      // More may be free than a member can take in one step.
      if (taken !== RACED && taken < MAX_PERMITS) return all;
      mayRetry(tries);
    }
  }

  /** Ends its use: every waiter and every later caller gets `ClosedError`. Closing again changes nothing. */
  close(): void {
    this.checkThere();
    const { kernel, agent } = this.context;
    const sleepers = kernel.closeOfFamily(agent, this.place.address, this.place.tag);
    if (sleepers > 0) this.context.notify(sleepers);
    this.context.finishWalk();
  }

  /**
   * Gives its memory back: another primitive may get it, so no agent may be inside a call on this one. Throws `MisuseError` while agents
   * wait (close it first) and when it was freed before; every later use throws it, too.
   */
  free(): void {
    if (this.isOpen && this.waiting > 0) throw this.account.inUse(' Close it first.');
    this.close();
    freePrimitive(this.place, 'The semaphore', 1 + this.lines.length);
  }

  /** The lines behind the first one, where agents wait, of those that have any. */
  protected get lines(): readonly number[] {
    return [];
  }

  protected drainOnce(): number {
    return this.context.kernel.drain(this.place.address, this.place.tag, this.localState.entry);
  }

  protected get isOpen(): boolean {
    return this.context.words.load32(this.place.address + BLOCK_TAG) === this.place.tag;
  }

  protected checkPermits(permits: number): void {
    const most = this.#limit === 0 ? MAX_PERMITS : this.#limit;
    if (!Number.isInteger(permits) || permits < 1 || permits > most) checkInteger(`${this.toString()}: permits`, permits, 1, most);
  }

  protected checkThere(): void {
    checkNotFreed(this.place, 'The semaphore');
  }

  /** It was closed while the call waited. It may have been freed since then. */
  protected shutInLine(): Error {
    return this.account.closed();
  }

  protected shut(): Error {
    this.checkThere();
    return this.account.closed();
  }

  /** The end of a release: what the kernel's step said. A closed semaphore's permits may be given back, and nobody gets them. */
  protected finishRelease(released: number, permits: number): void {
    if (released === SHUT) return this.checkThere();
    if (released === FULL) throw overMax(permits, this.#limit, this.toString(), this.available);
    if (released > TAKEN) this.context.notify(released);
    if (released !== 0) this.context.finishWalk();
  }
}
