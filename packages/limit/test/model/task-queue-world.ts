// The tasks of agents at one task queue, with its slots, its semaphore `changes` and its word.

import type { Context, Options, Words } from '@sluice/model';
import { BLOCK_LINE, BLOCK_TAG, FLAGS } from '../../../core/src/kernel/layout.ts';
import { END, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { World, type Actor } from '../../../core/test/model/world.ts';
import type * as Entry from './task-queue-entry.ts';

export type TaskQueueCore = typeof Entry;

export interface TaskQueueActor extends Actor {
  readonly queueCore: TaskQueueCore;
  readonly tasks: Entry.Tasks;
}
export type TaskQueueBody = (actor: TaskQueueActor) => unknown;

export interface Plan {
  readonly name: string;
  readonly size: number;
  readonly isPaused?: boolean;
  readonly bodies: readonly TaskQueueBody[];
  readonly options: Options;
}

const [SLOTS, CHANGES] = [0, 1];
const SIZE = END;
const PAUSED = SIZE + 8;

export class TaskQueueWorld extends World {
  readonly #core: TaskQueueCore;
  readonly #plan: Plan;

  constructor(core: TaskQueueCore, plan: Plan) {
    super(core, {
      permits: [plan.size, 0],
      agents: plan.bodies.length,
      most: plan.size,
      async: true,
      elements: 2 * plan.bodies.length + 1,
    });
    this.#core = core;
    this.#plan = plan;
  }

  get case(): Case {
    const { name, bodies, options } = this.#plan;
    const scenario = this.scenario(name, bodies as readonly ((actor: Actor) => unknown)[], undefined, {
      bytes: PAUSED + 8,
      final: (words) => this.#checkRest(words),
    });
    return { scenario, options };
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const { size, isPaused = false } = this.#plan;
    words.put32(semaphoreAddress(CHANGES) + FLAGS, 0);
    words.put64(SIZE, (BigInt(size) << 32n) | BigInt(size));
    words.put32(PAUSED, isPaused ? 1 : 0);
  }

  override actor(ctx: Context): TaskQueueActor {
    const actor = super.actor(ctx);
    const [semaphore, changes] = actor.semaphores;
    if (semaphore === undefined || changes === undefined)
      throw new Error('The world has slots and a semaphore for changes.');
    const { context } = actor;
    const place = { arena: semaphore.arena, context, address: semaphoreAddress(SLOTS), tag: tagOf(SLOTS) };
    const wordAt = (address: number) => ({ handle: { address: address - BLOCK_LINE }, free: () => undefined }) as never;
    const slots = new this.#core.SizedSlots(semaphore, wordAt(SIZE), place);
    const state = new this.#core.SharedState(changes, wordAt(PAUSED), context);
    // No agent dies here, so none has to check again.
    const tasks = new this.#core.Tasks(slots, this.#core.slotSourceOver(slots), state, Infinity);
    return { ...actor, queueCore: this.#core, tasks };
  }

  /** No slot is lost. `changes` may have permits, which wake later waiters without a change. */
  #checkRest(words: Words): string | undefined {
    if (words.load32(semaphoreAddress(SLOTS) + BLOCK_TAG) !== tagOf(SLOTS)) return undefined;
    const free = this.core.referenceKernel(words).balance(semaphoreAddress(SLOTS));
    if (free !== this.#plan.size) return `${free} slots are free at the end`;
    // Waiters of a closed `changes` have left without a permit.
    if (words.load32(semaphoreAddress(CHANGES) + BLOCK_TAG) !== tagOf(CHANGES)) return undefined;
    const balance = this.core.referenceKernel(words).balance(semaphoreAddress(CHANGES));
    return balance < 0 ? 'an agent waits for a change' : undefined;
  }
}
