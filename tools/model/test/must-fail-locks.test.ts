// Tests wrong programs with locks. The explorer must find the fault of each.

import { expect, test } from 'vitest';
import type { Scenario } from '../src/index.ts';
import { counting, futexLock, type Lock } from './locks.ts';
import { mustFail } from './verdict.ts';

const bodies = (...list: readonly Scenario['agents'][number]['body'][]): Scenario['agents'] =>
  list.map((body, index) => ({ name: `agent ${index}`, body }));

test('lost update: a load and a store do not make an addition', () => {
  const add: Scenario['agents'][number]['body'] = ({ words }) => {
    words.store32(0, words.load32(0) + 1);
  };
  const trace = mustFail(
    {
      name: 'lost update',
      bytes: 4,
      agents: bodies(add, add),
      final: (words) => words.load32(0) === 2,
      label: () => 'count',
    },
    'assertion',
  );
  expect(trace).toContain('load32(count) = 0');
});

test('lost update: 64-bit loads and stores do not make an addition either', () => {
  const add: Scenario['agents'][number]['body'] = ({ words }) => {
    words.store64(8, words.load64(8) + 1n);
  };
  mustFail(
    { name: 'lost 64-bit update', bytes: 16, agents: bodies(add, add), final: (words) => words.load64(8) === 2n },
    'assertion',
  );
});

test('two locks taken in opposite orders deadlock', () => {
  const take =
    (first: number, second: number): Scenario['agents'][number]['body'] =>
    ({ words, parking }) => {
      for (const lock of [first, second]) while (words.exchange32(lock, 1) !== 0) parking.wait(lock, 1);
      for (const lock of [second, first]) {
        words.store32(lock, 0);
        parking.notify(lock, 1);
      }
    };
  const trace = mustFail({ name: 'two locks', bytes: 8, agents: bodies(take(0, 4), take(4, 0)) }, 'deadlock');
  expect(trace).toContain('asleep');
});

test('two spin locks taken in opposite orders deadlock, too', () => {
  const take =
    (first: number, second: number): Scenario['agents'][number]['body'] =>
    (ctx) => {
      for (const lock of [first, second]) while (ctx.words.cas32(lock, 0, 1) !== 0) ctx.pause();
    };
  mustFail({ name: 'two spin locks', bytes: 8, agents: bodies(take(0, 4), take(4, 0)) }, 'deadlock');
});

test('a mutex whose unlock does not notify leaves a sleeper behind', () => {
  const mute: Lock = { ...futexLock, unlock: ({ words }) => void words.exchange32(0, 0) };
  mustFail(counting('dropped notify', mute, 2, 1), 'deadlock');
});

test('a mutex that forgets possible sleepers leaves a sleeper behind', () => {
  // After waking it sets the lock to 1 instead of 2, so the third agent is never notified.
  const forgetful: Lock = {
    lock: ({ words, parking }) => {
      while (words.cas32(0, 0, 1) !== 0) {
        words.cas32(0, 1, 2);
        parking.wait(0, 2);
      }
    },
    unlock: futexLock.unlock,
  };
  mustFail(counting('forgotten sleepers', forgetful, 3, 1), 'deadlock', { preemptions: 2 });
});

test('a lock that is unlocked before the last write protects nothing', () => {
  const early: Lock = { lock: futexLock.lock, unlock: () => undefined };
  const scenario = counting('early unlock', early, 2, 1);
  const agents = scenario.agents.map(({ name }) => ({
    name,
    body: (ctx: Parameters<Lock['lock']>[0]) => {
      futexLock.lock(ctx);
      const before = ctx.words.load32(12);
      futexLock.unlock(ctx);
      ctx.words.store32(12, before + 1);
    },
  }));
  mustFail({ ...scenario, agents }, 'assertion');
});

test('Peterson’s lock with the two stores exchanged admits both agents', () => {
  const swapped: Lock = {
    lock(ctx) {
      const other = 1 - ctx.index;
      ctx.words.store32(24, other);
      ctx.words.store32(16 + 4 * ctx.index, 1);
      ctx.until(() => ctx.words.load32(16 + 4 * other) === 0 || ctx.words.load32(24) === ctx.index);
    },
    unlock: (ctx) => {
      ctx.words.store32(16 + 4 * ctx.index, 0);
    },
  };
  mustFail({ ...counting('exchanged Peterson', swapped, 2, 1), bytes: 28 }, 'assertion');
});

test('a ticket lock that compares tickets by size fails when its counter wraps', () => {
  const ordered: Lock = {
    lock(ctx) {
      const ticket = ctx.words.add32(0, 1);
      ctx.until(() => ctx.words.load32(4) >= ticket);
    },
    unlock: ({ words }) => void words.add32(4, 1),
  };
  const scenario = counting('tickets compared by size', ordered, 2, 1);
  mustFail(
    {
      ...scenario,
      setup: (words) => {
        words.store32(0, 0x7fffffff);
        words.store32(4, 0x7fffffff);
      },
    },
    'assertion',
  );
});

test('a pop that trusts an equal head (ABA) loses a node of a Treiber stack', () => {
  const HEAD = 0;
  const next = (node: number): number => 4 * node;
  type Body = Parameters<Lock['lock']>[0];
  const pop = ({ words }: Body): number => {
    for (;;) {
      const head = words.load32(HEAD);
      if (head === 0) return 0;
      const after = words.load32(next(head));
      if (words.cas32(HEAD, head, after) === head) return head;
    }
  };
  const push = ({ words }: Body, node: number): void => {
    for (;;) {
      const head = words.load32(HEAD);
      words.store32(next(node), head);
      if (words.cas32(HEAD, head, node) === head) return;
    }
  };
  const scenario: Scenario = {
    name: 'ABA',
    bytes: 16,
    setup: (words) => {
      words.store32(HEAD, 1);
      words.store32(next(1), 2);
      words.store32(next(2), 3);
    },
    agents: bodies(pop, (ctx) => {
      const first = pop(ctx);
      const second = pop(ctx);
      if (first !== 0) push(ctx, first);
      return second;
    }),
    final: (words, outcomes) => {
      const seen = outcomes.filter((node) => node !== 0);
      for (let node = words.load32(HEAD); node !== 0 && seen.length < 9; node = words.load32(next(node)))
        seen.push(node);
      return new Set(seen).size === 3 && seen.length === 3;
    },
    label: (address) => (address === HEAD ? 'head' : `next of ${address / 4}`),
  };
  expect(mustFail(scenario, 'assertion')).toContain('cas32(head, 1 -> 2) = 1 ok');
});
