// Cases of the priorities that async-mutex documents: greater values first, and equal values in the order of the calls.
// Each case has its expected log.

/** What both have. Each acquires one permit. */
export interface Prioritized {
  acquire(priority?: number): Promise<() => void>;
  runExclusive<T>(body: () => T | PromiseLike<T>, priority?: number): Promise<T>;
  waitForUnlock(priority?: number): Promise<void>;
  /** Adds a permit, or returns one that no releaser returns. */
  release(): void;
  isLocked(): boolean;
  getValue(): number;
}

export interface Case {
  readonly name: string;
  readonly permits: number;
  readonly play: (sem: Prioritized, log: (what: unknown) => void) => Promise<void>;
  readonly logged: string;
}

/** Resolves when everything that is due has happened, including turns of the event loop. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Takes each of these priorities in that order, and releases when its turn has come. */
async function passAll(
  sem: Prioritized,
  log: (what: unknown) => void,
  priorities: readonly (number | undefined)[],
): Promise<void> {
  const passes = priorities.map(async (priority, at) => {
    const release = await sem.acquire(priority);
    log(`${priority ?? 'none'}.${at}`);
    await settle();
    release();
  });
  await Promise.all(passes);
}

export const CASES: readonly Case[] = [
  {
    name: 'the waiter of the greatest priority is served first',
    permits: 1,
    play: (sem, log) => passAll(sem, log, [0, -1, 1]),
    logged: '0.0 1.2 -1.1',
  },
  {
    name: 'waiters of equal priorities are served in the order of the calls',
    permits: 1,
    play: (sem, log) => passAll(sem, log, [2, 2, 2, 2]),
    logged: '2.0 2.1 2.2 2.3',
  },
  {
    name: 'the default priority is 0',
    permits: 1,
    play: (sem, log) => passAll(sem, log, [undefined, 0, undefined, -1, 1]),
    logged: 'none.0 1.4 0.1 none.2 -1.3',
  },
  {
    name: 'priorities below 0 are served after the default',
    permits: 1,
    play: (sem, log) => passAll(sem, log, [0, -3, -2, undefined]),
    logged: '0.0 none.3 -2.2 -3.1',
  },
  {
    name: 'greater and lesser priorities that arrive in turn',
    permits: 1,
    play: (sem, log) => passAll(sem, log, [0, 3, -3, 3, -3, 0]),
    logged: '0.0 3.1 3.3 0.5 -3.2 -3.4',
  },
  {
    name: 'eight priorities',
    permits: 1,
    play: (sem, log) => passAll(sem, log, [0, -3, -2, -1, 0, 1, 2, 3, 4]),
    logged: '0.0 4.8 3.7 2.6 1.5 0.4 -1.3 -2.2 -3.1',
  },
  {
    name: 'several permits go to the greatest priorities',
    permits: 2,
    play: (sem, log) => passAll(sem, log, [0, 0, -1, 2, 1]),
    logged: '0.0 0.1 2.3 1.4 -1.2',
  },
  {
    name: 'a free permit is taken at once, whatever the priority',
    permits: 2,
    play: async (sem, log) => {
      const releases = [await sem.acquire(-3), await sem.acquire(4)];
      log(sem.getValue());
      for (const release of releases) release();
      log(sem.getValue());
    },
    logged: '0 2',
  },
  {
    name: 'a later call overtakes waiters of lesser priorities',
    permits: 1,
    play: async (sem, log) => {
      const release = await sem.acquire();
      const low = passAll(sem, log, [-1, -1]);
      await settle();
      const high = passAll(sem, log, [1]);
      await settle();
      release();
      await Promise.all([low, high]);
    },
    logged: '1.0 -1.0 -1.1',
  },
  {
    name: 'a granted permit stays with its waiter when a greater priority arrives',
    permits: 1,
    play: async (sem, log) => {
      const release = await sem.acquire();
      const low = passAll(sem, log, [-1]);
      release();
      const high = passAll(sem, log, [4]);
      await Promise.all([low, high]);
    },
    logged: '-1.0 4.0',
  },
  {
    name: 'a call that arrives while another one runs is next',
    permits: 1,
    play: async (sem, log) => {
      const first = sem.runExclusive(async () => {
        log('first');
        await settle();
      });
      const low = sem.runExclusive(() => log('low'), -1);
      await settle();
      const high = sem.runExclusive(() => log('high'), 1);
      await Promise.all([first, low, high]);
    },
    logged: 'first high low',
  },
  {
    name: 'runExclusive() runs the greatest priority first',
    permits: 1,
    play: async (sem, log) => {
      await Promise.all([
        sem.runExclusive(() => log(0)),
        sem.runExclusive(() => log(-1), -1),
        sem.runExclusive(() => log(1), 1),
      ]);
    },
    logged: '0 1 -1',
  },
  {
    name: 'acquire() and runExclusive() wait together',
    permits: 1,
    play: async (sem, log) => {
      await Promise.all([
        passAll(sem, log, [0, 1, -2]),
        sem.runExclusive(() => log('run 2'), 2),
        sem.runExclusive(() => log('run -1'), -1),
      ]);
    },
    logged: '0.0 run 2 1.1 run -1 -2.2',
  },
  {
    name: 'runExclusive() returns its result, and passes its permit to the greatest priority when it fails',
    permits: 1,
    play: async (sem, log) => {
      const says = (what: string) => (): string => {
        log(what);
        return `${what} done`;
      };
      const failed = sem
        .runExclusive(() => Promise.reject(new Error('failed')))
        .catch((failure: unknown) => (failure as Error).message);
      const low = sem.runExclusive(says('low'), -1);
      log((await Promise.all([failed, sem.runExclusive(says('high'), 1), low])).join(', '));
    },
    logged: 'high low failed, high done, low done',
  },
  {
    name: 'each release serves one waiter, the greatest priority first',
    permits: 0,
    play: async (sem, log) => {
      for (const priority of [1, 3, 2]) void sem.acquire(priority).then(() => log(priority));
      for (let released = 0; released < 3; released++) {
        await settle();
        log('release');
        sem.release();
      }
      await settle();
    },
    logged: 'release 3 release 2 release 1',
  },
  {
    name: 'a releaser that is called twice serves one waiter',
    permits: 1,
    play: async (sem, log) => {
      const release = await sem.acquire();
      for (const priority of [0, 1]) void sem.acquire(priority).then(() => log(priority));
      release();
      release();
      await settle();
      log(sem.getValue());
      sem.release();
      await settle();
    },
    logged: '1 0 0',
  },
  {
    name: 'isLocked() is true while waiters of any priority are served',
    permits: 1,
    play: async (sem, log) => {
      const release = await sem.acquire();
      const passes = passAll(sem, log, [-1, 1]);
      log(sem.isLocked());
      release();
      log(sem.isLocked());
      await passes;
      log(sem.isLocked());
    },
    logged: 'true true 1.1 -1.0 false',
  },
  {
    name: 'waitForUnlock() waits for the waiters of greater priorities',
    permits: 1,
    play: async (sem, log) => {
      const release = await sem.acquire();
      const passes = passAll(sem, log, [2, 2]);
      const unlock = sem.waitForUnlock(1).then(() => log('unlocked'));
      await settle();
      release();
      await Promise.all([passes, unlock]);
    },
    logged: '2.0 2.1 unlocked',
  },
  {
    name: 'waitForUnlock() resolves before the waiters of lesser priorities',
    permits: 1,
    play: async (sem, log) => {
      const release = await sem.acquire();
      const passes = passAll(sem, log, [0, -1]);
      const unlock = sem.waitForUnlock(1).then(() => log('unlocked'));
      await settle();
      release();
      await Promise.all([passes, unlock]);
    },
    logged: 'unlocked 0.0 -1.1',
  },
  {
    name: 'waitForUnlock() of the least priority waits until the line is empty',
    permits: 1,
    play: async (sem, log) => {
      const release = await sem.acquire();
      const passes = passAll(sem, log, [0]);
      const unlock = sem.waitForUnlock(-1).then(() => log('unlocked'));
      const late = passAll(sem, log, [1]);
      await settle();
      release();
      await Promise.all([passes, unlock, late]);
    },
    logged: '1.0 0.0 unlocked',
  },
];

/**
 * Cases whose waiters want several permits: a `PrioritySemaphore` gives its waiters one each. Each case logs what
 * async-mutex does.
 */
export interface WeightedCase {
  readonly name: string;
  /** In the order of the calls, at two permits: each holder releases when `settle` has passed. */
  readonly calls: readonly (readonly [weight: number, priority: number])[];
  readonly logged: string;
}

export const WEIGHTED_CASES: readonly WeightedCase[] = [
  {
    name: 'a lighter call of a greater priority overtakes a waiter that is too heavy',
    calls: [
      [3, 0],
      [1, 1],
    ],
    logged: '1 of 1',
  },
  {
    name: 'a heavier call of a greater priority is served before a lighter one',
    calls: [
      [1, 0],
      [1, 0],
      [1, -1],
      [2, 1],
    ],
    logged: '1 of 0, 1 of 0, 2 of 1, 1 of -1',
  },
];
