// Deaths of agents in tests in which an agent's code continues after an `await`.

import { afterAll, beforeAll } from 'vitest';

export function isDeath(failure: unknown): boolean {
  return failure instanceof Error && failure.message.startsWith('dead before');
}

/** Calls `act`. The death of its agent is no failure. */
export function tolerate(act: () => void): void {
  try {
    act();
  } catch (death) {
    if (!isDeath(death)) throw death;
  }
}

/** Code of a dead agent that continues throws the agent's death. In this file, that is no failure of a test. */
export function ignoreLateDeaths(): void {
  const others = process.listeners('unhandledRejection');
  const passOn = (failure: unknown, promise: Promise<unknown>): void => {
    if (!isDeath(failure)) for (const listener of others) listener(failure, promise);
  };
  beforeAll(() => {
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', passOn);
  });
  afterAll(() => {
    process.off('unhandledRejection', passOn);
    for (const listener of others) process.on('unhandledRejection', listener);
  });
}
