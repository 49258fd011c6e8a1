// The base of all semaphores of the papers: a block with the counters of a semaphore, permits, and an end.

import { HandleError, type PrimitiveHandle } from '@sluice/core';
import { FLAG_OWN_CHAIN, FLAGS, GRANT, IDLE, RACED } from '@sluice/core/format';
import { reserveStack } from '@sluice/core/calls';
import { createPermits, openWithPolicy, type NewBlock } from '@sluice/core/internal';
import { allWaiting } from '@sluice/core/report';
import { SemaphoreBase, type Membership, type SemaphoreTraits } from '@sluice/semaphores/internal';
import { SEMAPHORES } from './kinds.ts';
import { kernelOf, type MemberKernel } from './family-kernel.ts';
import type { FamilyOptions } from './options.ts';

export type { Membership } from '@sluice/semaphores/internal';

export type FamilyName = 'sluice.family-semaphore';
export type FamilyHandle = PrimitiveHandle<FamilyName>;
/** The interface of all of them. */
export type FamilySemaphore = SemaphoreBase<FamilyName>;

/**
 * The parts that a member needs beside the words of all semaphores: the number of lines, and further words to write.
 */
export interface ExtraParts {
  readonly lines?: number;
  readonly fill?: (block: NewBlock) => void;
  /** The names of the options that only this member has. */
  readonly own?: readonly string[];
  /** Whether an agent's async waits settle in the order in which they began. Default: true. */
  readonly ordered?: boolean;
  /** With `ordered: false`: whether the waits in one of its lines settle in order. Default: false. */
  readonly orderedLines?: boolean;
}

/**
 * Creates a semaphore whose waiters wait as `scheme`, a FLAG_*, says. Throws `RangeError`, `TypeError`,
 * `ArenaFullError`. If it throws, nothing was created.
 */
export function createMember(
  scheme: number,
  permits: number,
  options: FamilyOptions,
  { lines = 1, ...extra }: ExtraParts = {},
): Membership {
  const flags = scheme | (lines > 1 ? 0 : FLAG_OWN_CHAIN);
  const [ref, policy] = createPermits(permits, options, {
    kind: SEMAPHORES,
    lines,
    flags,
    ...extra,
  });
  return { ref, policy };
}

/** Returns the traits that a class gives to its base. `ordered` and `orderedLines` are those of `ExtraParts`. */
export function traitsOf(className: string, ordered = true, orderedLines = false): SemaphoreTraits {
  return { className, kind: SEMAPHORES, ordered, orderedLines };
}

/** Opens the semaphore of a handle. Throws `HandleError`, also for a handle of another member of the family. */
export function findMember(
  scheme: number,
  handle: FamilyHandle,
  options: Pick<FamilyOptions, 'policy'>,
  what: string,
): Membership {
  const [ref, policy] = openWithPolicy(SEMAPHORES, handle, options);
  if ((ref.context.words.get32(ref.address + FLAGS) & scheme) === 0)
    throw new HandleError(`The handle refers to another member of the semaphore family, not to a ${what}.`);
  return { ref, policy };
}

/** A semaphore with one line. */
export abstract class MemberSemaphore extends SemaphoreBase<FamilyName> {
  protected constructor(membership: Membership | undefined, className: string, ordered = true) {
    super(membership, traitsOf(className, ordered));
  }

  /** The number of agents and async waits without permits. The call visits all waiters of the arena. */
  override get waiting(): number {
    this.checkThere();
    const { address, tag } = this.ref;
    const grant = this.context.words.load64(address + GRANT);
    return [...allWaiting(this.context)].filter(
      (wait) =>
        wait.address === address && wait.tag === tag && BigInt.asIntN(64, grant - wait.ticket) < BigInt(wait.permits),
    ).length;
  }

  /** Closes the semaphore: every waiter and every later caller gets `ClosedError`. Closing again has no effect. */
  override close(): void {
    this.checkThere();
    reserveStack();
    const sleepers = this.kernel.closeOfFamily(this.context.agent, this.ref.address, this.ref.tag);
    if (sleepers !== IDLE && sleepers !== RACED) this.context.notify(sleepers);
    this.context.finishWalk();
  }

  protected get kernel(): MemberKernel {
    return kernelOf(this.context);
  }

  protected override drainOnce(): number {
    return this.context.kernel.drain(this.ref.address, this.ref.tag, this.lineState.entry);
  }
}
