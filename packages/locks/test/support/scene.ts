// Several agents with one lock, in one thread; each can sleep, and die, where a test wants it to.

import { OwnerDiedError, type RecoveryGuard, type ReclaimReport } from '@sluice/core';
import { expectAtRest } from '../../../core/test/support/at-rest.ts';
import { World, type Agent } from '../../../core/test/support/crash-world.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { servesLastFirst, type AnyLock, type LockKind } from './kinds.ts';

export interface User extends Agent {
  readonly id: number;
  readonly lock: AnyLock;
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
  readonly kind: LockKind;
  /** Never dies. */
  readonly first: User;
  readonly #users: User[];

  constructor(kind: LockKind, { engine = 'wasm', spinMicros = 0 }: SceneOptions = {}) {
    this.kind = kind;
    this.world = new World({ engine, policy: { spinMicros, longTermThreshold: 2 } });
    const agent = this.world.join();
    this.first = { ...agent, id: agent.context.id, lock: kind.create({ arena: agent.arena, name: 'scene' }) };
    this.#users = [this.first];
  }

  join(): User {
    const agent = this.world.join();
    const user = { ...agent, id: agent.context.id, lock: this.kind.from(this.world.handle(this.first.lock.handle, agent)) };
    this.#users.push(user);
    return user;
  }

  joinAll<Users extends readonly unknown[]>(...names: Users): { [Key in keyof Users]: User } {
    return names.map(() => this.join()) as { [Key in keyof Users]: User };
  }

  /** What an async wait ends with, once it has. */
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

  /** They wait so that they are served as they stand here. */
  waitInTurn(users: readonly User[]): readonly Wait[] {
    if (!servesLastFirst(this.kind)) return users.map((user) => this.wait(user));
    return users
      .toReversed()
      .map((user) => this.wait(user))
      .toReversed();
  }

  /** Kills and recovers. */
  bury({ life, id }: User): ReclaimReport {
    life.die();
    return this.first.arena.reclaim(id);
  }

  settle(): Promise<void> {
    return this.world.settle();
  }

  /** All of them get it, one after the other; how often one was told of a death. */
  async serve(users: readonly User[], waits: readonly Wait[]): Promise<number> {
    for (;;) {
      await this.settle();
      const at = users.findIndex(({ lock }, index) => waits[index]?.outcome !== 'waits' && lock.owned);
      const [user, wait] = [users[at], waits[at]];
      if (user === undefined || wait === undefined) break;
      goOn(user, wait);
    }
    return waits.filter(({ outcome }) => typeof outcome === 'object').length;
  }

  get owner(): number {
    return this.first.lock.inspect().owner;
  }

  /** Whoever owns it unlocks it; which agent that was. */
  passOn(): number {
    const { owner } = this;
    this.#users.find(({ id }) => id === owner)?.lock.unlock();
    this.world.lot.turn();
    return owner;
  }

  /** All that wait get it and pass it on; which agents, in that order, the present owner first. */
  async passThrough(): Promise<number[]> {
    const order: number[] = [];
    await this.settle();
    while (this.owner !== 0) {
      order.push(this.passOn());
      await this.settle();
    }
    return order;
  }

  expectAtRest(): void {
    expectAtRest(this.first.arena, this.first.lock.handle);
  }
}

/** An heir repairs and passes the lock on; whoever was told nothing just unlocks. */
export function goOn({ lock }: User, { outcome }: Wait): void {
  if (typeof outcome === 'object') outcome.markConsistent();
  lock.unlock();
}
