// Several agents of one thread with one read-write lock. Each can die.

import { OwnerDiedError, type RecoveryGuard, type ReclaimReport } from '@sluice/core';
import { expectAtRest } from '../../../core/test/support/at-rest.ts';
import { World, type Agent } from '../../../core/test/support/crash-world.ts';
import { RwLock } from '../../src/index.ts';
import './kinds.ts';

export interface User extends Agent {
  readonly lock: RwLock;
}

type Side = RwLock['reader'] | RwLock['writer'];

export class Scene {
  readonly world: World;
  /** Never dies. */
  readonly first: User;

  constructor(engine: 'wasm' | 'js') {
    this.world = new World({ engine });
    const agent = this.world.join();
    this.first = { ...agent, lock: RwLock.create({ arena: agent.arena, name: 'scene' }) };
  }

  join(): User {
    const agent = this.world.join();
    return { ...agent, lock: RwLock.from(this.world.handle(this.first.lock.handle, agent)) };
  }

  /** Kills an agent, recovers it and turns all event loops. */
  async killAndReclaim({ life, context }: User): Promise<ReclaimReport> {
    life.die();
    const report = this.first.arena.reclaim(context.id);
    await this.world.settle();
    return report;
  }

  /** Lets a writer die. */
  async orphan(): Promise<void> {
    const writer = this.join();
    writer.lock.writer.lock();
    await this.killAndReclaim(writer);
  }

  /** Begins an async wait. The result has the outcome as soon as the wait ends. */
  wait(side: Side): { outcome: 'waits' | 'in' | 'refused' | RecoveryGuard } {
    const wait: ReturnType<Scene['wait']> = { outcome: 'waits' };
    side.lockAsync({ ref: false }).then(
      () => (wait.outcome = 'in'),
      (failure: unknown) => {
        if (!(failure instanceof OwnerDiedError)) return;
        wait.outcome = failure.guard ?? 'refused';
      },
    );
    return wait;
  }

  /** Makes the first agent the next owner. Returns its guard. */
  inherit(): RecoveryGuard {
    try {
      this.first.lock.writer.lock();
    } catch (failure) {
      if (failure instanceof OwnerDiedError && failure.guard !== undefined) return failure.guard;
      throw failure;
    }
    throw new Error('No lock was inherited.');
  }

  expectAtRest(): void {
    expectAtRest(this.first.arena, this.first.lock.handle);
  }
}
