// Small locks over one word: correct ones, and wrong ones made from them.

import type { Context, Scenario } from '../src/index.ts';

export interface Lock {
  readonly lock: (ctx: Context) => void;
  readonly unlock: (ctx: Context) => void;
}

const STATE = 0;
const SERVING = 4;
const INSIDE = 8;
const COUNTER = 12;

/** Three states: 0 is free, 1 is locked, 2 is locked with possible sleepers (Drepper, "Futexes are tricky"). */
export const futexLock: Lock = {
  lock({ words, parking }) {
    if (words.cas32(STATE, 0, 1) === 0) return;
    while (words.exchange32(STATE, 2) !== 0) parking.wait(STATE, 2);
  },
  unlock({ words, parking }) {
    if (words.exchange32(STATE, 0) === 2) parking.notify(STATE, 1);
  },
};

export const ticketLock: Lock = {
  lock(ctx) {
    const ticket = ctx.words.add32(STATE, 1);
    ctx.until(() => ctx.words.load32(SERVING) === ticket);
  },
  unlock({ words }) {
    words.add32(SERVING, 1);
  },
};

/** A test-and-test-and-set lock. */
export const ttsLock: Lock = {
  lock(ctx) {
    while (ctx.words.exchange32(STATE, 1) !== 0) {
      while (ctx.words.load32(STATE) !== 0) ctx.pause();
    }
  },
  unlock({ words }) {
    words.store32(STATE, 0);
  },
};

/** Each agent adds one to a counter, by a load and a store under the lock. */
export function counting(name: string, lock: Lock, agents: number, rounds: number): Scenario {
  return {
    name: `${name}, ${agents} agents, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
    bytes: 16,
    agents: Array.from({ length: agents }, (_, index) => ({
      name: `agent ${index}`,
      body: (ctx) => {
        const { words } = ctx;
        for (let round = 0; round < rounds; round += 1) {
          lock.lock(ctx);
          ctx.assert(words.add32(INSIDE, 1) === 0, 'two agents are inside');
          words.store32(COUNTER, words.load32(COUNTER) + 1);
          words.add32(INSIDE, -1);
          lock.unlock(ctx);
          ctx.forget();
        }
      },
    })),
    final: (words) => words.load32(COUNTER) === agents * rounds || `the counter is ${words.load32(COUNTER)}`,
    label: (address) => ['state', 'serving', 'inside', 'counter'][address / 4],
  };
}
