// A capacitor over each semaphore of the family, and a plain semaphore in its place, which has no bound.

import { Arena, Semaphore } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { Capacitor, CapacitorLock, SemaphoreCapacitor } from '../src/index.ts';
import { ROWS } from './support/gate-semaphores.ts';
import { LIFO } from './support/inner-kinds.ts';
import './support/kinds.ts';
import { renamedHandle } from './support/wrapped.ts';

const B = 3;

async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await turn();
}

describe.each(ROWS)('SemaphoreCapacitor over a $name ($engine)', ({ Class, engine }) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16 });
  const other = secondAgent(arena);

  function create() {
    const semaphore = Class.create(B, { arena });
    const ours = SemaphoreCapacitor.create(semaphore, { name: 'door' });
    const theirs = openAs(other, { gate: ours.handle, sem: semaphore.handle }, ({ gate, sem }) =>
      SemaphoreCapacitor.from(gate, Class.from(sem as never)),
    );
    return { semaphore, ours, theirs };
  }

  test('the capacitor is closed after B arrivals until all B agents have departed', async () => {
    const { ours, theirs } = create();
    for (let platoon = 0; platoon < 3; platoon++) {
      const arrived = [ours, theirs, ours].map((gate) => gate.tryArrive());
      expect([arrived, theirs.tryArrive(), ours.empty]).toEqual([[true, true, true], false, false]);
      const next = theirs.arriveAsync();
      for (const gate of [ours, theirs]) gate.depart();
      await settle();
      expect([ours.tryArrive(), ours.inspect().waiters.length, theirs.inspect().departuresLeft]).toEqual([false, 1, 1]);
      ours.depart();
      await next;
      // The waiter and two more make the next platoon whole.
      theirs.depart();
      for (let more = 1; more < B; more++) {
        ours.arrive();
        ours.depart();
      }
      expect([ours.empty, theirs.inspect()]).toEqual([
        true,
        {
          kind: 'semaphore-capacitor',
          name: 'door',
          bypassLimit: B,
          departuresLeft: B,
          open: B,
          inside: [],
          waiters: [],
        },
      ]);
    }
    ours.free();
    expect(() => theirs.depart()).toThrow('was freed');
  });

  test('an arrival that times out or is aborted takes no place', async () => {
    const { ours, theirs } = create();
    for (let count = 0; count < B; count++) ours.arrive();
    const controller = new AbortController();
    const gone = theirs.arriveAsync({ signal: controller.signal });
    const late = theirs.arriveAsync({ timeout: 1 });
    controller.abort('no longer');
    await expect(gone).rejects.toBe('no longer');
    await expect(late).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    expect(ours.tryArrive(1)).toBe(false);
    for (let count = 0; count < B; count++) ours.depart();
    expect([ours.empty, theirs.tryArrive()]).toEqual([true, true]);
    theirs.depart();
  });

  test('depart() of an agent that is not inside throws, and changes nothing', () => {
    const { ours, theirs } = create();
    ours.arrive();
    expect(() => theirs.depart()).toThrow("SemaphoreCapacitor 'door' cannot be left: this agent");
    ours.depart();
    expect(() => ours.depart()).toThrow('it has departed as often as it arrived');
    expect(ours.inspect()).toMatchObject({ departuresLeft: B - 1, open: B - 1, inside: [] });
  });

  test('a lock behind the capacitor has the bound, also in the instance of another agent', async () => {
    const semaphore = Class.create(B, { arena });
    const gate = SemaphoreCapacitor.create(semaphore);
    const inner = LIFO.create(arena);
    const ours = CapacitorLock.create(inner, { gate });
    const theirs = openAs(other, { inner: inner.handle, gate: gate.handle, sem: semaphore.handle }, (handles) => {
      const theirGate = SemaphoreCapacitor.from(handles.gate, Class.from(handles.sem as never));
      return CapacitorLock.from(renamedHandle(ours.handle, handles.inner.arena), LIFO.open(handles.inner), {
        gate: theirGate,
      });
    });
    ours.lock();
    const wait = theirs.lockAsync();
    await settle();
    ours.unlock();
    await wait;
    theirs.unlock();
    // The third arrival is the last of the platoon.
    expect(ours.run(() => [ours.owned, ours.tryLock()])).toEqual([true, false]);
    expect(ours.inspect()).toMatchObject({ gate: { kind: 'semaphore-capacitor', departuresLeft: B }, through: 0 });
    ours.free();
  });
});

