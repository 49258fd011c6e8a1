import { Arena } from '@sluice/core';
import { LifoLock } from '@sluice/classics';
import { describe, expect, test } from 'vitest';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { RandomLanes } from '../src/gates/random-lanes.ts';
import { Capacitor, CapacitorLock } from '../src/index.ts';
import { names, Visits } from './support/visits.ts';

const NOT_INSIDE = expect.objectContaining({ code: 'SLUICE_MISUSE', name: 'MisuseError' }) as Error;

describe('RandomLanes', () => {
  const arena = Arena.create({ maxPages: 16 });

  const SHARES = [
    [10, 4, [3, 3, 2, 2]],
    [2, 2, [1, 1]],
    [7, 2, [4, 3]],
  ] as const;

  test.each(SHARES)('B = %i is divided among %i lanes: %j', (bypassLimit, lanes, shares) => {
    const gate = RandomLanes.create(lanes, { arena, bypassLimit, name: 'random' });
    expect([gate.bypassLimit, gate.name, gate.arena]).toEqual([bypassLimit, 'random', arena]);
    expect(gate.handle.lanes.map((lane) => Capacitor.from(lane).bypassLimit)).toEqual(shares);
    expect(arena.inspect().blocks.filter(({ name }) => name === 'random')).toHaveLength(lanes);
    let arrived = 0;
    for (let attempt = 0; attempt < 1000 && arrived < bypassLimit; attempt++) if (gate.tryArrive()) arrived += 1;
    expect([arrived, gate.tryArrive()]).toEqual([bypassLimit, false]);
    for (let times = 0; times < bypassLimit; times++) gate.depart();
    expect(gate.empty).toBe(true);
    gate.free();
    expect(arena.inspect().blocks.filter(({ name }) => name === 'random')).toEqual([]);
  });

  test('a waiter is admitted when its lane opens, and all waiters are admitted in the end', async () => {
    const gate = RandomLanes.create(2, { arena, bypassLimit: 2 });
    const visits = new Visits();
    for (const name of names(40)) visits.come(gate, name);
    for (let departed = 0; departed < 40; departed++) {
      await visits.now();
      gate.depart();
    }
    expect([visits.inside.length, new Set(visits.inside).size, gate.empty]).toEqual([40, 40, true]);
    expect(() => gate.depart()).toThrow(NOT_INSIDE);
    gate.free();
    expect(() => gate.free()).toThrow('was freed');
  });

  test('free() throws while an agent is in any lane', () => {
    for (let attempt = 0; attempt < 8; attempt++) {
      const gate = RandomLanes.create(4, { arena, bypassLimit: 4 });
      gate.arrive();
      expect(() => gate.free()).toThrow('in use and cannot be freed');
      expect(gate.empty).toBe(false);
      gate.depart();
      gate.free();
    }
  });

  test('create() creates no lane if not all lanes fit', () => {
    const { arena: full } = fullArena(() => undefined, 2);
    const before = full.inspect();
    expect(() => RandomLanes.create(4, { arena: full, bypassLimit: 4 })).toThrow(
      expect.objectContaining(FULL) as Error,
    );
    const taken = ({ blocks }: typeof before): unknown => blocks.map(({ kind, address }) => kind !== 'free' && address);
    expect(taken(full.inspect())).toEqual(taken(before));
  });

  test('a LIFO lock behind random lanes serves every waiter', async () => {
    const lock = CapacitorLock.create(LifoLock.create({ arena }), {
      bypassLimit: 2,
      lanes: { count: 2, order: 'random' },
    });
    const served: number[] = [];
    const all = Array.from({ length: 50 }, (_, index) => lock.runAsync(() => served.push(index)));
    await Promise.all(all);
    expect(new Set(served).size).toBe(50);
    lock.free();
  });
});
