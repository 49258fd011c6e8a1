// An agent dies at every point of getting, forgetting and freeing a name, and so does the agent that recovers it.
// Afterwards the name refers to one primitive, which the next agent creates if it does not exist.

import { expect } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { suddenly } from '../../core/test/support/crash-offices.ts';
import { together, type Operation, type Stage, type Witness } from '../../core/test/support/crash-stage.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import type { Agent } from '../../core/test/support/crash-world.ts';
import { Mutex } from '../../mutex/src/index.ts';
import { forgetNamed, freeNamed, listNamed, named, namedAsync, type NamedKind } from '../src/index.ts';
import './support/kinds.ts';

const NAME = 'orders';

function kindOf(stage: Stage, agent: Agent): NamedKind<Mutex> {
  return { from: (handle) => Mutex.from(stage.world.handle(handle, agent)) };
}

const create = (options: object): Mutex => Mutex.create(options);
const mutexOf = (stage: Stage, agent: Agent): Mutex => named(agent.arena, NAME, kindOf(stage, agent), create);

/** Tasks of the living agent that request the name. */
class NameShadows implements Witness {
  readonly #stage: Stage;
  readonly #found: (number | undefined)[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
    stage.witnesses.push(this);
  }

  come(): void {
    const index = this.#found.push(undefined) - 1;
    const { living } = this.#stage;
    void namedAsync(living.arena, NAME, kindOf(this.#stage, living), create, { ref: false }).then(
      ({ handle }) => (this.#found[index] = handle.address),
    );
  }

  expected(): readonly string[] {
    return [];
  }

  async finish(settle: () => Promise<void>): Promise<void> {
    const { living } = this.#stage;
    await settle();
    this.come();
    await settle();
    const mutex = mutexOf(this.#stage, living);
    expect(this.#found.at(-1)).toBe(mutex.handle.address);
    expect(this.#found).not.toContain(undefined);
    expect(listNamed(living.arena)).toMatchObject([
      { name: NAME, state: 'ready', address: mutex.handle.address, creator: 0, waiting: 0 },
    ]);
    // The victim may have died while it freed the mutex.
    const guard = mutex.takeOver();
    guard?.markConsistent();
    guard?.release();
    expect(mutex.tryLock()).toBe(true);
    mutex.unlock();
    expect(freeNamed(living.arena, NAME, kindOf(this.#stage, living))).toBe(true);
    expect(listNamed(living.arena)).toEqual([]);
  }
}

function atName(name: string, prepare: (stage: Stage, shadows: NameShadows) => () => unknown): Operation {
  return { name, prepare: (stage) => prepare(stage, new NameShadows(stage)) };
}

const OPERATIONS: readonly Operation[] = [
  atName('asks for the first name of an arena', (stage) => () => mutexOf(stage, stage.victim)),
  atName('asks for a name that others know', (stage) => {
    mutexOf(stage, stage.living);
    return () => mutexOf(stage, stage.victim);
  }),
  atName('asks for a name and the creator throws', (stage) => {
    mutexOf(stage, stage.living);
    freeNamed(stage.living.arena, NAME, kindOf(stage, stage.living));
    return () => {
      try {
        named(stage.victim.arena, NAME, kindOf(stage, stage.victim), () => {
          throw new RangeError('no');
        });
      } catch (failure) {
        if (!(failure instanceof RangeError)) throw failure;
      }
    };
  }),
  atName(
    'creates while others wait',
    (stage, shadows) => () =>
      named(stage.victim.arena, NAME, kindOf(stage, stage.victim), (options) => {
        shadows.come();
        return Mutex.create(options);
      }),
  ),
  atName('waits for another creator', (stage) => {
    let finish: (() => void) | undefined;
    const { living, victim } = stage;
    void namedAsync(living.arena, NAME, kindOf(stage, living), async (options) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return Mutex.create(options);
    });
    return async () => {
      await stage.settle();
      const wait = together([namedAsync(victim.arena, NAME, kindOf(stage, victim), create, { ref: false })]);
      finish?.();
      await stage.settle();
      await wait;
    };
  }),
  atName('forgets a name', (stage) => {
    mutexOf(stage, stage.living);
    return () => forgetNamed(stage.victim.arena, NAME);
  }),
  atName('frees a name', (stage) => {
    mutexOf(stage, stage.living);
    return () => freeNamed(stage.victim.arena, NAME, kindOf(stage, stage.victim));
  }),
  atName('asks for a name whose primitive was freed', (stage) => {
    mutexOf(stage, stage.living).free();
    return () => mutexOf(stage, stage.victim);
  }),
];

crashSuite({
  operations: OPERATIONS,
  holdings: [
    suddenly('creates a primitive for which others wait', (stage) => {
      const shadows = new NameShadows(stage);
      void together([
        namedAsync(stage.victim.arena, NAME, kindOf(stage, stage.victim), () => new Promise<Mutex>(() => undefined), {
          ref: false,
        }),
      ]);
      shadows.come();
    }),
  ],
});
