// What all semaphores of the family share: a block with the counters of a semaphore, permits, and an end.

import { DEFAULT_POLICY, HandleError, type PrimitiveHandle, type WaitingPolicy } from '@sluice/core';
import {
  IDLE,
  NEEDS_WALK,
  allWaiting,
  asCorrupt,
  checkOptions,
  createPermits,
  FLAG_OWN_CHAIN,
  FLAGS,
  FROM_OPTIONS,
  GRANT,
  handleTo,
  loadKind,
  MAX_PERMITS,
  mayRetry,
  mergePolicy,
  openPrimitive,
  OVER_BOUND,
  overMax,
  PlacedPermits,
  RACED,
  SHUT,
  reserveStack,
  type AgentContext,
  type LineAddress,
  type LineSteps,
  type Place,
} from '@sluice/core/internal';
import { SEMAPHORES } from './kinds.ts';
import { kernelOf, type MemberKernel } from './member-kernel.ts';
import type { Capabilities, FamilyOptions } from './options.ts';
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
 * Creates a semaphore whose waiters wait as `scheme`, a FLAG_*, says. Throws `RangeError`, `TypeError`,
 * `ArenaFullError`; then nothing was created.
 */
export function createMember(
  scheme: number,
  permits: number,
  options: FamilyOptions,
  { lines = 1, ...furniture }: Furniture = {},
): Membership {
  const flags = scheme | (lines > 1 ? 0 : FLAG_OWN_CHAIN);
  const [place, policy] = createPermits(permits, options, {
    code: SEMAPHORES.code,
    steps: stepsOf,
    lines,
    flags,
    ...furniture,
  });
  return { place, policy };
}

function stepsOf(context: AgentContext): LineSteps {
  return loadKind(context, SEMAPHORES).steps;
}

/** Throws `HandleError`, also for a handle of another member of the family. */
export function findMember(
  scheme: number,
  handle: FamilyHandle,
  options: Pick<FamilyOptions, 'policy'>,
  what: string,
): Membership {
  checkOptions(options, FROM_OPTIONS);
  const place = openPrimitive(handle, SEMAPHORES);
  if ((place.context.words.get32(place.address + FLAGS) & scheme) === 0)
    throw new HandleError(`The handle refers to another member of the semaphore family, not to a ${what}.`);
  return { place, policy: mergePolicy(place.arena.policy, options.policy) };
}

/** What all semaphores of the family can do. `capabilities` of a class says what it cannot. */
export abstract class FamilySemaphore extends PlacedPermits {
  /** Post this to another thread and give it to `from` of the same class there. */
  readonly handle: FamilyHandle;

  /** `ordered`, `orderedLines`: as in `Furniture`. */
  protected constructor(membership: Membership | undefined, className: string, ordered = true, orderedLines = false) {
    const { place, policy } = membership ?? NOWHERE;
    super(place, policy, className, { ordered, orderedLines, steps: stepsOf });
    this.handle = handleTo('sluice.family-semaphore', this.place, SEMAPHORES.kernel.id);
  }

  abstract get capabilities(): Capabilities;

  protected get kernel(): MemberKernel {
    return kernelOf(this.context);
  }

  /**
   * The number of agents and async waits that no permits have been given to. Takes a pass over all waiters of the
   * arena.
   */
  override get waiting(): number {
    this.checkThere();
    const { words } = this.context;
    const { address, tag } = this.place;
    const grant = words.load64(address + GRANT);
    return [...allWaiting(words)].filter(
      (wait) =>
        wait.address === address && wait.tag === tag && BigInt.asIntN(64, grant - wait.ticket) < BigInt(wait.permits),
    ).length;
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
      mayRetry(tries, this);
    }
  }

  /** Closes the semaphore: every waiter and every later caller gets `ClosedError`. Closing again has no effect. */
  close(): void {
    this.checkThere();
    reserveStack();
    const sleepers = this.kernel.closeOfFamily(this.context.agent, this.place.address, this.place.tag);
    if (sleepers !== IDLE && sleepers !== RACED) this.context.notify(sleepers);
    this.context.finishWalk();
  }

  override free(): void {
    // Also for a semaphore that was closed: an agent that closed it may have died before it woke the waiters.
    if (!this.isOpen || this.waiting === 0) this.close();
    super.free();
  }

  protected drainOnce(): number {
    return this.context.kernel.drain(this.place.address, this.place.tag, this.localState.entry);
  }

  /** The semaphore was closed while the call waited. It may have been freed since. */
  protected shutInLine(): Error {
    return this.account.closed();
  }

  protected shut(): Error {
    this.checkThere();
    return this.account.closed();
  }

  /**
   * Handles the result of the kernel's release step. Permits may be released to a closed semaphore; no waiter gets
   * them.
   */
  protected finishRelease(released: ReleaseOrTell, permits: number): void {
    if (released === SHUT) return this.checkThere();
    if (released === OVER_BOUND) throw overMax(permits, this.max, this.toString(), this.available);
    if (released !== IDLE && released !== NEEDS_WALK && released !== RACED) this.context.notify(released);
    if (released === IDLE) return;
    try {
      this.context.finishWalk();
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }
}

/** A caller that uses `new` itself passes no membership. */
const NOWHERE: { readonly place: Place | undefined; readonly policy: WaitingPolicy } = {
  place: undefined,
  policy: DEFAULT_POLICY,
};