describe('wrong calls', () => {
  const arena = Arena.create({ maxPages: 16 });
  const gate = SemaphoreCapacitor.create(Semaphore.create(2, { arena }));
  const inner = LIFO.create(arena);

  test.each<readonly [what: string, call: () => unknown, error: string, says: string]>([
    ['no semaphore', () => SemaphoreCapacitor.create({} as never), 'TypeError', 'The gate must be a Semaphore'],
    ['undefined', () => SemaphoreCapacitor.create(undefined as never), 'TypeError', 'received undefined'],
    [
      'a semaphore without a free permit',
      () => SemaphoreCapacitor.create(Semaphore.create(0, { arena })),
      'RangeError',
      'The number of free permits must be a whole number from 1',
    ],
    [
      'a semaphore without a record of its holders',
      () => SemaphoreCapacitor.create(Semaphore.create(2, { arena, recovery: false })),
      'MisuseError',
      'The semaphore of a capacitor must record its holders',
    ],
    [
      'a freed semaphore',
      () => {
        const freed = Semaphore.create(2, { arena });
        freed.free();
        return SemaphoreCapacitor.create(freed);
      },
      'MisuseError',
      'was freed',
    ],
    [
      'an unknown option',
      () => SemaphoreCapacitor.create(Semaphore.create(2, { arena }), { arena } as never),
      'TypeError',
      'Unknown option "arena"',
    ],
    [
      'a semaphore of another arena',
      () => SemaphoreCapacitor.from(gate.handle, Semaphore.create(2, { arena: Arena.create({ maxPages: 8 }) })),
      'MisuseError',
      'in a different arena',
    ],
    [
      'a gate that is a Capacitor',
      () => CapacitorLock.create(inner, { gate: Capacitor.create({ arena }) as never }),
      'TypeError',
      'The gate must be a SemaphoreCapacitor',
    ],
    [
      'a gate beside a bypass limit',
      () => CapacitorLock.create(inner, { gate, bypassLimit: 3 }),
      'TypeError',
      'bypassLimit cannot be combined with gate',
    ],
    [
      'a gate of another arena',
      () => CapacitorLock.create(LIFO.create(Arena.create({ maxPages: 8 })), { gate }),
      'MisuseError',
      'different arena',
    ],
    [
      'from() without the gate',
      () => CapacitorLock.from(CapacitorLock.create(inner, { gate }).handle, inner),
      'TypeError',
      'The gate must be a SemaphoreCapacitor: received undefined',
    ],
    [
      'from() with another gate',
      () =>
        CapacitorLock.from(CapacitorLock.create(inner, { gate }).handle, inner, {
          gate: SemaphoreCapacitor.create(Semaphore.create(2, { arena })),
        }),
      'HandleError',
      'The lock has another gate than the one given',
    ],
    [
      'from() with a gate for a lock without one',
      () => CapacitorLock.from(CapacitorLock.create(inner).handle, inner, { gate }),
      'TypeError',
      'gate is only for a lock that was created with one',
    ],
  ])('%s is refused', (_what, call, error, says) => {
    let thrown: unknown;
    try {
      call();
    } catch (failure) {
      thrown = failure;
    }
    expect(thrown).toMatchObject({ name: error });
    expect(String(thrown)).toContain(says);
  });

  test.each(['close', 'free'] as const)('a capacitor whose semaphore was ended by %s() can be freed', (end) => {
    const semaphore = Semaphore.create(2, { arena });
    const used = SemaphoreCapacitor.create(semaphore, { name: 'door' });
    used.arrive();
    used.depart();
    semaphore[end]();
    used.free();
    expect(() => used.empty).toThrow('was freed');
  });

  test('a capacitor whose semaphore was closed while an agent was inside can be freed', () => {
    const semaphore = Semaphore.create(2, { arena });
    const used = SemaphoreCapacitor.create(semaphore);
    used.arrive();
    semaphore.close();
    used.depart();
    used.free();
  });

  test('create() over a semaphore in use throws, and creates nothing', () => {
    const semaphore = Semaphore.create(3, { arena });
    semaphore.acquire();
    expect(() => SemaphoreCapacitor.create(semaphore)).toThrow(
      'The semaphore of a capacitor must have all its permits: it has 1 holder and 0 waiters. Nothing was created.',
    );
    semaphore.release();
    expect(SemaphoreCapacitor.create(semaphore).bypassLimit).toBe(3);
  });

  test('from() with another semaphore than that of create() throws', () => {
    const [one, other] = [Semaphore.create(2, { arena }), Semaphore.create(5, { arena })];
    const { handle } = SemaphoreCapacitor.create(one);
    expect(() => SemaphoreCapacitor.from(handle, other)).toThrow('The capacitor is over another semaphore');
    expect(SemaphoreCapacitor.from(handle, one).bypassLimit).toBe(2);
  });

  test('free() while an agent is inside throws', () => {
    const used = SemaphoreCapacitor.create(Semaphore.create(2, { arena }), { name: 'door' });
    used.arrive();
    expect(() => used.free()).toThrow("SemaphoreCapacitor 'door' is in use and cannot be freed");
    used.depart();
    used.free();
  });
});

