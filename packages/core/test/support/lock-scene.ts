// Several agents with one owned lock, in one thread; each can die.

import { OwnerDiedError, type HeirGuard } from '../../src/index.ts';
import { Life } from './mortal.ts';
import { World, type Agent } from './mortal-world.ts';
import { SemaphoreLock } from '../jobs/semaphore-lock.mjs';

export interface Owner extends Agent {
  readonly lock: SemaphoreLock;
}

export class LockScene {
  readonly world = new World({ engine: 'wasm' });
  /** Never dies. */
  readonly first: Owner;
  readonly #handle: SemaphoreLock['handle'];

  constructor() {
    const agent = this.world.join();
    const lock = SemaphoreLock.create({ arena: agent.arena, name: 'scene' });
    this.#handle = lock.handle;
    this.first = { ...agent, lock };
  }

  join(): Owner {
    const agent = this.world.join(new Life(this.world.lot));
    return { ...agent, lock: SemaphoreLock.from(this.world.handle(this.#handle, agent)) };
  }

  get isFree(): boolean {
    const taken = this.first.lock.tryLock();
    if (taken) this.first.lock.unlock();
    return taken;
  }

  /** Kills and recovers. */
  async bury({ life, seat }: Owner): Promise<void> {
    life.die();
    this.first.arena.reclaim(seat.id);
    await this.world.settle();
  }

  /** An owner has died; whoever comes next is its heir. */
  async orphan(): Promise<void> {
    const owner = this.join();
    owner.lock.lock();
    await this.bury(owner);
  }

  /** What a call, or a promise, ended with. */
  async outcome(call: () => unknown): Promise<Outcome> {
    try {
      const result = Promise.resolve(call());
      // It is looked at below, and may be rejected before that.
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

/** The ways to an owned lock. */
export const WAYS: readonly (readonly [name: string, take: (lock: SemaphoreLock) => unknown])[] = [
  ['lock()', (lock) => lock.lock()],
  ['tryLock()', (lock) => lock.tryLock()],
  ['tryLock(5)', (lock) => lock.tryLock(5)],
  ['lockAsync()', (lock) => lock.lockAsync({ ref: false })],
  ['hold()', (lock) => lock.hold()],
  ['tryHold()', (lock) => lock.tryHold()],
  ['holdAsync()', (lock) => lock.holdAsync({ ref: false })],
];

export type Outcome = 'clean' | 'refused' | HeirGuard;

/** The guard of an heir. */
export function inherited(outcome: Outcome): HeirGuard {
  if (typeof outcome === 'string') throw new Error(`Not an heir: ${outcome}`);
  return outcome;
}
