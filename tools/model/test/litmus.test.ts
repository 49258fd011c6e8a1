// Tests small programs: the explorer finds the exact set of their outcomes.

import { expect, test } from 'vitest';
import { explore, STUCK, summary, type Scenario } from '../src/index.ts';

type Body = Scenario['agents'][number]['body'];
const X = 0;
const Y = 4;
const WIDE = 8;

function outcomes(name: string, bodies: readonly Body[], more: Partial<Scenario> = {}): string[] {
  const seen = new Set<string>();
  const end: Scenario['final'] = (_, results) => {
    seen.add(results.map((result) => (result === STUCK ? 'stuck' : String(result))).join(' '));
  };
  const agents = bodies.map((body, index) => ({ name: `agent ${index}`, body }));
  const result = explore({ name, bytes: 16, agents, final: end, stuck: end, ...more });
  console.log(summary(result));
  expect(result.failure).toBeUndefined();
  expect(result.exhausted).toBe(true);
  return [...seen].sort();
}

test('store buffering: at least one agent sees the other’s store', () => {
  const side =
    (mine: number, other: number): Body =>
    ({ words }) => {
      words.store32(mine, 1);
      return words.load32(other);
    };
  expect(outcomes('store buffering', [side(X, Y), side(Y, X)])).toEqual(['0 1', '1 0', '1 1']);
});

test('message passing: an agent that sees the flag sees the message', () => {
  const send: Body = ({ words }) => {
    words.store32(X, 1);
    words.store32(Y, 1);
    return '-';
  };
  const receive: Body = ({ words }) => `${words.load32(Y)}${words.load32(X)}`;
  expect(outcomes('message passing', [send, receive])).toEqual(['- 00', '- 01', '- 11']);
});

test('independent reads of independent writes: the readers agree on the order', () => {
  const write =
    (address: number): Body =>
    ({ words }) => {
      words.store32(address, 1);
      return '';
    };
  const read =
    (first: number, second: number): Body =>
    ({ words }) =>
      `${words.load32(first)}${words.load32(second)}`;
  const seen = outcomes('independent reads', [write(X), write(Y), read(X, Y), read(Y, X)]);
  expect(seen).not.toContain('  10 10');
  expect(seen).toHaveLength(15);
});

test('additions: each agent gets a different number', () => {
  const add: Body = ({ words }) => words.add32(X, 1);
  expect(outcomes('additions', [add, add, add])).toEqual(['0 1 2', '0 2 1', '1 0 2', '1 2 0', '2 0 1', '2 1 0']);
});

test('compare-and-swap: exactly one agent wins', () => {
  const take: Body = ({ words }) => (words.cas32(X, 0, 1) === 0 ? 'won' : 'lost');
  expect(outcomes('compare-and-swap', [take, take, take])).toEqual(['lost lost won', 'lost won lost', 'won lost lost']);
});

test('additions wrap at 32 and at 64 bits', () => {
  const setup: Scenario['setup'] = (words) => {
    words.store32(X, 0x7fffffff);
    words.store64(WIDE, 2n ** 63n - 1n);
  };
  const add: Body = ({ words }) =>
    `${words.add32(X, 1)},${words.add64(WIDE, 1n)},${words.load32(X)},${words.load64(WIDE)}`;
  expect(outcomes('wrap', [add], { setup })).toEqual([
    '2147483647,9223372036854775807,-2147483648,-9223372036854775808',
  ]);
});

test('a 64-bit word and its halves are the same memory', () => {
  const halves: Body = ({ words }) => `${words.load32(WIDE)},${words.load32(WIDE + 4)}`;
  const whole: Body = ({ words }) => words.add64(WIDE, 0x1_0000_0001n);
  expect(outcomes('halves', [halves, whole])).toEqual(['0,0 0', '0,1 0', '1,1 0']);
});

test('wait and notify: notified asleep, not equal, or asleep forever', () => {
  const sleeper: Body = ({ parking }) => parking.wait(X, 0);
  const timed: Body = ({ parking }) => parking.wait(X, 0, true);
  const waker: Body = ({ words, parking }) => {
    const woken = parking.notify(X);
    words.store32(X, 1);
    return woken;
  };
  expect(outcomes('notify, then store', [sleeper, waker])).toEqual(['not-equal 0', 'ok 1', 'stuck 0']);
  expect(outcomes('timed', [timed, waker])).toEqual(['not-equal 0', 'ok 1', 'timed-out 0']);
});

test('notify() wakes sleepers in the order in which they fell asleep', () => {
  const sleeper: Body = ({ words, parking }) => {
    const order = words.add32(Y, 1);
    return `${order}${parking.wait(X, 0)}`;
  };
  const waker: Body = (ctx) => {
    ctx.until(() => ctx.words.load32(Y) === 2);
    return ctx.parking.notify(X, 1);
  };
  const seen = outcomes('one of two sleepers', [sleeper, sleeper, waker]);
  expect(seen).toEqual(['0ok stuck 1', '1ok stuck 1', 'stuck 0ok 1', 'stuck 1ok 1', 'stuck stuck 0'].sort());
});

test('either of two sleepers can be the first in the queue', () => {
  const sleeper: Body = ({ parking }) => parking.wait(X, 0);
  const waker: Body = ({ parking }) => parking.notify(X, 1);
  expect(outcomes('which agent is first', [sleeper, sleeper, waker])).toEqual([
    'ok stuck 1',
    'stuck ok 1',
    'stuck stuck 0',
  ]);
});

test('a pause ends a round of its own loop, not of the previous loop', () => {
  const spinner: Body = (ctx) => {
    const seen = ctx.words.load32(X);
    while (ctx.words.load32(X) === 1) ctx.pause();
    while (ctx.words.load32(X) === 0) ctx.pause();
    return seen;
  };
  const writer: Body = ({ words }) => {
    words.store32(X, 0);
    words.store32(X, 1);
    return '-';
  };
  const setup: Scenario['setup'] = (words) => words.store32(X, 1);
  expect(outcomes('two loops', [spinner, writer], { setup })).toEqual(['0 -', '1 -', 'stuck -']);
});

test('all branches of choices are taken, with all schedules', () => {
  const chooser: Body = (ctx) => {
    const choice = ctx.choose(3, 'what to add');
    return `${choice}${ctx.words.add32(X, choice)}`;
  };
  // Nine pairs of choices in two orders. Only 0 with 0 looks the same in both.
  expect(outcomes('choices', [chooser, chooser])).toHaveLength(17);
});

test('until() ends even if the words change one after the other between its two reads', () => {
  const spinner: Body = (ctx) => {
    ctx.until(() => ctx.words.load32(X) === 1 && ctx.words.load32(Y) === 1);
    return 'passed';
  };
  const writer: Body = ({ words }) => {
    words.store32(X, 1);
    words.store32(X, 0);
    words.store32(Y, 1);
    return '-';
  };
  expect(outcomes('two looks', [spinner, writer])).toEqual(['passed -', 'stuck -']);
});
