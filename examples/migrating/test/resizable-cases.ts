// Cases of the weights, values, cancels and waits for an unlock that async-mutex documents. Each case has its expected
// log.

import { settle } from './priority-cases.ts';

/** What both have. */
export interface Weighted {
  acquire(weight?: number): Promise<readonly [number, () => void]>;
  runExclusive<T>(body: (value: number) => T | PromiseLike<T>, weight?: number): Promise<T>;
  waitForUnlock(weight?: number): Promise<void>;
  release(weight?: number): void;
  cancel(): void;
  isLocked(): boolean;
  getValue(): number;
  setValue(value: number): void;
}

export interface Case {
  readonly name: string;
  readonly permits: number;
  readonly play: (sem: Weighted, log: (what: unknown) => void) => Promise<void>;
  readonly logged: string;
}

/** Logs the end of a wait under that name. */
function follow(wait: Promise<unknown>, log: (what: unknown) => void, name: string): void {
  wait.then(
    () => log(name),
    () => log(`no ${name}`),
  );
}

export const CASES: readonly Case[] = [
  {
    name: 'releases pay a negative initial value',
    permits: -2,
    play: async (sem, log) => {
      follow(sem.acquire(), log, 'taken');
      sem.release(2);
      await settle();
      log(sem.isLocked());
      sem.release(2);
      await settle();
      log(sem.getValue());
    },
    logged: 'true taken 1',
  },
  {
    name: 'weighted waiters are served in order',
    permits: 2,
    play: async (sem, log) => {
      const [, release] = await sem.acquire(2);
      follow(sem.acquire(2), log, 'two');
      follow(sem.acquire(), log, 'one');
      release();
      release();
      await settle();
      sem.release();
      await settle();
      log(sem.getValue());
    },
    logged: 'two one 0',
  },
  {
    name: 'a greater value wakes the waiters for which it suffices',
    permits: 0,
    play: async (sem, log) => {
      for (const weight of [1, 2, 4]) follow(sem.acquire(weight), log, String(weight));
      sem.setValue(3);
      await settle();
      log(sem.isLocked());
    },
    logged: '1 2 true',
  },
  {
    name: 'later releases pay a smaller value',
    permits: 3,
    play: async (sem, log) => {
      await sem.acquire(3);
      sem.setValue(-2);
      log(sem.getValue());
      follow(sem.acquire(), log, 'taken');
      sem.release(2);
      await settle();
      log(sem.isLocked());
      sem.release();
      await settle();
    },
    logged: '-2 true taken',
  },
  {
    name: 'cancel() rejects the waiters, and no later waiter',
    permits: 1,
    play: async (sem, log) => {
      const [, release] = await sem.acquire();
      follow(sem.acquire(), log, 'first');
      follow(
        sem.runExclusive(() => log('never'), 2),
        log,
        'second',
      );
      sem.cancel();
      follow(sem.acquire(), log, 'later');
      await settle();
      release();
      await settle();
      log(sem.isLocked());
    },
    logged: 'no first no second later true',
  },
  {
    name: 'a cancelled waiter does not take a permit that is released later',
    permits: 1,
    play: async (sem, log) => {
      const [, release] = await sem.acquire();
      follow(sem.acquire(), log, 'first');
      sem.cancel();
      release();
      log(sem.isLocked());
      await settle();
    },
    logged: 'false no first',
  },
  {
    name: 'waitForUnlock() takes no permit',
    permits: 1,
    play: async (sem, log) => {
      const [, release] = await sem.acquire();
      for (const name of ['a', 'b']) follow(sem.waitForUnlock(), log, name);
      await settle();
      log(sem.isLocked());
      release();
      await settle();
      log(sem.getValue());
    },
    logged: 'true a b 1',
  },
  {
    name: 'waitForUnlock() waits for its weight',
    permits: 2,
    play: async (sem, log) => {
      await sem.acquire(2);
      for (const weight of [2, 1]) follow(sem.waitForUnlock(weight), log, String(weight));
      sem.release();
      await settle();
      log('between');
      sem.release();
      await settle();
    },
    logged: '1 between 2',
  },
  {
    name: 'waitForUnlock() waits for the waiters before it',
    permits: 1,
    play: async (sem, log) => {
      await sem.acquire();
      follow(sem.acquire(), log, 'taken');
      follow(sem.waitForUnlock(), log, 'unlocked');
      sem.release();
      await settle();
      log('between');
      sem.release();
      await settle();
    },
    logged: 'taken between unlocked',
  },
];
