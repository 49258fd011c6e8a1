// Several agents of one thread at one buffer; each can die.

import type { Arena, ReclaimReport } from '@sluice/core';
import { Death } from '../../../core/test/support/crash.ts';
import { World, type Agent } from '../../../core/test/support/crash-world.ts';
import { BoundedBuffer, type TakingOptions } from '../../src/index.ts';
import './arena-kinds.ts';

export interface Member<T = number> extends Agent {
  readonly buffer: BoundedBuffer<T>;
}

/** The layout of the buffer's values. `capacity`: how many fit. */
export interface Way<T = number> {
  readonly name: string;
  readonly create: (arena: Arena, capacity: number) => BoundedBuffer<T>;
}

const NAME = 'scene';

export const WAYS: readonly Way[] = [
  { name: 'int32', create: (arena, capacity) => BoundedBuffer.create({ arena, name: NAME, codec: 'int32', capacity }) },
  {
    name: 'json in a ring',
    create: (arena, capacity) =>
      BoundedBuffer.create<number>({ arena, name: NAME, capacity, ringBytes: 16 * capacity }),
  },
];

export const SCENES = WAYS.flatMap((way) =>
  (['wasm', 'js'] as const).map((engine) => ({ way, engine, title: `${way.name} (${engine})` })),
);

/** The outcome of an async call, once it has one. */
export interface Wait {
  outcome: 'waits' | { readonly got: unknown } | { readonly failed: unknown };
}

export class Scene<T = number> {
  readonly world: World;
  /** An agent that never dies. */
  readonly first: Member<T>;

  constructor(engine: 'wasm' | 'js', { create }: Way<T>, capacity: number) {
    this.world = new World({ engine });
    const agent = this.world.join();
    this.first = { ...agent, buffer: create(agent.arena, capacity) };
  }

  join(options: TakingOptions = {}): Member<T> {
    const agent = this.world.join();
    return { ...agent, buffer: BoundedBuffer.from<T>(this.world.handle(this.first.buffer.handle, agent), options) };
  }

  joinAll(count: number): Member<T>[] {
    return Array.from({ length: count }, () => this.join());
  }

  /** Kills and recovers the agent, then lets all others run. */
  async bury({ life, context }: Agent): Promise<ReclaimReport> {
    life.die();
    const report = this.first.arena.reclaim(context.id);
    await this.world.settle();
    if (!('permits' in report)) throw new Error('the agent could not be recovered');
    return report;
  }

  wait(promise: Promise<unknown>): Wait {
    const wait: Wait = { outcome: 'waits' };
    promise.then(
      (got) => (wait.outcome = { got }),
      (failed: unknown) => (wait.outcome = { failed }),
    );
    return wait;
  }

  /** Kills the agent before its next step of that name, in that call. */
  dieBefore(step: string, { life }: Agent, call: () => unknown): void {
    life.before.set(step, () => life.die());
    this.dieIn(call);
    if (!life.isDead) throw new Error(`the call had no step ${step}`);
  }

  /** Kills the agent somewhere in that call. */
  dieIn(call: () => unknown): void {
    try {
      call();
    } catch (failure) {
      if (!(failure instanceof Death)) throw failure;
    }
  }

  /** Returns the values that can still be taken at once. */
  drain(): T[] {
    return this.first.buffer.tryPopMany();
  }
}

export const NO_LOSS = { locksOrphaned: [], buffersInterrupted: [], ticketsWithdrawn: 0, permits: [], blocksFreed: 0 };
