// What all semaphores of the family share: a block with the counters of a semaphore, permits, and an end.

import { HandleError, type Arena, type Holdable, type PrimitiveHandle, type SemaphoreReport, type WaitingPolicy } from '@sluice/core';
import {
  IDLE,
  NEEDS_WALK,
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
  FLAG_OWN_CHAIN,
  FLAG_RECOVERY,
  FLAGS,
  freePrimitive,
  FROM_OPTIONS,
  FULL,
  GRANT,
  handleTo,
  INSPECT,
  loadKind,
  LIMIT,
  MAX_PERMITS,
  mergePolicy,
  overMax,
  permitFields,
  permitsAccount,
  oneLine,
  openPrimitive,
  PermitForms,
  refusePosting,
  mayRetry,
  RACED,
  readName,
  reportSemaphore,
  contextOf,
  SHUT,
  type Place,
  type AgentContext,
  type LocalState,
  type LineAddress,
} from '@sluice/core/internal';
import { kernelOf, SEMAPHORES, type MemberKernel } from './kinds.ts';
import { FAMILY_OPTIONS, type Capabilities, type FamilyOptions } from './options.ts';
import type { ReleaseOrTell } from './kernel/release.ts';

export type FamilyHandle = PrimitiveHandle<'sluice.family-semaphore'>;

/** Where a semaphore lies, and how this agent waits there. */
export interface Membership {
  readonly place: Place;
  readonly policy: WaitingPolicy;
}

/** What a member needs beside the words that all semaphores have: the number of lines, and further words to write. */
export interface Furniture {
  readonly lines?: number;
  readonly fill?: (sem: LineAddress, context: AgentContext, tag: number) => void;
  /** Names of the options that only this member has. */
  readonly own?: readonly string[];
  /** Whether an agent's async waits settle in the order in which they began. Default true. */
  readonly ordered?: boolean;
  /** Beside `ordered: false`: whether those in one of its lines do. Default false. */
  readonly orderedLines?: boolean;
}

/**
 * Creates a semaphore whose waiters wait as `scheme`, a FLAG_*, says. Throws `RangeError`, `TypeError`, `ArenaFullError`; then nothing
 * was created.
 */
export function createMember(scheme: number, permits: number, options: FamilyOptions, { lines = 1, fill, own = [], ordered = true, orderedLines = false }: Furniture = {}): Membership {
  checkOptions(options, [...FAMILY_OPTIONS, ...own]);
  const { max, name, recovery = true } = options;
  if (max !== undefined) checkInteger('max', max, 1, MAX_PERMITS);
  checkInteger('permits', permits, 0, max ?? MAX_PERMITS);
  checkFlag('recovery', recovery);
  const arena = chosenArena(options.arena);
  const policy = mergePolicy(arena.policy, options.policy);
  const context = contextOf(arena);
  const { steps } = loadKind(context, SEMAPHORES);
  // Reserved before the block exists: what `fill` needs must not fail, or end by the agent's death, half-way.
  if (recovery) context.reserveEntry();
  const place = createPrimitive(arena, SEMAPHORES.code, lines * BLOCK_LINE, name, (words, sem, tag) => {
    words.store64(sem + GRANT, BigInt(permits));
    words.store64(sem + CAPACITY, BigInt(permits));
    words.put32(sem + LIMIT, max ?? 0);
    words.put32(sem + FLAGS, scheme | (lines > 1 ? 0 : FLAG_OWN_CHAIN) | (recovery ? FLAG_RECOVERY : 0));
    fill?.(sem, context, tag);
    context.localState(sem, tag, { recorded: recovery, ordered, orderedLines, line: steps });
  });
  return { place, policy };
}

/** Throws `HandleError`, also for a handle of another member of the family. */
export function findMember(scheme: number, handle: FamilyHandle, options: Pick<FamilyOptions, 'policy'>, what: string): Membership {
  checkOptions(options, FROM_OPTIONS);
  const place = openPrimitive(handle, SEMAPHORES);
  if ((place.context.words.get32(place.address + FLAGS) & scheme) === 0) throw new HandleError(`The handle refers to another member of the semaphore family, not to a ${what}.`);
  return { place, policy: mergePolicy(place.arena.policy, options.policy) };
}

