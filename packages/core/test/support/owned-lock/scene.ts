// Several agents of one thread with one lock. Each can sleep and die at a point that a test chooses.

import { OwnerDiedError, type RecoveryGuard, type ReclaimReport } from '../../../src/index.ts';
import { expectAtRest } from '../at-rest.ts';
import { World, type Agent } from '../crash-world.ts';
import { signalByHand } from '../signal-by-hand.ts';
import { servesLastFirst, type OwnedLockKind, type TestedLock } from './kind.ts';

export interface User extends Agent {
  readonly id: number;
  readonly lock: TestedLock;
}

export interface Wait {
  outcome: 'waits' | 'in' | 'refused' | 'left' | RecoveryGuard;
  readonly leave: () => void;
}

export interface SceneOptions {
  readonly engine?: 'wasm' | 'js';
  readonly spinMicros?: number;
}

export class Scene {
  readonly world: World;
  readonly kind: OwnedLockKind;
  /** Never dies. */
  readonly first: User;
  readonly #users: User[];

  constructor(kind: OwnedLockKind, { engine = 'wasm', spinMicros = 0 }: SceneOptions = {}) {
    this.kind = kind;
    this.world = new World({ engine, policy: { spinMicros, longTermThreshold: 2 } });
    const agent = this.world.join();
    this.first = { ...agent, id: agent.context.id, lock: kind.create({ arena: agent.arena, name: 'scene' }) };
    this.#users = [this.first];
  }

  join(): User {
    const agent = this.world.join();
    const user = {
      ...agent,
      id: agent.context.id,
      lock: this.kind.from(this.world.handle(this.first.lock.handle, agent)),
    };
    this.#users.push(user);
    return user;
  }

  joinAll<Users extends readonly unknown[]>(...names: Users): { [Key in keyof Users]: User } {
    return names.map(() => this.join()) as { [Key in keyof Users]: User };
  }

  /** Begins an async wait. The result has the outcome as soon as the wait ends. */
  wait({ lock }: User): Wait {
    const { signal, leave } = signalByHand();
    const wait: Wait = { outcome: 'waits', leave };
    lock.lockAsync({ signal, ref: false }).then(
      () => (wait.outcome = 'in'),
      (failure: unknown) => {
        if (!(failure instanceof OwnerDiedError)) wait.outcome = 'left';
        else wait.outcome = failure.guard ?? 'refused';
      },
    );
    return wait;
  }

  /** Begins async waits in such an order that the lock serves them in the order of `users`. */
  waitInTurn(users: readonly User[]): readonly Wait[] {
    if (!servesLastFirst(this.kind)) return users.map((user) => this.wait(user));
    return users
      .toReversed()
      .map((user) => this.wait(user))
      .toReversed();
  }

  /** Kills an agent and recovers it. */
  killAndReclaim({ life, id }: User): ReclaimReport {
    life.die();
    return this.first.arena.reclaim(id);
  }

  settle(): Promise<void> {
    return this.world.settle();
  }

  /** Lets all users own the lock in turn. Returns the number of users that were told that an owner died. */
  async serve(users: readonly User[], waits: readonly Wait[]): Promise<number> {
    for (;;) {
      await this.settle();
      const at = users.findIndex(({ lock }, index) => waits[index]?.outcome !== 'waits' && lock.owned);
      const [user, wait] = [users[at], waits[at]];
      if (user === undefined || wait === undefined) break;
      repairAndUnlock(user, wait);
    }
    return waits.filter(({ outcome }) => typeof outcome === 'object').length;
  }

  get owner(): number {
    return this.first.lock.inspect().owner;
  }

  /** The owner unlocks. Returns the id of its agent. */
  unlockByOwner(): number {
    const { owner } = this;
    this.#users.find(({ id }) => id === owner)?.lock.unlock();
    this.world.lot.turn();
    return owner;
  }

  /** Each owner unlocks until the lock is free. Returns the owners in order, beginning with the present owner. */
  async unlockUntilFree(): Promise<number[]> {
    const order: number[] = [];
    await this.settle();
    while (this.owner !== 0) {
      order.push(this.unlockByOwner());
      await this.settle();
    }
    return order;
  }

  expectAtRest(): void {
    expectAtRest(this.first.arena, this.first.lock.handle);
  }
}

/** The owner unlocks. If it was told of a death, it first marks the lock consistent. */
export function repairAndUnlock({ lock }: User, { outcome }: Wait): void {
  if (typeof outcome === 'object') outcome.markConsistent();
  lock.unlock();
}
