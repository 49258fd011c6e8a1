// Tests the reports of the explorer, and code that breaks its rules.

import { expect, test } from 'vitest';
import { explore, report, summary, type Context, type Scenario, type Words } from '../src/index.ts';
import { mustFail, mustPass } from './verdict.ts';

const agents = (...bodies: readonly Scenario['agents'][number]['body'][]): Scenario['agents'] =>
  bodies.map((body, index) => ({ name: `worker ${'AB'[index]}`, body }));

const add = ({ words }: Context): number => words.add32(0, 1);

test('a failure has its schedule as numbered lines', () => {
  const result = explore({
    name: 'taken twice',
    bytes: 4,
    agents: agents(
      ({ words }) => words.cas32(0, 0, 1),
      (ctx) => {
        ctx.note('about to look');
        ctx.assert(ctx.words.cas32(0, 0, 1) === 0, 'another agent was here');
      },
    ),
    label: () => 'lock',
  });
  expect(result.failure).toEqual({
    kind: 'assertion',
    message: 'another agent was here',
    trace: [
      '  1. worker A  cas32(lock, 0 -> 1) = 0 ok',
      '  2. worker A  returns',
      '     worker B  about to look',
      '  3. worker B  cas32(lock, 0 -> 1) = 1 failed',
    ],
  });
  expect(report(result)).toContain('taken twice: FAILED (assertion)');
});

test('the trace of a failure has as few preemptions as possible', () => {
  const load = ({ words }: Context): void => {
    words.load32(0);
    words.load32(0);
    words.store32(0, words.load32(0) + 1);
  };
  const trace = mustFail(
    { name: 'one preemption', bytes: 4, agents: agents(load, load), final: (words) => words.load32(0) === 2 },
    'assertion',
  );
  const turns = trace.split('\n').map((line) => line.slice(12, 13));
  expect(turns.filter((turn, index) => index > 0 && turn !== turns[index - 1]).length).toBeLessThanOrEqual(2);
});

test('the summary has counts and bounds in one line', () => {
  const scenario: Scenario = { name: 'additions', bytes: 4, agents: agents(add, add) };
  expect(summary(explore(scenario))).toMatch(
    /^additions: passed, all schedules: 2 schedules, 0 merged, 5 states, 4 operations, \d+ ms$/,
  );
  expect(summary(explore(scenario, { preemptions: 1 }))).toContain('all schedules within 1 preemptions');
  expect(summary(explore(scenario, { maxExecutions: 1 }))).toContain('some schedules');
});

test('limits end the search early and are reported', () => {
  const scenario: Scenario = { name: 'limited', bytes: 4, agents: agents(add, add) };
  expect(explore(scenario, { maxExecutions: 1 }).exhausted).toBe(false);
  expect(explore(scenario, { budget: 3 })).toMatchObject({ operations: 3, exhausted: false });
  expect(explore(scenario, { maxMillis: -1 }).exhausted).toBe(false);
  expect(explore(scenario, { random: { seed: 1, executions: 5 } })).toMatchObject({ executions: 5, exhausted: false });
});

test('a seed gives the same random schedules each time', () => {
  const run = (seed: number): string => {
    const order: string[] = [];
    const final: Scenario['final'] = (_, outcomes) => void order.push(outcomes.join(''));
    explore({ name: 'random', bytes: 4, agents: agents(add, add), final }, { random: { seed, executions: 20 } });
    return order.join(' ');
  };
  expect(run(7)).toBe(run(7));
  expect(run(7)).not.toBe(run(8));
});

test('code in finally blocks of a stopped agent has no effect', () => {
  const body = ({ index, words, parking }: Context): void => {
    try {
      words.add32(0, 1);
    } finally {
      words.add32(8 + 4 * index, 1); // a word of its own
      words.add32(4, 1);
      parking.notify(4);
    }
  };
  const counts = (words: Words): string => [0, 4, 8, 12].map((address) => words.load32(address)).join(' ');
  const final: Scenario['final'] = (words) => counts(words) === '2 2 1 1' || counts(words);
  mustPass({ name: 'finally', bytes: 16, agents: agents(body, body), final });
});

