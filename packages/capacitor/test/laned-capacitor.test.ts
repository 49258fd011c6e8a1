import { Arena, CorruptArenaError } from '@sluice/core';
import { FLAGS, HEADER_BUCKET_MASK, LIMIT, TICKET } from '@sluice/core/format';
import { contextOf } from '@sluice/core/internal';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { LanedCapacitor, type LanedCapacitorOptions } from '../src/index.ts';
import { names, Visits } from './support/visits.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import './support/kinds.ts';

const NOT_INSIDE = expect.objectContaining({ code: 'SLUICE_MISUSE', name: 'MisuseError' }) as Error;

describe.each(['wasm', 'js'] as const)('LanedCapacitor (%s)', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 32, policy: { buckets: 4 } });
  const other = secondAgent(arena);

  function create(options: LanedCapacitorOptions): { ours: LanedCapacitor; theirs: LanedCapacitor } {
    const ours = LanedCapacitor.create({ arena, ...options });
    return { ours, theirs: openAs(other, ours.handle, (handle) => LanedCapacitor.from(handle)) };
  }

  test.each([
    [2, 2],
    [3, 2],
    [5, 4],
    [64, 64],
    [100, 64],
  ])('with B = %i and %i lanes each platoon has B agents, in order of arrival', async (bypassLimit, lanes) => {
    const { ours, theirs } = create({ bypassLimit, lanes });
    const visits = new Visits();
    const all = names(3 * bypassLimit - 1);
    const gates = all.map((_, index) => (index % 2 === 0 ? ours : theirs));
    for (const [index, name] of all.entries()) visits.come(gates[index] ?? ours, name);
    for (let first = 0; first < all.length; first += bypassLimit) {
      for (const gate of gates.slice(first, first + bypassLimit)) {
        expect([...(await visits.now())].sort()).toEqual(all.slice(0, first + bypassLimit).sort());
        gate.depart();
      }
    }
    expect(ours.empty).toBe(true);
    expect([ours.tryArrive(), ours.tryArrive()]).toEqual([true, false]);
    ours.depart();
    expect(ours.inspect().departuresLeft).toBe(bypassLimit);
  });

  test('the permits of each platoon continue in the lane in which those of the last one ended', async () => {
    const { ours } = create({ bypassLimit: 3, lanes: 2 });
    expect(ours.inspect().lanes.map(({ open }) => open)).toEqual([2, 1]);
    for (let times = 0; times < 3; times++) ours.arrive();
    for (let times = 0; times < 3; times++) ours.depart();
    expect(ours.inspect().lanes.map(({ open }) => open)).toEqual([1, 2]);
    const visits = new Visits();
    for (const name of names(5)) visits.come(ours, name);
    expect(await visits.now()).toEqual(['w0', 'w1', 'w2']);
    expect(ours.inspect().lanes.map(({ open, waiters }) => [open, waiters.length])).toEqual([
      [0, 1],
      [0, 1],
    ]);
    for (let times = 0; times < 5; times++) {
      await visits.now();
      ours.depart();
    }
    expect([ours.empty, ours.inspect().departuresLeft]).toEqual([true, 1]);
  });

  test('a cancelled waiter departs at once when its turn comes, in any lane', async () => {
    for (const index of [0, 1, 2, 3]) {
      const { ours, theirs } = create({ bypassLimit: 4, lanes: 4 });
      for (let times = 0; times < 4; times++) ours.arrive();
      const visits = new Visits();
      const controller = new AbortController();
      for (const name of names(4)) visits.come(theirs, name, name === `w${index}` ? { signal: controller.signal } : {});
      controller.abort('gone');
      await visits.now();
      expect([visits.failures, ours.inspect().lanes[index]?.waiters]).toEqual([['gone'], []]);
      for (let times = 0; times < 4; times++) ours.depart();
      expect([...(await visits.now())].sort()).toEqual(names(4).filter((name) => name !== `w${index}`));
      expect(ours.inspect()).toMatchObject({
        departuresLeft: 3,
        lanes: [0, 1, 2, 3].map(() => ({ open: 0, abandoned: 0 })),
      });
      for (let times = 0; times < 3; times++) {
        expect(ours.tryArrive()).toBe(false);
        theirs.depart();
      }
      expect([ours.empty, ours.inspect().departuresLeft]).toEqual([true, 4]);
      ours.free();
    }
  });

  test('when a whole platoon has cancelled, the next one is admitted', async () => {
    const { ours, theirs } = create({ bypassLimit: 2, lanes: 2 });
    ours.arrive();
    ours.arrive();
    const visits = new Visits();
    const controller = new AbortController();
    for (const name of names(4, 'leaves')) visits.come(theirs, name, { signal: controller.signal });
    for (const name of names(2)) visits.come(theirs, name);
    controller.abort();
    ours.depart();
    expect(await visits.now()).toEqual([]);
    ours.depart();
    expect([...(await visits.now())].sort()).toEqual(names(2));
    theirs.depart();
    theirs.depart();
    expect([ours.empty, arena.inspect().elements.abandoned]).toEqual([true, 0]);
  });

  test('tryArrive() returns false after its timeout, or at once with 0, and never overtakes a waiter', async () => {
    const { ours, theirs } = create({ bypassLimit: 2, lanes: 2 });
    expect([ours.tryArrive(), theirs.tryArrive(Infinity), ours.tryArrive()]).toEqual([true, true, false]);
    const began = performance.now();
    expect(ours.tryArrive(10)).toBe(false);
    expect(performance.now() - began).toBeGreaterThanOrEqual(9);
    const visits = new Visits();
    // It uses the place that it left. The second place of the platoon is free.
    visits.come(ours, 'ours');
    expect(theirs.tryArrive()).toBe(false);
    ours.depart();
    theirs.depart();
    expect([theirs.tryArrive(), theirs.tryArrive()]).toEqual([true, false]);
    expect(await visits.now()).toEqual(['ours']);
    ours.depart();
    theirs.depart();
    expect([ours.empty, theirs.tryArrive()]).toEqual([true, true]);
  });

  test('depart() of an agent that has not arrived throws, and admits no waiter', async () => {
    const { ours, theirs } = create({ bypassLimit: 2, lanes: 2 });
    theirs.arrive();
    theirs.arrive();
    const visits = new Visits();
    visits.come(ours, 'ours');
    for (let times = 0; times < 3; times++) expect(() => ours.depart()).toThrow(NOT_INSIDE);
    theirs.depart();
    theirs.depart();
    expect(() => theirs.depart()).toThrow(NOT_INSIDE);
    expect(await visits.now()).toEqual(['ours']);
    ours.depart();
    expect(() => ours.depart()).toThrow(NOT_INSIDE);
  });

  test('arrive() behind an async wait of its agent throws a DeadlockError', async () => {
    const { ours, theirs } = create({ bypassLimit: 2, lanes: 2 });
    theirs.arrive();
    theirs.arrive();
    const visits = new Visits();
    visits.come(ours, 'ours');
    expect(() => ours.arrive()).toThrow(expect.objectContaining({ code: 'SLUICE_DEADLOCK' }) as Error);
    theirs.depart();
    theirs.depart();
    expect(await visits.now()).toEqual(['ours']);
    ours.depart();
    expect(ours.empty).toBe(true);
  });

  test('inspect() reports the agents inside, and the waiters of each lane', async () => {
    const { ours, theirs } = create({ bypassLimit: 4, lanes: 2, name: 'lanes' });
    expect([ours.name, theirs.bypassLimit, theirs.lanes, ours.arena]).toEqual(['lanes', 4, 2, arena]);
    const lane = { open: 2, waiters: [], abandoned: 0 };
    expect(theirs.inspect()).toEqual({
      kind: 'laned-capacitor',
      name: 'lanes',
      bypassLimit: 4,
      departuresLeft: 4,
      inside: [],
      lanes: [lane, lane],
    });
    for (let times = 0; times < 3; times++) ours.arrive();
    theirs.arrive();
    const visits = new Visits();
    for (const name of names(3)) visits.come(theirs, name);
    const { inside, lanes } = ours.inspect();
    expect([...inside].sort((a, b) => a.agent - b.agent)).toMatchObject([
      { agent: 1, times: 3 },
      { agent: 2, times: 1 },
    ]);
    const since = expect.any(Number) as number;
    const waiter = { agent: 2, kind: 'async', since };
    expect(lanes).toMatchObject([
      { open: 0, waiters: [waiter, waiter], abandoned: 0 },
      { open: 0, waiters: [waiter], abandoned: 0 },
    ]);
    const waits = arena.inspect().agents.find(({ agent }) => agent === 2)?.waits;
    expect(waits?.map(({ name }) => name)).toEqual(['lanes', 'lanes', 'lanes']);
    for (const gate of [ours, ours, ours, theirs]) gate.depart();
    expect(await visits.now()).toHaveLength(3);
    for (let times = 0; times < 3; times++) theirs.depart();
    expect(ours.empty).toBe(true);
  });

  test('free() frees all lanes while no agent is inside or waits', () => {
    const used = (): number => arena.inspect().used;
    const { ours, theirs } = create({ bypassLimit: 64, lanes: 64 });
    theirs.arrive();
    for (const each of [ours, theirs]) expect(() => each.free()).toThrow('in use and cannot be freed');
    theirs.depart();
    ours.free();
    for (const each of [ours, theirs]) expect(() => each.arrive()).toThrow('was freed');
    const before = used();
    for (let round = 0; round < 50; round++) {
      const next = LanedCapacitor.create({ arena, bypassLimit: 64, lanes: 64 });
      expect([next.handle.address, next.empty]).toEqual([ours.handle.address, true]);
      next.free();
    }
    expect(used()).toBe(before);
  });

  test('depart() in damaged memory throws CorruptArenaError', () => {
    const damaged = Arena.create({ engine: engineNamed(engine), maxPages: 8 });
    const door = LanedCapacitor.create({ arena: damaged, bypassLimit: 2, lanes: 2, name: 'door' });
    door.arrive();
    door.arrive();
    const { words } = contextOf(damaged);
    const { address } = door.handle;
    // As a capacitor without lanes it announces one permit, in a bucket that lies outside of the memory.
    words.put32(address + FLAGS, 0);
    words.put32(address + LIMIT, 1);
    words.put64(address + TICKET, 2n ** 40n);
    words.put32(HEADER_BUCKET_MASK, -1);
    door.depart();
    expect(() => door.depart()).toThrow(CorruptArenaError);
  });
});
