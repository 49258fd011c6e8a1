// How many arrivals overtake a waiter at a turnstile. Agents of one thread come and go at random, and the clock is the test's own.

import { Arena } from '@sluice/core';
import { Random } from '@sluice/harness';
import { afterEach, expect, test, vi } from 'vitest';
import { TURN_MS } from '../../core/src/turn-length.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { Turnstile } from '../src/index.ts';
import { setLimit } from './support/turnstiles.ts';

const AGENTS = 5;
const STEPS = 40_000;

afterEach(() => {
  vi.restoreAllMocks();
});

interface Passer {
  readonly gate: Turnstile;
  state: 'outside' | 'waits' | 'inside';
  /** While it waits: the number of its wait, how many waiters were before it, how many that came later have entered, and the largest B meanwhile. */
  wait: number;
  before: number;
  overtaken: number;
  most: number;
}

test.each([1, 4, 40])('a waiter with w waiters before it is overtaken by at most (w + 1) · 5/4 · B arrivals that came later: B = %i', async (passes) => {
  let clock = 1;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  const random = new Random(passes);
  const arena = Arena.create({ maxPages: 16 });
  const first = Turnstile.create({ arena });
  setLimit(first, passes);
  const gates = [first, ...Array.from({ length: AGENTS - 1 }, () => openAs(secondAgent(arena), first.handle, (handle) => Turnstile.from(handle)))];
  const all = gates.map((gate): Passer => ({ gate, state: 'outside', wait: 0, before: 0, overtaken: 0, most: 0 }));
  /** By the number of waiters before it. */
  const overtaken = Array.from({ length: AGENTS }, () => 0);
  let waits = 0;
  /** `wait`: the number of its wait. An agent that did not wait came later than all waiters. */
  const enters = (passer: Passer, wait = Infinity): void => {
    passer.state = 'inside';
    for (const waiter of all) {
      if (waiter.state !== 'waits' || waiter.wait > wait) continue;
      waiter.overtaken += 1;
      overtaken[waiter.before] = Math.max(overtaken[waiter.before] ?? 0, waiter.overtaken);
      expect(waiter.overtaken).toBeLessThanOrEqual((waiter.before + 1) * Math.floor((5 * waiter.most) / 4));
    }
  };
  const wait = (passer: Passer): void => {
    const before = all.filter(({ state }) => state === 'waits').length;
    Object.assign(passer, { state: 'waits', wait: ++waits, before, overtaken: 0, most: first.bypassLimit });
    void passer.gate.arriveAsync({ ref: false }).then(() => enters(passer, passer.wait));
  };
  for (let step = 0; step < STEPS; step++) {
    const passer = random.pick(all.filter(({ state }) => state !== 'waits'));
    const { gate } = passer;
    if (passer.state === 'inside') {
      clock += (0.8 * TURN_MS) / passes;
      gate.depart();
      passer.state = 'outside';
      // Most agents come back at once.
      if (random.chance(90) && gate.tryArrive()) enters(passer);
    } else if (gate.tryArrive()) enters(passer);
    else wait(passer);
    for (const waiter of all) waiter.most = Math.max(waiter.most, first.bypassLimit);
    if (random.chance(2)) await turn();
    while (all.every(({ state }) => state === 'waits')) await turn();
  }
  // The bound was approached.
  expect(overtaken[0]).toBeGreaterThanOrEqual(passes);
  console.log(`B = ${passes}, now ${first.bypassLimit}: overtaken at most ${overtaken.join(', ')} times`);
});
