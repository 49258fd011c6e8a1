import { test } from 'vitest';
import { counting, futexLock, ticketLock, ttsLock, type Lock } from './locks.ts';
import { mustPass } from './verdict.ts';

test('a futex mutex is correct for two agents in every schedule', () => {
  mustPass(counting('futex mutex', futexLock, 2, 3));
});

test('a futex mutex is correct for two agents with spurious wake-ups', () => {
  mustPass(counting('futex mutex', futexLock, 2, 2), { spurious: true });
});

test('a futex mutex is correct for three agents in every schedule of one round', () => {
  mustPass(counting('futex mutex', futexLock, 3, 1));
});

test('a futex mutex is correct for three agents with two preemptions', () => {
  mustPass(counting('futex mutex', futexLock, 3, 3), { preemptions: 2 });
});

test('a futex mutex is correct in random schedules of four agents', () => {
  mustPass(counting('futex mutex', futexLock, 4, 3), { random: { seed: 1, executions: 1000 } });
});

test('a ticket lock is correct for three agents in every schedule', () => {
  mustPass(counting('ticket lock', ticketLock, 2, 5));
  mustPass(counting('ticket lock', ticketLock, 3, 2));
});

test('a test-and-test-and-set lock is correct for two agents in every schedule', () => {
  mustPass(counting('test-and-test-and-set lock', ttsLock, 2, 3));
});

test('Peterson’s lock is correct for two agents in every schedule', () => {
  const WANTS = 16;
  const TURN = 24;
  const peterson: Lock = {
    lock(ctx) {
      const other = 1 - ctx.index;
      ctx.words.store32(WANTS + 4 * ctx.index, 1);
      ctx.words.store32(TURN, other);
      ctx.until(() => ctx.words.load32(WANTS + 4 * other) === 0 || ctx.words.load32(TURN) === ctx.index);
    },
    unlock(ctx) {
      ctx.words.store32(WANTS + 4 * ctx.index, 0);
    },
  };
  mustPass({ ...counting("Peterson's lock", peterson, 2, 4), bytes: 28 });
});

test('a waiter that announces itself before its last check is never forgotten (Dekker)', () => {
  const FLAG = 0;
  const WAITERS = 4;
  const GATE = 8;
  mustPass({
    name: 'Dekker wake-up',
    bytes: 12,
    agents: [
      {
        name: 'waiter',
        body: ({ words, parking }) => {
          words.add32(WAITERS, 1);
          if (words.load32(FLAG) === 1) return;
          while (words.load32(GATE) === 0) parking.wait(GATE, 0);
        },
      },
      {
        name: 'signaller',
        body: ({ words, parking }) => {
          words.store32(FLAG, 1);
          if (words.load32(WAITERS) === 0) return;
          words.store32(GATE, 1);
          parking.notify(GATE);
        },
      },
    ],
  });
});

test('two agents of a hundred operations each on mostly private words are searched completely', () => {
  mustPass({
    name: 'a hundred operations each',
    bytes: 256,
    agents: [0, 1].map((self) => ({
      name: `agent ${self}`,
      body: ({ words }) => {
        for (let at = 0; at < 100; at += 1) words.load32(at % 20 === 19 ? 4 : 128 * self + 4 * (at % 8) + 32);
        for (let at = 0; at < 4; at += 1) words.add32(0, 1);
        return words.load32(128 * (1 - self) + 32);
      },
    })),
    final: (words) => words.load32(0) === 8,
  });
});
