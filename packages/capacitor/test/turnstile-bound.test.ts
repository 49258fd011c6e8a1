// The number of arrivals that overtake a waiter at a turnstile, alone and as the default gate of a lock. Agents of one
// thread come and go at random, by the test's own clock.

import { Arena } from '@sluice/core';
import { Random } from '@sluice/harness';
import { afterEach, expect, test, vi } from 'vitest';
import { TURN_MS } from '../../core/src/locks/turn-length.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { CapacitorLock, Turnstile } from '../src/index.ts';
import { LIFO, type InnerKind } from './support/inner-kinds.ts';
import { setLimit } from './support/turnstiles.ts';
import { renamedHandle } from './support/wrapped.ts';

const AGENTS = 5;
const STEPS = 40_000;

afterEach(() => {
  vi.restoreAllMocks();
});

/** A turnstile, or a lock behind one, as one agent's instance. */
interface Way {
  readonly bypassLimit: number;
  tryEnter(): boolean;
  enterAsync(): Promise<void>;
  leave(): void;
}

interface Passer {
  readonly way: Way;
  state: 'outside' | 'waits' | 'inside';
  /**
   * While it waits: the number of its wait, the number of waiters before it, the number of later arrivals that have
   * entered, and the largest B meanwhile.
   */
  wait: number;
  before: number;
  overtaken: number;
  most: number;
}

function throughTurnstile(gate: Turnstile): Way {
  return {
    get bypassLimit() {
      return gate.bypassLimit;
    },
    tryEnter: () => gate.tryArrive(),
    enterAsync: async () => gate.arriveAsync({ ref: false }),
    leave: () => gate.depart(),
  };
}

function throughLock(lock: CapacitorLock): Way {
  return {
    get bypassLimit() {
      return lock.bypassLimit;
    },
    tryEnter: () => lock.tryLock(),
    enterAsync: async () => lock.lockAsync({ ref: false }),
    leave: () => lock.unlock(),
  };
}

/** Builds one instance for each agent. The first turn has `passes` passes. */
type Build = (arena: Arena, passes: number) => Way[];

const turnstiles: Build = (arena, passes) => {
  const first = Turnstile.create({ arena });
  setLimit(first, passes);
  const others = Array.from({ length: AGENTS - 1 }, () =>
    openAs(secondAgent(arena), first.handle, (handle) => Turnstile.from(handle)),
  );
  return [first, ...others].map(throughTurnstile);
};

const locksAround =
  (kind: InnerKind): Build =>
  (arena, passes) => {
    const inner = kind.create(arena);
    const first = CapacitorLock.create(inner);
    if (first.handle.gate.kind !== 'sluice.turnstile') throw new Error(`not a turnstile: ${first.handle.gate.kind}`);
    setLimit(Turnstile.from(first.handle.gate), passes);
    const others = Array.from({ length: AGENTS - 1 }, () =>
      openAs(secondAgent(arena), inner.handle, (handle) =>
        CapacitorLock.from(renamedHandle(first.handle, handle.arena), kind.open(handle)),
      ),
    );
    return [first, ...others].map(throughLock);
  };

const cases = [
  ['a turnstile', 1, turnstiles],
  ['a turnstile', 4, turnstiles],
  ['a turnstile', 40, turnstiles],
  ['a default capacitor around a LIFO lock', 4, locksAround(LIFO)],
] as const;

test.each(cases)(
  'at %s a waiter with w waiters before it is overtaken by at most (w + 1) · 5/4 · B later arrivals: B = %i',
  async (_name, passes, build) => {
    let clock = 1;
    vi.spyOn(performance, 'now').mockImplementation(() => clock);
    const random = new Random(passes);
    const arena = Arena.create({ maxPages: 16 });
    const ways = build(arena, passes);
    const limit = (): number => ways[0]?.bypassLimit ?? 0;
    const all = ways.map((way): Passer => ({ way, state: 'outside', wait: 0, before: 0, overtaken: 0, most: 0 }));
    /** The most overtakers, by the number of waiters before the waiter. */
    const overtaken = Array.from({ length: AGENTS }, () => 0);
    let waits = 0;
    /** `wait`: the number of its wait. An agent that did not wait arrived later than all waiters. */
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
      Object.assign(passer, { state: 'waits', wait: ++waits, before, overtaken: 0, most: limit() });
      void passer.way.enterAsync().then(() => enters(passer, passer.wait));
    };
    for (let step = 0; step < STEPS; step++) {
      const passer = random.pick(all.filter(({ state }) => state !== 'waits'));
      const { way } = passer;
      if (passer.state === 'inside') {
        clock += (0.8 * TURN_MS) / passes;
        way.leave();
        passer.state = 'outside';
        // Most agents come back at once.
        if (random.chance(90) && way.tryEnter()) enters(passer);
      } else if (way.tryEnter()) enters(passer);
      else wait(passer);
      for (const waiter of all) waiter.most = Math.max(waiter.most, limit());
      if (random.chance(2)) await turn();
      while (all.every(({ state }) => state === 'waits')) await turn();
    }
    // Checks that the bound was nearly reached.
    expect(overtaken[0]).toBeGreaterThanOrEqual(passes);
    console.log(`B = ${passes}, now ${limit()}: overtaken at most ${overtaken.join(', ')} times`);
  },
);
