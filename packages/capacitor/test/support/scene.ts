// Several agents of one thread with one wrapped lock. Each can die.

import { OwnerDiedError, type RecoveryGuard, type ReclaimReport } from '@sluice/core';
import { expect, onTestFinished, vi } from 'vitest';
import { Death } from '../../../core/test/support/crash.ts';
import { World, type Agent } from '../../../core/test/support/crash-world.ts';
import { CapacitorLock, type CapacitorLockOptions } from '../../src/index.ts';
import { MUTEX, type InnerKind, type OwnInner } from './inner-kinds.ts';
import './kinds.ts';
import { renamedHandle } from './wrapped.ts';

export interface Member extends Agent {
  readonly lock: CapacitorLock;
  readonly inner: OwnInner;
}

export type Outcome = 'waits' | 'clean' | 'refused' | RecoveryGuard;

export interface SceneOptions extends CapacitorLockOptions {
  readonly engine?: 'wasm' | 'js';
  readonly kind?: InnerKind;
}

/** The timed checks of all agents. They run when the test says so, and those of dead agents do nothing. */
class AllChecks {
  readonly #rounds = new Map<object, () => void>();

  constructor() {
    const start = vi.spyOn(globalThis, 'setInterval').mockImplementation((round) => {
      const timer = { ref: nothing, unref: nothing } as unknown as NodeJS.Timeout;
      this.#rounds.set(timer, round);
      return timer;
    });
    const stop = vi
      .spyOn(globalThis, 'clearInterval')
      .mockImplementation((timer) => void this.#rounds.delete(timer as object));
    onTestFinished(() => {
      start.mockRestore();
      stop.mockRestore();
    });
  }

  walk(): void {
    for (const round of [...this.#rounds.values()]) {
      try {
        round();
      } catch (failure) {
        if (!(failure instanceof Death)) throw failure;
      }
    }
  }
}

function nothing(): void {
  // No timer keeps the process alive here.
}

export class Scene {
  readonly #checks = new AllChecks();
  readonly world: World;
  /** An agent that never dies. */
  readonly first: Member;
  readonly #kind: InnerKind;

  constructor({ engine = 'wasm', kind = MUTEX, ...options }: SceneOptions) {
    this.world = new World({ engine, pages: 4 });
    this.#kind = kind;
    const agent = this.world.join();
    const inner = kind.create(agent.arena);
    this.first = { ...agent, inner, lock: CapacitorLock.create(inner, { name: 'gate', ...options }) };
  }

  join(): Member {
    const agent = this.world.join();
    const { inner, lock } = this.first;
    const handle = this.world.handle(inner.handle, agent);
    const theirs = this.#kind.open(handle);
    return { ...agent, inner: theirs, lock: CapacitorLock.from(renamedHandle(lock.handle, handle.arena), theirs) };
  }

  /** Kills and recovers the agent, then lets all others run. */
  async bury({ life, context }: Agent): Promise<ReclaimReport> {
    life.die();
    const report = this.first.arena.reclaim(context.id);
    await this.world.settle();
    if (!('permits' in report)) throw new Error('the agent could not be recovered');
    return report;
  }

  /** Kills an owner, whose heir is the next owner. */
  async orphan(): Promise<void> {
    const owner = this.join();
    owner.lock.lock();
    await this.bury(owner);
  }

  /** The outcome of an async wait, once it has one. */
  wait({ lock }: Pick<Member, 'lock'>): { outcome: Outcome } {
    const wait: ReturnType<Scene['wait']> = { outcome: 'waits' };
    lock.lockAsync({ ref: false }).then(
      () => (wait.outcome = 'clean'),
      (failure: unknown) => (wait.outcome = failure instanceof OwnerDiedError ? (failure.guard ?? 'refused') : 'waits'),
    );
    return wait;
  }

  /** Returns the outcome of a call or a promise. */
  async outcome(call: () => unknown): Promise<Outcome> {
    try {
      const result = Promise.resolve(call());
      result.catch(() => undefined);
      await this.world.settle();
      await result;
    } catch (failure) {
      if (!(failure instanceof OwnerDiedError)) throw failure;
      return failure.guard ?? 'refused';
    }
    return 'clean';
  }

  /** Advances the time, and lets all agents run, including those whose timeout elapses. */
  async pass(): Promise<void> {
    // A timed check has to see the same state twice.
    for (let round = 0; round < 2; round++) {
      this.world.lot.clock += 10;
      this.#checks.walk();
      await this.world.settle();
    }
  }

  /** Checks that no agent is at the gate, and that the lock is free. */
  expectAtRest(): void {
    const { lock, arena } = this.first;
    expect([lock.owned, arena.inspect().elements.waiting]).toEqual([false, 0]);
    for (let times = 0; times < 25; times++) {
      expect(lock.tryLock(), 'an agent is at the gate, or in the lock').toBe(true);
      this.world.lot.clock += 10;
      lock.unlock();
    }
    const [lineState] = arena.inspect().agents.filter(({ agent }) => agent === arena.agentId);
    expect(lineState).toMatchObject({ holds: [], waits: [] });
  }
}

/** Returns the guard of an heir. */
export function inherited(outcome: Outcome): RecoveryGuard {
  if (typeof outcome === 'string') throw new Error(`not an heir: ${outcome}`);
  return outcome;
}
