// What the mutex and the recursive mutex promise alike, to agents of one thread: with the order 'fifo', in which each unlock hands over.

import { Arena, DEFAULT_POLICY } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { Mutex, RecursiveMutex } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
const other = secondAgent(arena);
const third = secondAgent(arena);
const MISUSE = expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error;

/** Each kind of mutex as three agents see it. */
const KINDS = [
  {
    kind: 'Mutex',
    create: () => {
      const ours = Mutex.create({ arena, name: 'bench', order: 'fifo' });
      const open = (agent: Arena): Mutex => openAs(agent, ours.handle, (handle) => Mutex.from(handle));
      return { ours, theirs: open(other), thirds: open(third) };
    },
  },
  {
    kind: 'RecursiveMutex',
    create: () => {
      const ours = RecursiveMutex.create({ arena, name: 'bench', order: 'fifo' });
      const open = (agent: Arena): RecursiveMutex => openAs(agent, ours.handle, (handle) => RecursiveMutex.from(handle));
      return { ours, theirs: open(other), thirds: open(third) };
    },
  },
] as const;

describe.each(KINDS)('$kind', ({ create }) => {
  test('says its name, its arena and whether this agent owns it', () => {
    const { ours, theirs } = create();
    expect([ours.name, theirs.name, ours.arena === arena, theirs.arena === other]).toEqual(['bench', 'bench', true, true]);
    expect([ours.owned, theirs.owned]).toEqual([false, false]);
    ours.lock();
    expect([ours.owned, theirs.owned]).toEqual([true, false]);
    ours.unlock();
    expect([ours.owned, theirs.owned]).toEqual([false, false]);
  });

  test('each change of owner by an async wait is seen by both agents', async () => {
    const { ours, theirs } = create();
    ours.lock();
    const wait = theirs.lockAsync();
    expect([ours.owned, theirs.owned]).toEqual([true, false]);
    ours.unlock();
    await wait;
    expect([ours.owned, theirs.owned]).toEqual([false, true]);
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('lock and unlock without contention write one word and leave every byte of the arena as it was', () => {
    const { ours } = create();
    const bytes = (): Buffer => Buffer.from(new Uint8Array(arena.handle.memory.buffer));
    const before = bytes();
    ours.lock();
    const held = bytes();
    const changed = [...held.keys()].filter((at) => held[at] !== before[at]);
    expect(new Set(changed.map((at) => Math.floor(at / 8))).size).toBe(1);
    expect(changed.every((at) => at >= ours.handle.address && at < ours.handle.address + 128)).toBe(true);
    ours.unlock();
    expect(bytes().equals(before)).toBe(true);
  });

  test('waits of two agents are served in the order in which they came', async () => {
    const { ours, theirs, thirds } = create();
    thirds.lock();
    const order: string[] = [];
    const visit = async (who: string, mutex: typeof ours): Promise<void> => {
      await mutex.lockAsync();
      order.push(who);
      await turn();
      mutex.unlock();
    };
    const names = ['theirs 1', 'ours 1', 'theirs 2', 'ours 2', 'ours 3', 'theirs 3'];
    const visits = names.map((name) => visit(name, name.startsWith('ours') ? ours : theirs));
    thirds.unlock();
    await Promise.all(visits);
    expect(order).toEqual(names);
    expectAtRest(arena, ours.handle);
  });

  test('tryLock does not barge: neither while others wait nor while the lock is on its way to one of them', async () => {
    const { ours, theirs } = create();
    ours.lock();
    const waits = [theirs.lockAsync(), theirs.lockAsync({ timeout: 1000 })];
    expect(theirs.tryLock()).toBe(false);
    ours.unlock();
    expect([ours.tryLock(), theirs.tryLock(), ours.owned, theirs.owned]).toEqual([false, false, false, false]);
    await waits[0];
    expect(ours.tryLock()).toBe(false);
    theirs.unlock();
    await waits[1];
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('a timed try stands in line: the lock that is unlocked meanwhile goes to those before it', async () => {
    const { ours, theirs } = create();
    ours.lock();
    const first = theirs.lockAsync();
    expect(theirs.tryLock(2)).toBe(false);
    ours.unlock();
    expect(ours.tryLock(2)).toBe(false);
    await first;
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('a wait that is given up leaves nothing behind, wherever it stood in line', async () => {
    for (const index of [0, 1, 2]) {
      const { ours, theirs } = create();
      ours.lock();
      const controllers = [0, 1, 2].map(() => new AbortController());
      const waits = controllers.map(({ signal }) => theirs.lockAsync({ signal }).then(() => 'locked', () => 'left'));
      controllers[index]?.abort();
      ours.unlock();
      for (const [at, wait] of waits.entries()) {
        expect(await wait).toBe(at === index ? 'left' : 'locked');
        if (at !== index) theirs.unlock();
      }
      expectAtRest(arena, ours.handle);
    }
  });

  test('all who wait may give up while the lock is held, and then it is free', async () => {
    const { ours, theirs, thirds } = create();
    thirds.lock();
    const controller = new AbortController();
    const waits = Array.from({ length: 9 }, (_, index) =>
      (index % 2 === 0 ? theirs : ours)
        .lockAsync(index % 3 === 0 ? { timeout: 1 } : { signal: controller.signal })
        .catch((reason: unknown) => reason),
    );
    controller.abort('all of you');
    const left = await Promise.all(waits);
    expect(left.filter((reason) => reason === 'all of you')).toHaveLength(6);
    thirds.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('a lock that is on its way when its receiver gives up is taken, and the wait succeeds', async () => {
    const { ours, theirs } = create();
    ours.lock();
    const controller = new AbortController();
    const wait = theirs.lockAsync({ signal: controller.signal });
    ours.unlock();
    controller.abort();
    await wait;
    expect(theirs.owned).toBe(true);
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('when the one behind gives up too late it has the lock in its turn', async () => {
    const { ours, theirs } = create();
    ours.lock();
    const [first, second] = [new AbortController(), new AbortController()];
    const waits = [theirs.lockAsync({ signal: first.signal }), theirs.lockAsync({ signal: second.signal })];
    second.abort('too much');
    ours.unlock();
    await expect(waits[1]).rejects.toBe('too much');
    await waits[0];
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('ownership is the agent’s: one task may unlock what another task of its agent locked', async () => {
    const { ours, theirs } = create();
    await ours.lockAsync();
    const wait = theirs.lockAsync();
    await Promise.resolve().then(() => ours.unlock());
    await wait;
    expect(() => ours.unlock()).toThrow(MISUSE);
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('instances of one agent are one owner', () => {
    const { ours, theirs } = create();
    const twin = (ours instanceof Mutex ? Mutex : RecursiveMutex).from(ours.handle as never);
    ours.lock();
    expect([twin.owned, twin.tryLock(1) === ours instanceof RecursiveMutex]).toEqual([true, true]);
    if (ours instanceof RecursiveMutex) twin.unlock();
    twin.unlock();
    expect([ours.owned, theirs.tryLock()]).toEqual([false, true]);
    theirs.unlock();
  });

  test('a wait keeps the event loop alive until it ends, unless ref is false', async () => {
    const { ours, theirs } = create();
    const timers = (): number => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    ours.lock();
    const idle = timers();
    const unreferenced = theirs.lockAsync({ ref: false });
    const limited = theirs.lockAsync({ ref: false, timeout: 60_000 });
    expect(timers()).toBe(idle);
    const referenced = theirs.lockAsync();
    expect(timers()).toBe(idle + 1);
    ours.unlock();
    for (const wait of [unreferenced, limited, referenced]) {
      await wait;
      theirs.unlock();
    }
    expect(timers()).toBe(idle);
  });

  test('ten thousand waits and as many given up take no more memory than the first few', async () => {
    const { ours, theirs } = create();
    const round = async (): Promise<void> => {
      ours.lock();
      const controller = new AbortController();
      const gone = [1, 2, 3].map(() => theirs.lockAsync({ signal: controller.signal }).catch(() => 'left'));
      const stays = theirs.lockAsync();
      controller.abort();
      ours.unlock();
      await Promise.all([...gone, stays]);
      theirs.unlock();
    };
    for (let warm = 0; warm < 3; warm++) await round();
    const { used } = arena.inspect();
    for (let count = 0; count < 2500; count++) await round();
    expect(arena.inspect().used).toBe(used);
    expectAtRest(arena, ours.handle);
  });
});

test('without options a mutex lives in the default arena and has no name', () => {
  for (const mutex of [Mutex.create(), RecursiveMutex.create()]) {
    expect([mutex.arena, mutex.name]).toEqual([Arena.default(), '']);
    expect(mutex.run(() => mutex.owned)).toBe(true);
    mutex.free();
  }
});

test('both take a policy of their own, at create and at from', async () => {
  const policy = { spinMicros: 0, longTermThreshold: DEFAULT_POLICY.longTermThreshold + 3 };
  const mutex = Mutex.create({ arena, policy });
  const recursive = RecursiveMutex.create({ arena, policy });
  const theirs = [
    openAs(other, mutex.handle, (handle) => Mutex.from(handle, { policy })),
    openAs(other, recursive.handle, (handle) => RecursiveMutex.from(handle, { policy })),
  ];
  for (const [index, ours] of [mutex, recursive].entries()) {
    ours.lock();
    expect(theirs[index]?.tryLock(2)).toBe(false);
    const wait = theirs[index]?.lockAsync();
    ours.unlock();
    await wait;
    theirs[index]?.unlock();
    expectAtRest(arena, ours.handle);
  }
});
