// Agents of one thread that block on each other's locks.

import { Semaphore } from '../../src/index.ts';
import { SemaphoreLock } from '../jobs/semaphore-lock.mjs';
import { World, type Agent } from './crash-world.ts';

export interface DeadlockAgent extends Agent {
  readonly id: number;
  lock(name: string): SemaphoreLock;
  semaphore(ours: Semaphore): Semaphore;
}

export class DeadlockFixture {
  readonly world = new World({ engine: 'wasm' });
  readonly watcher = this.world.join();
  readonly #locks: ReadonlyMap<string, SemaphoreLock>;

  constructor(names: readonly string[]) {
    const { arena } = this.watcher;
    this.#locks = new Map(names.map((name) => [name, SemaphoreLock.create({ arena, name })]));
  }

  join(): DeadlockAgent {
    const agent = this.world.join();
    const from = ({ handle }: SemaphoreLock): SemaphoreLock => SemaphoreLock.from(this.world.handle(handle, agent));
    const own = new Map([...this.#locks].map(([name, lock]) => [name, from(lock)]));
    return {
      ...agent,
      id: agent.context.id,
      lock: (name) => pick(own, name),
      semaphore: ({ handle }) => Semaphore.from(this.world.handle(handle, agent)),
    };
  }

  address(name: string): number {
    return pick(this.#locks, name).handle.address;
  }

  tag(name: string): number {
    return pick(this.#locks, name).handle.tag;
  }
}

function pick(locks: ReadonlyMap<string, SemaphoreLock>, name: string): SemaphoreLock {
  const lock = locks.get(name);
  if (lock === undefined) throw new Error(`There is no lock ${name}.`);
  return lock;
}

/** Thrown to end the sleeps of all agents after `look` has run. */
class Seen extends Error {}

/**
 * Each agent makes its call while the earlier agents sleep in theirs. Returns the result of `look`, which runs when all
 * agents sleep.
 */
export function blockAll<T>(calls: readonly (readonly [agent: Agent, call: () => unknown])[], look: () => T): T {
  const seen: T[] = [];
  const block = (index: number): void => {
    const [agent, call] = calls[index] ?? [];
    if (agent === undefined || call === undefined) {
      seen.push(look());
      throw new Seen();
    }
    agent.life.meanwhile.push(() => block(index + 1));
    call();
    throw new Error(`Agent ${agent.context.id} did not block.`);
  };
  try {
    block(0);
  } catch (failure) {
    if (!(failure instanceof Seen)) throw failure;
  }
  if (seen.length !== 1) throw new Error('Nothing was seen.');
  return seen[0] as T;
}
