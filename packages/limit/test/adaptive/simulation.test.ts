// The algorithm in virtual time, beside fixed limits and beside other algorithms. The table in decision 200 is printed
// by `npm test -- limit` with SHOW=1.

import { describe, expect, test } from 'vitest';
import { Adaptive, Aimd, fixed, LongGradient, type Policy } from './support/policies.ts';
import { constant, exponential, Server, type ServiceTime } from './support/server.ts';
import { simulate, type Outcome } from './support/simulate.ts';

const TERMS = { min: 1, max: 200, tolerance: 1.5 };
const MINUTE = 60_000;
/** The calls per second of a server that serves one call at a time in 10 ms. */
const PER_SLOT = 100;

const rows: string[] = [];

function row(name: string, { throughput, latency, p99 }: Outcome, capacity: number): void {
  const share = Math.round((100 * throughput) / (capacity * PER_SLOT));
  rows.push(`| ${name} | ${share} % | ${latency.toFixed(1)} ms | ${p99.toFixed(1)} ms |`);
}

describe.each([
  ['equal', constant],
  ['exponential', exponential],
])('service times that are %s', (times: string, time: ServiceTime) => {
  const run = (policy: Policy, capacity: number): Outcome => {
    const outcome = simulate(policy, new Server(capacity, 10, time), MINUTE);
    return outcome;
  };

  test.each([2, 10, 50])('a server that saturates at %i is used, and does not queue', (capacity) => {
    const found = run(new Adaptive(TERMS), capacity);
    row(`${times}, ${capacity}: this limit`, found, capacity);
    expect(found.throughput).toBeGreaterThan(0.95 * capacity * PER_SLOT);
    expect(found.latency).toBeLessThan(15.5);
    // A limit that was set half as large loses throughput, and one that was set too large has the latency of its queue.
    const low = run(fixed(capacity / 2), capacity);
    const high = run(fixed(4 * capacity), capacity);
    row(`${times}, ${capacity}: fixed at half`, low, capacity);
    row(`${times}, ${capacity}: fixed at 4 times`, high, capacity);
    expect(low.throughput).toBeLessThan(0.6 * found.throughput);
    expect(high.latency).toBeGreaterThan(2.5 * found.latency);
  });

  test('a limit that starts ten times too large finds the size', () => {
    const { sizes } = run(new Adaptive(TERMS, 100), 10);
    expect(sizes.at(-1)).toBeGreaterThanOrEqual(10);
    expect(sizes.at(-1)).toBeLessThanOrEqual(16);
  });

  test('a server whose capacity changes is used throughout, and its queue is short', () => {
    const policy = new Adaptive(TERMS);
    const still = fixed(20);
    const servers = [new Server(20, 10, time), new Server(20, 10, time)] as const;
    for (const capacity of [20, 5, 40, 20]) {
      for (const server of servers) server.capacity = capacity;
      const found = simulate(policy, servers[0], MINUTE / 3);
      const fixedAt20 = simulate(still, servers[1], MINUTE / 3);
      row(`${times}, changed to ${capacity}: this limit`, found, capacity);
      row(`${times}, changed to ${capacity}: fixed at 20`, fixedAt20, capacity);
      expect(found.throughput).toBeGreaterThan(0.93 * capacity * PER_SLOT);
      expect(found.latency).toBeLessThan(16);
      if (capacity < 20) expect(fixedAt20.latency).toBeGreaterThan(2 * found.latency);
      if (capacity > 20) expect(fixedAt20.throughput).toBeLessThan(0.6 * found.throughput);
    }
  });
});

test('additive increase and multiplicative decrease depend on a bound that the caller has to guess', () => {
  const policies = (bound: number): Outcome =>
    simulate(new Aimd(1, TERMS.max, bound), new Server(10, 10, exponential), MINUTE);
  const [tight, loose] = [policies(12), policies(100)] as const;
  row('exponential, 10: AIMD, bound 12 ms', tight, 10);
  row('exponential, 10: AIMD, bound 100 ms', loose, 10);
  const found = simulate(new Adaptive(TERMS), new Server(10, 10, exponential), MINUTE);
  expect(loose.latency).toBeGreaterThan(4 * found.latency);
  // A server that becomes slower for every call is not overloaded, but all its calls are beyond the bound.
  const [aimd, adaptive] = [new Aimd(1, TERMS.max, 20), new Adaptive(TERMS)];
  const outcomes = [aimd, adaptive].map((policy) => {
    const server = new Server(20, 10);
    simulate(policy, server, MINUTE / 3);
    server.mean = 30;
    return simulate(policy, server, MINUTE);
  }) as [Outcome, Outcome];
  row('equal, 20, 30 ms each: AIMD, bound 20 ms', outcomes[0], 20 / 3);
  row('equal, 20, 30 ms each: this limit', outcomes[1], 20 / 3);
  expect(outcomes[0].throughput).toBeLessThan(0.1 * outcomes[1].throughput);
});

test('a gradient over a long average takes the latency of its own queue for that without load', () => {
  const long = simulate(new LongGradient(1, TERMS.max), new Server(10, 10), MINUTE);
  const found = simulate(new Adaptive(TERMS), new Server(10, 10), MINUTE);
  row('equal, 10: gradient over a long average', long, 10);
  expect(long.sizes.at(-1)).toBe(TERMS.max);
  expect(long.latency).toBeGreaterThan(10 * found.latency);
});

test.runIf(process.env.SHOW)('the table of results is printed', () => {
  console.log(rows.join('\n'));
});
