// Tests wrong programs with waits, which lose wake-ups or permits.

import { expect, test } from 'vitest';
import type { Context, Scenario } from '../src/index.ts';
import { mustFail, mustPass } from './verdict.ts';

const bodies = (...list: readonly Scenario['agents'][number]['body'][]): Scenario['agents'] =>
  list.map((body, index) => ({ name: `agent ${index}`, body }));

test('notify-one on a word that two conditions share wakes the wrong sleeper', () => {
  const waitForBit =
    (bit: number) =>
    ({ words, parking }: Context): void => {
      for (let seen = words.load32(0); (seen & bit) === 0; seen = words.load32(0)) parking.wait(0, seen);
    };
  const setBits =
    (count: number) =>
    ({ words, parking }: Context): void => {
      for (const bit of [1, 2]) {
        words.add32(0, bit);
        parking.notify(0, count);
      }
    };
  // The sleeper woken by bit 2 may be the one that waits for bit 4.
  const scenario = (count: number): Scenario => ({
    name: `notify ${count} on a shared word`,
    bytes: 8,
    agents: bodies(waitForBit(1), waitForBit(2), setBits(count)),
  });
  mustFail(scenario(1), 'deadlock');
  mustPass(scenario(Infinity));
});

test('a waiter that announces itself after its last check sleeps through the signal', () => {
  const FLAG = 0;
  const WAITERS = 4;
  const GATE = 8;
  const trace = mustFail(
    {
      name: 'announce after check',
      bytes: 12,
      agents: bodies(
        ({ words, parking }) => {
          if (words.load32(FLAG) === 1) return;
          words.add32(WAITERS, 1);
          while (words.load32(GATE) === 0) parking.wait(GATE, 0);
        },
        ({ words, parking }) => {
          words.store32(FLAG, 1);
          if (words.load32(WAITERS) === 0) return;
          words.store32(GATE, 1);
          parking.notify(GATE);
        },
      ),
      label: (address) => ['flag', 'waiters', 'gate'][address / 4],
    },
    'deadlock',
  );
  expect(trace).toContain('load32(waiters) = 0');
});

test('a semaphore that checks and then acts gives one permit twice', () => {
  const tryAcquire = ({ words }: Context): boolean => {
    if (words.load32(0) <= 0) return false;
    words.add32(0, -1);
    return true;
  };
  mustFail(
    {
      name: 'check then act',
      bytes: 4,
      setup: (words) => {
        words.store32(0, 1);
      },
      agents: bodies(tryAcquire, tryAcquire),
      invariant: (words) => words.load32(0) >= 0 || `${words.load32(0)} permits`,
    },
    'invariant',
  );
});

test('a barrier that opens for one agent too few releases a party early', () => {
  const COUNT = 0;
  const OPEN = 4;
  const arrived = (agent: number): number => 8 + 4 * agent;
  const barrier = (agents: number, opensAt: number): Scenario => ({
    name: `barrier of ${agents} that opens at ${opensAt}`,
    bytes: 32,
    agents: Array.from({ length: agents }, (_, self) => ({
      name: `agent ${self}`,
      body: (ctx) => {
        const { words, parking } = ctx;
        words.store32(arrived(self), 1);
        if (words.add32(COUNT, 1) + 1 === opensAt) {
          words.store32(OPEN, 1);
          parking.notify(OPEN);
        }
        while (words.load32(OPEN) === 0) parking.wait(OPEN, 0);
        for (let other = 0; other < agents; other += 1)
          ctx.assert(words.load32(arrived(other)) === 1, 'an agent is missing');
      },
    })),
  });
  mustFail(barrier(3, 2), 'assertion');
  mustPass(barrier(3, 3));
});

/** One permit is handed to a waiter through its gate: 0 waiting, 1 granted, 2 cancelled. */
function handOver(name: string, giveUp: (ctx: Context) => boolean): Scenario {
  const GATE = 0;
  const PERMITS = 4;
  return {
    name,
    bytes: 8,
    agents: [
      {
        name: 'waiter',
        body: (ctx) => {
          for (;;) {
            if (ctx.words.load32(GATE) === 1) return true;
            if (ctx.parking.wait(GATE, 0, true) === 'timed-out') return giveUp(ctx);
          }
        },
      },
      {
        name: 'releaser',
        body: ({ words, parking }) => {
          if (words.cas32(GATE, 0, 1) === 0) parking.notify(GATE);
          else words.add32(PERMITS, 1);
        },
      },
    ],
    final: (words, [took]) => words.load32(PERMITS) + (took === true ? 1 : 0) === 1 || 'the permit is lost',
    label: (address) => ['gate', 'permits'][address / 4],
  };
}

test('a waiter that times out without checking again loses a permit', () => {
  const trace = mustFail(
    handOver('blind timeout', ({ words }) => {
      words.store32(0, 2);
      return false;
    }),
    'assertion',
  );
  expect(trace).toContain('times out on gate');
});

test('a waiter that times out by compare-and-swap loses none', () => {
  mustPass(handOver('timeout by compare-and-swap', ({ words }) => words.cas32(0, 0, 2) !== 0));
});

test('a wait without a loop mistakes a spurious wake-up for a notification', () => {
  const scenario: Scenario = {
    name: 'wait without a loop',
    bytes: 4,
    agents: bodies(
      (ctx) => {
        ctx.parking.wait(0, 0);
        ctx.assert(ctx.words.load32(0) === 1, 'awake too early');
      },
      ({ words, parking }) => {
        words.store32(0, 1);
        parking.notify(0);
      },
    ),
  };
  mustPass(scenario);
  mustFail(scenario, 'assertion', { spurious: true });
});

test('two agents that yield to each other forever are a livelock', () => {
  const stepAside =
    (mine: number, other: number) =>
    ({ words }: Context): void => {
      for (;;) {
        words.store32(mine, 1);
        if (words.load32(other) === 0) return;
        words.store32(mine, 0);
      }
    };
  mustFail({ name: 'after you', bytes: 8, agents: bodies(stepAside(0, 4), stepAside(4, 0)) }, 'livelock', {
    maxOperations: 200,
  });
});
