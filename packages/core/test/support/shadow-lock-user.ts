// A living agent in the line of an owned lock, with the outcome that it got when it acquired the lock.

import { OwnerDiedError, type Arena } from '../../src/index.ts';
import { HEALTH } from '../../src/kernel/layout.ts';
import { ORPHANED, UNRECOVERABLE } from '../../src/kernel/states.ts';
import type { Words } from '../../src/kernel/words.ts';
import { SemaphoreLock } from '../jobs/semaphore-lock.mjs';
import { owns } from './predict-report.ts';
import type { Agent, World } from './crash-world.ts';
import { expectSame } from './expect-same.ts';

export type Told = 'waits' | 'clean' | 'told' | 'refused';

export class ShadowLockUser {
  readonly lock: SemaphoreLock;
  readonly #told: Told[] = [];
  #owns = false;

  constructor(arena: Arena) {
    this.lock = SemaphoreLock.create({ arena, name: 'owned' });
  }

  /** Another agent's own instance of the lock. */
  at(agent: Agent, world: World): SemaphoreLock {
    return SemaphoreLock.from(world.handle(this.lock.handle, agent));
  }

  /** Waits in line `times` times. Each time it repairs if necessary and passes the lock on. */
  wait(times = 1): void {
    for (let count = 0; count < times; count++) {
      const index = this.#told.push('waits') - 1;
      this.lock.lockAsync({ ref: false }).then(
        () => {
          this.#told[index] = 'clean';
          this.lock.unlock();
        },
        (failure: unknown) => {
          this.#told[index] = this.#inherit(failure);
        },
      );
    }
  }

  #inherit(failure: unknown): Told {
    if (!(failure instanceof OwnerDiedError)) throw failure;
    failure.guard?.markConsistent();
    failure.guard?.release();
    return failure.guard === undefined ? 'refused' : 'told';
  }

  take(): void {
    this.lock.lock();
    this.#owns = true;
  }

  giveBack(): void {
    this.#owns = false;
    this.lock.unlock();
  }

  /** Returns the notices that all waiters and the next owner after them will get after the victim has died. */
  expected(words: Words, victim: number): readonly Told[] {
    const owned = owns(words, victim, this.lock.handle.address);
    const health = words.load32(this.lock.handle.address + HEALTH);
    const all: readonly Told[] = [...this.#told, 'waits'];
    const next = all.indexOf('waits');
    return all.map((told, index) => {
      if (told !== 'waits') return told;
      if (health === UNRECOVERABLE) return 'refused';
      return index === next && (owned || health === ORPHANED) ? 'told' : 'clean';
    });
  }

  /** Lets all tasks have their turn. */
  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    if (this.#owns) this.giveBack();
    await settle();
    this.wait();
    await settle();
    expectSame(this.#told, expected);
    expectSame(this.lock.waiting, 0);
  }
}