test('code that catches every error, including the token, is explored completely', () => {
  const body = ({ words }: Context): number => {
    try {
      words.add32(0, 1);
      return words.add32(0, 1);
    } catch {
      words.store32(0, 99);
      return -1;
    }
  };
  mustPass({
    name: 'catch',
    bytes: 4,
    agents: agents(body, body),
    final: (words, outcomes) => words.load32(0) === 4 && !outcomes.includes(-1),
  });
});

test('an exception of the code under test is an error with its message', () => {
  const result = explore({
    name: 'throws',
    bytes: 4,
    agents: agents(add, (ctx) => {
      if (add(ctx) === 1) throw new TypeError('second');
    }),
  });
  expect(result.failure?.kind).toBe('error');
  expect(result.failure?.message).toContain('TypeError: second');
});

test('a body that is not deterministic is reported', () => {
  let runs = 0;
  const fickle = ({ words }: Context): void => {
    runs += 1;
    words.load32(runs % 2 === 0 ? 0 : 4);
    words.load32(0);
  };
  const all = ({ words }: Context): void => {
    words.add32(0, 1);
    words.add32(4, 1);
  };
  const result = explore({ name: 'fickle', bytes: 8, agents: agents(all, fickle) }, { simplify: false });
  expect(result.failure).toMatchObject({ kind: 'error' });
  expect(result.failure?.message).toContain('not deterministic');
});

test.each([-4, 2, 8, NaN])('the address %s of an 8-byte memory throws', (address) => {
  const result = explore({ name: 'address', bytes: 8, agents: agents(({ words }) => words.load32(address)) });
  expect(result.failure?.kind).toBe('error');
  expect(result.failure?.message).toContain('outside the memory');
});

test('an endless loop is a livelock, whether or not it touches words', () => {
  const spins = ({ words }: Context): void => {
    while (words.load32(0) === 0);
  };
  mustFail({ name: 'spins on a word', bytes: 4, agents: agents(spins, () => undefined) }, 'livelock', {
    maxOperations: 100,
  });
  mustFail(
    {
      name: 'spins on nothing',
      bytes: 4,
      agents: agents((ctx) => {
        for (;;) ctx.pause();
      }),
    },
    'livelock',
  );
});

test('a spin loop without a pause passes if it is bounded', () => {
  const spins = ({ words }: Context): boolean => {
    for (let round = 0; round < 3; round += 1) if (words.load32(0) === 1) return true;
    return false;
  };
  const seen = new Set<unknown>();
  const final: Scenario['final'] = (_, [saw]) => void seen.add(saw);
  mustPass({ name: 'bounded spin', bytes: 4, agents: agents(spins, ({ words }) => words.store32(0, 1)), final });
  expect(seen).toEqual(new Set([true, false]));
});

test('simultaneous put() and get() of two agents on one word fail if such accesses are scheduled', () => {
  const increment = ({ words }: Context): void => {
    words.put32(0, words.get32(0) + 1);
    words.add32(4, 1);
  };
  const scenario: Scenario = {
    name: 'not private',
    bytes: 8,
    agents: agents(increment, increment),
    final: (words) => words.load32(0) === 2,
  };
  mustPass(scenario);
  mustFail(scenario, 'assertion', { scheduleLocal: true });
});

test('an invariant sees every state of the words that it reads, although each belongs to one agent', () => {
  const bump =
    (address: number) =>
    ({ words }: Context): void => {
      words.store32(address, 1);
      words.store32(address, 0);
    };
  const scenario: Scenario = {
    name: 'both raised',
    bytes: 8,
    agents: agents(bump(0), bump(4)),
    invariant: (words) => words.load32(0) + words.load32(4) < 2 || 'both are raised',
  };
  expect(mustFail(scenario, 'invariant')).toContain('store32');
});

test('forget() merges the states before it, and no others', () => {
  const body = (ctx: Context): number => {
    for (let round = 0; round < 4; round += 1) {
      ctx.words.add32(0, 1);
      ctx.words.add32(0, -1);
      ctx.forget();
    }
    return ctx.words.add32(4, 1);
  };
  const forgetful = mustPass({ name: 'forgetful', bytes: 8, agents: agents(body, body) });
  const mindful = mustPass({
    name: 'mindful',
    bytes: 8,
    agents: agents((ctx) => body({ ...ctx, forget: () => undefined }), body),
  });
  expect(forgetful.states).toBeLessThan(mindful.states / 4);
});
