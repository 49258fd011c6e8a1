// A world with a lock, and the checks of its state.

import type { Context, Words } from '@sluice/model';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { AGENT_SPARE, ENTRY_TAG, GATE, GRANT, OWNER, TICKET as TICKETS } from '../../../core/src/kernel/layout.ts';
import { FREE, PARKED, PROMISED, RACED } from '../../../core/src/kernel/states.ts';
import { OfficeWorld, putToSleep, type OfficeSetup, type ShadowUser } from '../../../core/test/model/office-world.ts';
import { agentAt, elementAt, entryAt, holdsAt } from '../../../core/test/model/places.ts';
import { HOLDS, witness } from '../../../core/test/model/witness.ts';
import { NEXT_WAITER } from '../../src/kernel/layout.ts';
import type { LocksKernel } from '../../src/kinds.ts';
import type * as Entry from './entry.ts';
import { LOCK, type LockKind, type LocksCore } from './lock-kinds.ts';
import { arrive, checkOrder, watchQueue, watchTickets, watchTurns } from './order.ts';
import type { ElementAddress, EntryAddress } from '../../../core/src/kernel/addresses.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';

export interface LockActor extends ShadowUser {
  readonly lock: Entry.OwnedLock;
  readonly kind: LockKind;
  /** The word in which the agent records that it owns the lock. 0: none. */
  readonly entry: EntryAddress;
}
export type LockBody = (actor: LockActor) => unknown;

export interface LockSetup extends OfficeSetup {
  /**
   * Whether to record arrivals and owners. Not if words that only one agent uses are scheduling points. Default true.
   */
  readonly watched?: boolean;
}

export class LockWorld extends OfficeWorld<LockActor> {
  readonly #kind: LockKind;
  readonly #order: LockKind['order'];
  readonly #watched: boolean;
  readonly #views = new WeakMap<Context, Words>();

  constructor(core: LocksCore, kind: LockKind, { watched = true, ...setup }: LockSetup) {
    super(core, kind.office, setup, (shadowUser) => ({
      ...shadowUser,
      lock: kind.at(core, shadowUser.ref, shadowUser.policy),
      kind,
      entry: kind.recorded === true ? entryAt(shadowUser.ctx.index, 0) : 0,
    }));
    this.#kind = kind;
    this.#watched = watched;
    this.#order = watched ? kind.order : undefined;
  }

  override layOut(words: Words): void {
    super.layOut(words);
    if (this.#kind.recorded === true) words.put64(LOCK + GRANT, BigInt.asIntN(64, this.setup.start + 1n));
    else for (let agent = 0; agent < this.setup.agents; agent++) words.put32(entryAt(agent, 0) + ENTRY_TAG, 0);
  }

  protected override words(ctx: Context): Words {
    const plain = super.words(ctx);
    if (this.#order === undefined) return plain;
    const known = this.#views.get(ctx);
    if (known !== undefined) return known;
    const watched = this.#kind.queued === true ? watchQueue(ctx, plain, this.#order) : watchTickets(ctx, plain);
    this.#views.set(ctx, watched);
    return watched;
  }

  protected override kernel(ctx: Context): Kernel {
    const plain = patient(this.core.referenceKernel(this.words(ctx)) as LocksKernel, ctx);
    if (!this.#watched) return plain;
    // Outside the watched memory: the witness's writes would make a round without effect look like progress.
    const kernel = witness(plain, ctx, this.office.rules) as LocksKernel;
    return this.#kind.recorded === true ? watchTurns(kernel, ctx) : kernel;
  }

  /** Checks that nothing is left in the lock, and that no element is lost. */
  override checkRest(words: Words): string | undefined {
    const successor = words.get32(LOCK + NEXT_WAITER);
    if (successor !== 0) return `the lock ends with a successor, ${successor}`;
    const rest = this.#kind.recorded === true ? this.#checkTickets(words) : super.checkRest(words);
    return rest ?? this.#checkElements(words) ?? (this.#order && checkOrder(words));
  }

  #checkTickets(words: Words): string | undefined {
    const free = BigInt.asIntN(64, words.get64(LOCK + GRANT) - words.get64(LOCK + TICKETS));
    return free === 1n ? this.checkGates(words) : `the lock ends with ${free} grants`;
  }

  #checkElements(words: Words): string | undefined {
    for (let index = 0; index < this.setup.elements; index++) {
      const owner = words.get32(elementAt(index) + OWNER);
      const isFree = words.get32(elementAt(index) + GATE) === FREE;
      // An agent that came back to its place keeps the element of that place in addition to its spare.
      const known = owner === 0 || (isFree && words.get32(agentAt(owner - 1) + AGENT_SPARE) !== 0);
      if (!known) return `element ${index} is lost: agent ${owner - 1} has it and does not know it`;
    }
    return undefined;
  }
}

/**
 * The points at which a caller retries until another agent has finished a step: the next waiter is not linked yet, or
 * the owner has promised the lock and not handed it over yet.
 */
function patient(kernel: LocksKernel, ctx: Context): LocksKernel {
  const waitForLink = <Result extends number>(result: Result): Result => {
    if (result === RACED) ctx.pause();
    return result;
  };
  const waitForOwner = <Result extends number>(result: Result, element: ElementAddress): Result => {
    if ((result === RACED || result === PROMISED) && ctx.words.get32(element + GATE) === PROMISED) ctx.pause();
    return result;
  };
  return {
    ...kernel,
    handOverQueued: (...args) => waitForLink(kernel.handOverQueued(...args)),
    releaseQueuedForDeadOwner: (...args) => waitForLink(kernel.releaseQueuedForDeadOwner(...args)),
    park: (element, agent) => waitForOwner(kernel.park(element, agent), element),
    cancelQueuedWait: (...args) => waitForOwner(kernel.cancelQueuedWait(...args), args[1]),
  };
}

/** Agent 0 owns the lock. The next agents wait for it, asleep. `watched`: as in `LockSetup`. */
export const ownedWith =
  (kind: LockKind, waiters: number, watched = true) =>
  (words: Words, plain: Kernel): void => {
    const kernel = plain as LocksKernel;
    kind.lock(kernel, 0);
    if (watched) words.put32(holdsAt(0), HOLDS);
    for (let agent = 1; agent <= waiters; agent++) {
      const element = kind.enqueueAtMutex(kernel, agent);
      if (kind.queued === true) words.store32(element + GATE, PARKED);
      else putToSleep(words, kernel, agent, asElement(element));
      if (watched && kind.order !== undefined) arrive(words, agent);
    }
  };