/** A caller that uses `new` itself passes no membership. */
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

  /** `ordered`, `orderedLines`: as in `Furniture`. */
  protected constructor(membership: Membership | undefined, className: string, ordered = true, orderedLines = false) {
    super();
    refusePosting(this);
    const { place, policy } = checkMembership(membership, className);
    const { context, address, tag } = place;
    this.#className = className;
    this.#place = place;
    const { steps } = context.load(SEMAPHORES);
    const recorded = (context.words.get32(address + FLAGS) & FLAG_RECOVERY) !== 0;
    this.#localState = context.localState(address, tag, { recorded, ordered, orderedLines, line: steps });
    this.#policy = policy;
    this.#account = permitsAccount(className, place, ordered);
    this.#limit = context.words.get32(address + LIMIT);
    this.handle = handleTo('sluice.family-semaphore', place, SEMAPHORES.kernel.id);
  }

  abstract get capabilities(): Capabilities;

  // Getters, not fields: code that walks over an instance would see a field.
  protected get place(): Place {
    return this.#place;
  }

  protected get context(): AgentContext {
    return this.#place.context;
  }

  protected get kernel(): MemberKernel {
    return kernelOf(this.#place.context);
  }

  protected get localState(): LocalState {
    return this.#localState;
  }

  protected get policy(): WaitingPolicy {
    return this.#policy;
  }

  /** How errors describe the semaphore. */
  protected get account(): Account {
    return this.#account;
  }

  [INSPECT](): string {
    return oneLine(this.#className, () => ({ name: this.name, ...permitFields(this.inspect()) }));
  }

  override toString(): string {
    return this.account.toString();
  }

  /** The name given at `create`, or '' without one. */
  get name(): string {
    this.checkThere();
    return readName(this.context.words, this.place.address);
  }

  /** The arena that the semaphore lives in. */
  get arena(): Arena {
    return this.place.arena;
  }

  /** The maximum of free permits; `Infinity` = unbounded. */
  get max(): number {
    return this.#limit === 0 ? Infinity : this.#limit;
  }

  /** The number of permits that `tryAcquire` could take now; 0 if closed. */
  get available(): number {
    this.checkThere();
    return this.isOpen ? Math.max(0, this.context.kernel.balance(this.place.address)) : 0;
  }

  /** The number of agents and async waits that no permits have been given to. Takes a pass over all waiters of the arena. */
  get waiting(): number {
    this.checkThere();
    const { words } = this.context;
    const { address, tag } = this.place;
    const grant = words.load64(address + GRANT);
    return [...allWaiting(words)].filter((wait) => wait.address === address && wait.tag === tag && BigInt.asIntN(64, grant - wait.ticket) < BigInt(wait.permits)).length;
  }

  /** A snapshot: the agents that hold permits, the waiters and since when they wait. */
  inspect(): SemaphoreReport {
    this.checkThere();
    return reportSemaphore(this.context, this.place.address, this.place.tag);
  }

  override asLock(permits = 1): Holdable {
    this.checkPermits(permits);
    return super.asLock(permits);
  }

  /** Takes all free permits at once, without waiting. Returns how many. Throws `ClosedError`. */
  drain(): number {
    let all = 0;
    for (let tries = 1; ; tries++) {
      const taken = this.drainOnce();
      if (taken === SHUT) throw this.shut();
      if (taken !== RACED) all += taken;
      // More permits may be free than one step can take.
      if (taken !== RACED && taken < MAX_PERMITS) return all;
      mayRetry(tries);
    }
  }

  /** Closes the semaphore: every waiter and every later caller gets `ClosedError`. Closing again has no effect. */
  close(): void {
    this.checkThere();
    const sleepers = this.kernel.closeOfFamily(this.context.agent, this.place.address, this.place.tag);
    if (sleepers !== IDLE && sleepers !== RACED) this.context.notify(sleepers);
    this.context.finishWalk();
  }

  /**
   * Frees the semaphore's memory. Another primitive may reuse it, so no agent may be inside a call on this semaphore. Throws `MisuseError`
   * while agents wait (close it first) and if it was freed before. Every later use throws `MisuseError`, too.
   */
  free(): void {
    if (this.isOpen && this.waiting > 0) throw this.account.inUse(' Close it first.');
    this.close();
    freePrimitive(this.place, 'The semaphore', 1 + this.lines.length);
  }

  /** The inner lines in which agents wait, for composite semaphores. */
  protected get lines(): readonly LineAddress[] {
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

  /** The semaphore was closed while the call waited. It may have been freed since. */
  protected shutInLine(): Error {
    return this.account.closed();
  }

  protected shut(): Error {
    this.checkThere();
    return this.account.closed();
  }

  /** Handles the result of the kernel's release step. Permits may be released to a closed semaphore; no waiter gets them. */
  protected finishRelease(released: ReleaseOrTell, permits: number): void {
    if (released === SHUT) return this.checkThere();
    if (released === FULL) throw overMax(permits, this.#limit, this.toString(), this.available);
    if (released !== IDLE && released !== NEEDS_WALK && released !== RACED) this.context.notify(released);
    if (released !== IDLE) this.context.finishWalk();
  }
}
