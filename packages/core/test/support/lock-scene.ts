// Several agents of one thread with one owned lock. Each can die.

import { OwnerDiedError, type Arena, type RecoveryGuard, type OwnedLock } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/kernel.ts';
import { Life } from './crash.ts';
import { World, type Agent } from './crash-world.ts';
import { SemaphoreLock } from '../jobs/semaphore-lock.mjs';

export interface Owner<Lock = SemaphoreLock> extends Agent {
  readonly lock: Lock;
}

/** A kind of owned lock. `handle` is that of the primitive that it is, or is a part of. */
export interface LockKind<Lock extends OwnedLock, Handle extends { readonly arena: string }> {
  create(arena: Arena): { readonly lock: Lock; readonly handle: Handle };
  open(handle: Handle): Lock;
}

export class OwnerDeathScene<Lock extends OwnedLock, Handle extends { readonly arena: string }> {
  readonly world: World;
  /** This agent never dies. */
  readonly first: Owner<Lock>;
  readonly handle: Handle;
  readonly #kind: LockKind<Lock, Handle>;

  constructor(kind: LockKind<Lock, Handle>, engine: Engine = 'wasm') {
    this.world = new World({ engine });
    this.#kind = kind;
    const agent = this.world.join();
    const { lock, handle } = kind.create(agent.arena);
    this.handle = handle;
    this.first = { ...agent, lock };
  }

  join(): Owner<Lock> {
    const agent = this.world.join(new Life(this.world.lot));
    return { ...agent, lock: this.#kind.open(this.world.handle(this.handle, agent)) };
  }

  get isFree(): boolean {
    const taken = this.first.lock.tryLock();
    if (taken) this.first.lock.unlock();
    return taken;
  }

  /** Kills an agent and recovers it. */
  async bury({ life, context }: Owner<Lock>): Promise<void> {
    life.die();
    this.first.arena.reclaim(context.id);
    await this.world.settle();
  }

  /** Kills an owner. The next owner is its heir. */
  async orphan(): Promise<void> {
    const owner = this.join();
    owner.lock.lock();
    await this.bury(owner);
  }

  /** Returns the outcome of a call or of its promise. */
  async outcome(call: () => unknown): Promise<Outcome> {
    try {
      const result = Promise.resolve(call());
      // The promise is awaited below, and may be rejected before that.
      result.catch(() => undefined);
      await this.world.settle();
      await result;
    } catch (failure) {
      if (!(failure instanceof OwnerDiedError)) throw failure;
      return failure.guard === undefined ? 'refused' : failure.guard;
    }
    return 'clean';
  }
}

export const SEMAPHORE_LOCK: LockKind<SemaphoreLock, SemaphoreLock['handle']> = {
  create(arena) {
    const lock = SemaphoreLock.create({ arena, name: 'scene' });
    return { lock, handle: lock.handle };
  },
  open: (handle) => SemaphoreLock.from(handle),
};

export class LockScene extends OwnerDeathScene<SemaphoreLock, SemaphoreLock['handle']> {
  constructor() {
    super(SEMAPHORE_LOCK);
  }
}

/** The calls that take an owned lock. */
export const WAYS: readonly (readonly [name: string, take: (lock: OwnedLock) => unknown])[] = [
  ['lock()', (lock) => lock.lock()],
  ['tryLock()', (lock) => lock.tryLock()],
  ['tryLock(5)', (lock) => lock.tryLock(5)],
  ['lockAsync()', (lock) => lock.lockAsync({ ref: false })],
  ['hold()', (lock) => lock.hold()],
  ['tryHold()', (lock) => lock.tryHold()],
  ['holdAsync()', (lock) => lock.holdAsync({ ref: false })],
];

export type Outcome = 'clean' | 'refused' | RecoveryGuard;

/** Returns the guard of an heir. */
export function inherited(outcome: Outcome): RecoveryGuard {
  if (typeof outcome === 'string') throw new Error(`Not an heir: ${outcome}`);
  return outcome;
}
