// An agent dies at every point of every operation at a lock manager, and so does the agent that recovers it. Afterwards
// every request is served, and no entry is left in memory.

import { expect } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { suddenly } from '../../core/test/support/crash-offices.ts';
import { together, type Operation, type Stage, type Witness } from '../../core/test/support/crash-stage.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { LockManager } from '../src/index.ts';
import './support/kinds.ts';
import { unseeded } from './support/unseeded.ts';

const NAME = 'res';
const forever = new Promise<never>(() => undefined);

/** Tasks of the living agent that request the lock. */
class LockShadows implements Witness {
  readonly locks: LockManager;
  readonly #stage: Stage;
  readonly #ended: boolean[] = [];
  readonly #releases: (() => void)[] = [];

  constructor(stage: Stage) {
    this.locks = unseeded(() => LockManager.create({ arena: stage.living.arena, name: 'locks' }));
    this.#stage = stage;
    stage.witnesses.push(this);
  }

  /** Lets that many tasks request the lock and release it at once. */
  come(times = 1, mode: 'exclusive' | 'shared' = 'exclusive'): void {
    for (let count = 0; count < times; count++) {
      const index = this.#ended.push(false) - 1;
      void this.locks.request(NAME, { mode }, () => (this.#ended[index] = true));
    }
  }

  /** Holds the lock until the end, or until it is stolen. */
  async take(): Promise<void> {
    const body = new Promise<void>((resolve) => this.#releases.push(resolve));
    void together([this.locks.request(NAME, () => body).catch(() => undefined)]);
    await this.#stage.settle();
  }

  expected(): readonly string[] {
    return [];
  }

  async finish(settle: () => Promise<void>): Promise<void> {
    await settle();
    for (const release of this.#releases) release();
    await settle();
    this.come();
    await settle();
    expect(this.#ended).not.toContain(false);
    expect(await this.locks.query()).toEqual({ held: [], pending: [] });
    // Memory that a death left is freed with the manager, if not earlier.
    this.locks.free();
    expect(
      this.#stage.living.arena
        .inspect()
        .blocks.filter(({ kind, name }) => kind === 'semaphore' && name === `locks: ${NAME}`),
    ).toEqual([]);
  }
}

function atLocks(
  name: string,
  prepare: (stage: Stage, shadows: LockShadows, theirs: LockManager) => (() => unknown) | Promise<() => unknown>,
): Operation {
  return {
    name,
    prepare: (stage) => {
      const shadows = new LockShadows(stage);
      return prepare(stage, shadows, LockManager.from(stage.world.handle(shadows.locks.handle, stage.victim)));
    },
  };
}

/** Lets the victim request the lock. Meanwhile the other tasks hold it in turn. */
async function request(
  stage: Stage,
  theirs: LockManager,
  options: object,
  body: () => unknown = () => undefined,
): Promise<void> {
  const wait = together([theirs.request(NAME, options, body)]);
  await stage.settle();
  await wait;
}

const OPERATIONS: readonly Operation[] = [
  atLocks('requests a free lock', (stage, _, theirs) => () => request(stage, theirs, {})),
  atLocks('requests a lock if it is available', async (stage, shadows, theirs) => {
    await shadows.take();
    return () => request(stage, theirs, { ifAvailable: true });
  }),
  atLocks(
    'holds a lock with requests in line',
    (stage, shadows, theirs) => () => request(stage, theirs, {}, () => shadows.come(2)),
  ),
  atLocks(
    'holds a shared lock with others',
    (stage, shadows, theirs) => () => request(stage, theirs, { mode: 'shared' }, () => shadows.come(2, 'shared')),
  ),
  atLocks('steals a lock from another', async (stage, shadows, theirs) => {
    await shadows.take();
    shadows.come();
    return () => request(stage, theirs, { steal: true });
  }),
  atLocks('queries the state', async (_, shadows, theirs) => {
    await shadows.take();
    shadows.come();
    return () => theirs.query();
  }),
];

function nothing(): void {
  // The outcome does not matter here.
}

crashSuite({
  operations: OPERATIONS,
  inside: OPERATIONS.slice(0, 1),
  holdings: [
    suddenly('holds a web lock', (stage) => {
      const shadows = new LockShadows(stage);
      const theirs = LockManager.from(stage.world.handle(shadows.locks.handle, stage.victim));
      void together([theirs.request(NAME, () => forever).catch(nothing)]);
      shadows.come(2);
    }),
    suddenly('requests a web lock', (stage) => {
      const shadows = new LockShadows(stage);
      const theirs = LockManager.from(stage.world.handle(shadows.locks.handle, stage.victim));
      void shadows.take();
      void together([theirs.request(NAME, () => undefined).catch(nothing)]);
      shadows.come();
    }),
  ],
});
