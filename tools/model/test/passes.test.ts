import { expect, test } from 'vitest';
import { explore, report, type Context, type Options, type Result, type Scenario } from '../src/index.ts';

function pass(scenario: Scenario, options: Options = {}): Result {
  const result = explore(scenario, options);
  console.log(report(result));
  expect(result.failure).toBeUndefined();
  expect(result.exhausted).toBe(true);
  return result;
}

const LOCK = 0;
const INSIDE = 4;

/** Drepper's futex mutex: 0 free, 1 taken, 2 taken and somebody may sleep. */
function lock({ words, parking }: Context): void {
  if (words.cas32(LOCK, 0, 1) === 0) return;
  while (words.exchange32(LOCK, 2) !== 0) parking.wait(LOCK, 2);
}
function unlock({ words, parking }: Context): void {
  if (words.exchange32(LOCK, 0) === 2) parking.notify(LOCK, 1);
}

function mutex(agents: number, rounds: number): Scenario {
  const body = (ctx: Context): void => {
    for (let round = 0; round < rounds; round += 1) {
      lock(ctx);
      ctx.assert(ctx.words.add32(INSIDE, 1) === 0, 'two agents inside');
      ctx.words.add32(INSIDE, -1);
      unlock(ctx);
    }
  };
  return {
    name: `futex mutex, ${agents} agents, ${rounds} rounds`,
    bytes: 16,
    agents: Array.from({ length: agents }, (_, index) => ({ name: `agent ${index}`, body })),
    final: (words) => words.load32(LOCK) === 0 && words.load32(INSIDE) === 0,
  };
}

test('a futex mutex holds for two agents in every schedule', () => {
  pass(mutex(2, 1));
  pass(mutex(2, 3));
  pass(mutex(2, 5));
});

test('a futex mutex holds for three agents with two preemptions', () => {
  pass(mutex(3, 2), { preemptions: 2 });
  pass(mutex(3, 1));
  pass(mutex(3, 2));
});
