import { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Capacitor, type CapacitorOptions } from '../src/index.ts';
import { names, Visits } from './support/visits.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import './support/kinds.ts';

const NOT_INSIDE = expect.objectContaining({ code: 'SLUICE_MISUSE', name: 'MisuseError' }) as Error;

describe.each(['wasm', 'js'] as const)('Capacitor (%s)', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets: 4 } });
  const other = secondAgent(arena);
  const [us, them] = [arena.agentId, other.agentId];

  function create(options: CapacitorOptions = {}): { ours: Capacitor; theirs: Capacitor } {
    const ours = Capacitor.create({ arena, ...options });
    return { ours, theirs: openAs(other, ours.handle, (handle) => Capacitor.from(handle)) };
  }

  test.each([1, 2, 3, 10])(
    'with B = %i a platoon has B agents, and the next is admitted when all of them have departed',
    async (bypassLimit) => {
      const { ours, theirs } = create({ bypassLimit });
      const visits = new Visits();
      const all = names(2 * bypassLimit + 1);
      for (const [index, name] of all.entries()) visits.come(index % 2 === 0 ? ours : theirs, name);
      const gates = all.map((_, index) => (index % 2 === 0 ? ours : theirs));
      for (let first = 0; first < all.length; first += bypassLimit) {
        for (const gate of gates.slice(first, first + bypassLimit)) {
          expect([...(await visits.now())].sort()).toEqual(all.slice(0, first + bypassLimit).sort());
          gate.depart();
        }
      }
      const open = bypassLimit === 1 ? 1 : bypassLimit - 1;
      expect(ours.inspect()).toMatchObject({ open, departuresLeft: open, inside: [], waiters: [] });
      expect([ours.empty, theirs.empty]).toEqual([true, true]);
    },
  );

  test('waiters of one agent are admitted in FIFO order, even if they share a place in the queue', async () => {
    const { ours } = create({ bypassLimit: 2 });
    const visits = new Visits();
    const all = names(7);
    for (const name of all) visits.come(ours, name);
    while (visits.inside.length < all.length) {
      await visits.now();
      if (ours.inside > 0) ours.depart();
    }
    expect(visits.inside).toEqual(all);
  });

  test('an agent that departs admits no waiter unless it is the last of its platoon', () => {
    const { ours, theirs } = create({ bypassLimit: 3 });
    ours.arrive();
    theirs.arrive();
    ours.depart();
    theirs.arrive();
    expect([ours.tryArrive(), theirs.tryArrive(), ours.inspect().open]).toEqual([false, false, 0]);
    theirs.depart();
    expect(ours.tryArrive()).toBe(false);
    theirs.depart();
    expect([ours.inspect().open, ours.inspect().departuresLeft]).toEqual([3, 3]);
  });

  test('a platoon that is not full stays open for later agents', () => {
    const { ours, theirs } = create({ bypassLimit: 2 });
    ours.arrive();
    ours.depart();
    expect(ours.empty).toBe(true);
    theirs.arrive();
    expect([ours.tryArrive(), theirs.empty]).toEqual([false, false]);
    theirs.depart();
    for (let time = 0; time < 100; time++) {
      ours.arrive();
      ours.depart();
    }
    expect([ours.empty, ours.inside]).toEqual([true, 0]);
  });

  test('an agent may be inside several times, and departs as often', () => {
    const { ours, theirs } = create({ bypassLimit: 4 });
    for (let times = 1; times <= 3; times++) {
      ours.arrive();
      expect([ours.inside, theirs.inside]).toEqual([times, 0]);
    }
    expect(() => theirs.depart()).toThrow(NOT_INSIDE);
    for (let times = 2; times >= 0; times--) {
      ours.depart();
      expect(ours.inside).toBe(times);
    }
    expect(() => ours.depart()).toThrow(NOT_INSIDE);
    expect(ours.inspect()).toMatchObject({ departuresLeft: 1, open: 1, inside: [] });
  });

  test('depart() of an agent that has not arrived throws, even while others are inside, and admits no waiter', async () => {
    const { ours, theirs } = create({ bypassLimit: 1 });
    theirs.arrive();
    const visits = new Visits();
    visits.come(ours, 'ours');
    expect(() => ours.depart()).toThrow(NOT_INSIDE);
    expect(ours.departIfInside()).toBe(false);
    expect(await visits.now()).toEqual([]);
    theirs.depart();
    // The waiter is admitted, and its task has not run yet.
    expect(() => ours.depart()).toThrow(NOT_INSIDE);
    expect(await visits.now()).toEqual(['ours']);
    expect(ours.departIfInside()).toBe(true);
    expect(() => ours.depart()).toThrow(NOT_INSIDE);
  });

  test('tryArrive() never overtakes a waiter, and tryArrive(0) never waits', async () => {
    const { ours, theirs } = create({ bypassLimit: 1 });
    ours.arrive();
    const visits = new Visits();
    visits.come(theirs, 'theirs');
    ours.depart();
    expect([ours.tryArrive(), ours.tryArrive(0)]).toEqual([false, false]);
    expect(await visits.now()).toEqual(['theirs']);
    theirs.depart();
    expect(ours.tryArrive()).toBe(true);
  });

  test('tryArrive(ms) returns false after its timeout, and leaves nothing behind', () => {
    const { ours, theirs } = create({ bypassLimit: 1 });
    theirs.arrive();
    const began = performance.now();
    expect(ours.tryArrive(10)).toBe(false);
    expect(performance.now() - began).toBeGreaterThanOrEqual(9);
    theirs.depart();
    expect([ours.empty, ours.tryArrive(Infinity), ours.inside]).toEqual([true, true, 1]);
  });

  test('a wait that times out or is aborted delays no other agent, and lets none overtake', async () => {
    const { ours, theirs } = create({ bypassLimit: 2 });
    const visits = new Visits();
    const controller = new AbortController();
    ours.arrive();
    ours.arrive();
    visits.come(theirs, 'first');
    visits.come(ours, 'leaves', { timeout: 1 });
    visits.come(theirs, 'aborted', { signal: controller.signal });
    visits.come(theirs, 'second');
    visits.come(ours, 'third');
    controller.abort('reason');
    await expect.poll(() => visits.failures.length, { timeout: 60_000 }).toBe(2);
    expect(visits.failures).toEqual(
      expect.arrayContaining(['reason', expect.objectContaining({ code: 'SLUICE_TIMEOUT' })]),
    );
    ours.depart();
    expect(await visits.now()).toEqual([]);
    ours.depart();
    expect(await visits.now()).toEqual(['first', 'second']);
    theirs.depart();
    theirs.depart();
    expect(await visits.now()).toEqual(['first', 'second', 'third']);
    ours.depart();
    expect(ours.tryArrive()).toBe(true);
    ours.depart();
    expect([ours.empty, arena.inspect().elements.abandoned]).toEqual([true, 0]);
  });

  test('arriveAsync() with a timeout of 0, or with an aborted signal, does not wait', async () => {
    const { ours } = create({ bypassLimit: 1 });
    await expect(ours.arriveAsync({ signal: AbortSignal.abort('before') })).rejects.toBe('before');
    await ours.arriveAsync({ timeout: 0 });
    await expect(ours.arriveAsync({ timeout: 0 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    expect([ours.inside, ours.inspect().waiters]).toEqual([1, []]);
  });

  test('arrive() behind an async wait of its agent throws a DeadlockError and changes nothing', async () => {
    const { ours, theirs } = create({ bypassLimit: 1 });
    theirs.arrive();
    const visits = new Visits();
    visits.come(ours, 'ours');
    expect(() => ours.arrive()).toThrow(expect.objectContaining({ code: 'SLUICE_DEADLOCK' }) as Error);
    expect(ours.tryArrive(1)).toBe(false);
    theirs.depart();
    expect(await visits.now()).toEqual(['ours']);
  });

  test('inspect() reports the agents inside with their counts, the waiters with their times, and the free admissions', async () => {
    const { ours, theirs } = create({ bypassLimit: 3, name: 'door' });
    const open = { kind: 'capacitor', name: 'door', bypassLimit: 3, departuresLeft: 3, open: 3 };
    const idle = { ...open, inside: [], waiters: [], abandoned: 0 };
    expect([ours.inspect(), theirs.inspect()]).toEqual([idle, idle]);
    expect([ours.name, theirs.name, theirs.bypassLimit, ours.arena]).toEqual(['door', 'door', 3, arena]);
    const before = Date.now();
    ours.arrive();
    theirs.arrive();
    expect(ours.inspect()).toMatchObject({ open: 1, departuresLeft: 3 });
    ours.arrive();
    const visits = new Visits();
    visits.come(theirs, 'theirs');
    const { inside, waiters, ...rest } = theirs.inspect();
    expect([...inside].sort((a, b) => a.agent - b.agent)).toMatchObject([
      { agent: us, times: 2 },
      { agent: them, times: 1 },
    ]);
    expect(waiters).toMatchObject([{ agent: them, kind: 'async', since: expect.any(Number) as number }]);
    expect((waiters[0]?.since ?? 0) >= before && (waiters[0]?.since ?? Infinity) <= Date.now()).toBe(true);
    expect(rest).toMatchObject({ open: 0, departuresLeft: 3, abandoned: 0 });
    ours.depart();
    ours.depart();
    theirs.depart();
    await visits.now();
    expect(ours.inspect()).toMatchObject({ open: 2, departuresLeft: 3, waiters: [] });
    expect(ours.inspect().inside).toMatchObject([{ agent: them, times: 1, since: expect.any(Number) as number }]);
    const shown = other.inspect().agents.find(({ agent }) => agent === them);
    expect(shown?.holds).toContainEqual(
      expect.objectContaining({ name: 'door', address: ours.handle.address, permits: 1 }),
    );
  });

  test('B is 10 unless another is given', () => {
    const { ours } = create();
    for (let times = 0; times < 10; times++) expect(ours.tryArrive()).toBe(true);
    expect([ours.bypassLimit, ours.tryArrive()]).toEqual([10, false]);
    const wide = create({ bypassLimit: 2 ** 31 - 1 }).ours;
    wide.arrive();
    expect(wide.inspect()).toMatchObject({ departuresLeft: 2 ** 31 - 1, open: 2 ** 31 - 2, inside: [{ times: 1 }] });
    wide.depart();
    expect([wide.bypassLimit, wide.departIfInside()]).toEqual([2 ** 31 - 1, false]);
  });

  test('free() succeeds while no agent is inside or waits, and the next capacitor reuses the memory', async () => {
    const { ours, theirs } = create({ bypassLimit: 1 });
    theirs.arrive();
    for (const each of [ours, theirs]) expect(() => each.free()).toThrow('in use and cannot be freed');
    const visits = new Visits();
    visits.come(ours, 'ours');
    theirs.depart();
    expect(() => theirs.free()).toThrow(NOT_INSIDE);
    await visits.now();
    ours.depart();
    ours.free();
    for (const each of [ours, theirs]) expect(() => each.arrive()).toThrow('was freed');
    const next = create({ bypassLimit: 2 });
    expect(next.ours.handle.address).toBe(ours.handle.address);
    expect(next.ours.inspect()).toMatchObject({ open: 2, departuresLeft: 2, inside: [] });
  });
});