describe('a plain semaphore before an unfair lock', () => {
  /** A gate with B places: a semaphore, or a capacitor over one. */
  interface Door {
    tryArrive(): boolean;
    depart(): void;
  }

  const MOST = 1000;

  /**
   * One agent waits for a LIFO lock inside the gate. Two others take turns: while one has the lock, the other comes
   * through the gate and waits on top. Returns how often they got the lock before the agent that waits, at most MOST
   * times.
   */
  async function overtakes(arena: Arena, door: Door): Promise<number> {
    const inner = LIFO.create(arena);
    const open = () => openAs(secondAgent(arena), inner.handle, (handle) => LIFO.open(handle));
    const [unlucky, ...busy] = [open(), open(), open()];
    let isServed = false;
    expect(door.tryArrive()).toBe(true);
    busy[0].lock();
    expect(door.tryArrive()).toBe(true);
    const wait = unlucky.lockAsync().then(() => (isServed = true));
    await settle();
    let passes = 0;
    let last = 0;
    for (; passes < MOST && door.tryArrive(); passes++) {
      const [owner, comer] = [busy[passes % 2], busy[(passes + 1) % 2]];
      const next = comer?.lockAsync();
      owner?.unlock();
      door.depart();
      await next;
      expect(isServed).toBe(false);
      last = (passes + 1) % 2;
    }
    busy[last]?.unlock();
    door.depart();
    await wait;
    unlucky.unlock();
    door.depart();
    return passes;
  }

  test('other agents overtake a waiting agent without end', async () => {
    const arena = Arena.create({ maxPages: 16 });
    const semaphore = Semaphore.create(B, { arena });
    const door: Door = { tryArrive: () => semaphore.tryAcquire(), depart: () => semaphore.release() };
    expect(await overtakes(arena, door)).toBe(MOST);
  });

  test('a capacitor over the same semaphore lets at most B - 1 agents overtake', async () => {
    const arena = Arena.create({ maxPages: 16 });
    expect(await overtakes(arena, SemaphoreCapacitor.create(Semaphore.create(B, { arena })))).toBe(B - 2);
  });
});
