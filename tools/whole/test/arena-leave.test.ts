import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  addressSignal,
  addressWaitUntilAsync,
  locationWait,
  SharedWord,
} from '../../../packages/address-wait/src/index.ts';
import { AutoResetEvent } from '../../../packages/auto-reset-event/src/index.ts';
import { Barrier } from '../../../packages/barrier/src/index.ts';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { Capacitor, CapacitorLock, LanedCapacitor, Turnstile } from '../../../packages/capacitor/src/index.ts';
import { createLimit, RateLimiter } from '../../../packages/limit/src/index.ts';
import {
  AddressSemaphore,
  ChainSemaphore,
  LifoLock,
  LightweightSemaphore,
  LocationSemaphore,
  McsLock,
  MonitorSemaphore,
  MultilaneSemaphore,
  ReciprocatingLock,
  TicketLock,
  TicketSemaphore,
  TtsLock,
  WaitingArraySemaphore,
} from '../../../packages/classics/src/index.ts';
import { Mutex, RecursiveMutex } from '../../../packages/mutex/src/index.ts';
import { RwLock } from '../../../packages/rw-lock/src/index.ts';
import { PrioritySemaphore, ResizableSemaphore } from '../../../packages/semaphores/src/index.ts';
import { probe } from '../../../packages/core/src/agent/liveness-probe.ts';
import { contextOf } from '../../../packages/core/src/arena/arena.ts';
import {
  AGENT_ARMED,
  AGENT_LIFE,
  AGENT_STRIDE,
  AGENT_STUB,
  HEADER_AGENT_POOL,
  OWNER,
} from '../../../packages/core/src/kernel/layout.ts';
import { records } from '../../../packages/core/src/memory/records.ts';
import { Arena, Region, Semaphore } from '../../../packages/core/src/index.ts';
import { openAs, secondAgent } from '../../../packages/core/test/support/second-agent.ts';
import { jsEngine } from '@sluice/core/js';
import { withoutAges } from '../../../packages/core/test/support/without-ages.ts';

const SMALL = { maxPages: 8 } as const;
const LEFT = expect.objectContaining({
  code: 'SLUICE_MISUSE',
  message: expect.stringContaining('has left the arena') as unknown,
}) as Error;

type Act = () => unknown;

const semaphores = {
  Semaphore,
  AddressSemaphore,
  ChainSemaphore,
  LightweightSemaphore,
  LocationSemaphore,
  MonitorSemaphore,
  MultilaneSemaphore,
  PrioritySemaphore,
  ResizableSemaphore,
  TicketSemaphore,
  WaitingArraySemaphore,
};
const locks = { Mutex, RecursiveMutex, LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock };
type GateOptions = { readonly arena: Arena; readonly name?: string };
const gates = {
  Capacitor,
  LanedCapacitor: { create: (options: GateOptions) => LanedCapacitor.create({ ...options, lanes: 2 }) },
  Turnstile,
};

/** Every call that an agent may not make after leave(), by the name of its primitive. */
function acts(arena: Arena): Record<string, Act[]> {
  const all: Record<string, Act[]> = {};
  for (const [name, kind] of Object.entries(semaphores)) {
    const sem = kind.create(3, { arena });
    all[name] = [
      () => sem.acquire(),
      () => sem.tryAcquire(),
      () => sem.acquireAsync(),
      () => sem.release(),
      () => sem.available,
      () => sem.inspect(),
      () => sem.close(),
      () => sem.free(),
    ];
  }
  const resizable = ResizableSemaphore.create(3, { arena });
  all['ResizableSemaphore of one size'] = [
    ...[
      () => resizable.resize(1),
      () => resizable.addPermits(1),
      () => resizable.reducePermits(1),
      () => resizable.forget(1),
      () => resizable.size,
      () => resizable.debt,
    ],
    ...[
      () => resizable.acquireGuard(),
      () => resizable.waitForUnlock(),
      () => resizable.waitForUnlockAsync(),
      () => resizable.cancelWaiters(),
      () => resizable.drain(),
    ],
  ];
  for (const [name, kind] of Object.entries(locks)) {
    const lock = kind.create({ arena });
    all[name] = [
      () => lock.lock(),
      () => lock.tryLock(),
      () => lock.lockAsync(),
      () => lock.unlock(),
      () => lock.owned,
      () => lock.free(),
    ];
  }
  for (const [name, kind] of Object.entries(gates)) {
    const gate = kind.create({ arena });
    all[name] = [
      () => gate.arrive(),
      () => gate.tryArrive(),
      () => gate.arriveAsync(),
      () => gate.depart(),
      () => gate.free(),
    ];
  }
  const { reader, writer } = RwLock.create({ arena });
  all['RwLock'] = [
    () => reader.lock(),
    () => reader.tryLock(),
    () => reader.unlock(),
    () => writer.lock(),
    () => writer.tryLock(),
    () => writer.unlock(),
  ];
  const composite = CapacitorLock.create(Mutex.create({ arena }), {});
  all['CapacitorLock'] = [() => composite.lock(), () => composite.tryLock(), () => composite.lockAsync()];
  const event = AutoResetEvent.create({ arena });
  all['AutoResetEvent'] = [() => event.signal(), () => event.wait(), () => event.tryWait(), () => event.waitAsync()];
  const barrier = Barrier.create(2, { arena });
  all['Barrier'] = [
    () => barrier.wait(),
    () => barrier.tryWait(),
    () => barrier.tryWait(5),
    () => barrier.waitAsync(),
    () => barrier.deregister(),
    () => barrier.abort(),
    () => barrier.free(),
  ];
  const buffer = BoundedBuffer.create<number>({ capacity: 4, arena });
  all['BoundedBuffer'] = [
    () => buffer.push(1),
    () => buffer.pop(),
    () => buffer.tryPush(1),
    () => buffer.tryPop(),
    () => buffer.pushAsync(1),
    () => buffer.close(),
  ];
  const limit = createLimit(2, { arena });
  all['createLimit'] = [() => limit(() => 1), () => limit.inspect()];
  const rate = RateLimiter.create({ permits: 1, interval: 1000, arena });
  all['RateLimiter'] = [
    () => rate.tryAcquire(),
    () => rate.acquire(),
    () => rate.acquireAsync(),
    () => rate.reserve(),
    () => rate.retryAfter(),
    () => rate.inspect(),
    () => rate.close(),
    () => rate.free(),
  ];
  const word = SharedWord.create(0, { arena });
  all['SharedWord'] = [
    () => addressSignal(word),
    () => addressWaitUntilAsync(word, () => true),
    () => locationWait(word),
  ];
  const region = Region.create(64, { arena });
  all['Region'] = [() => region.bytes, () => region.free()];
  all['Arena'] = [
    () => arena.inspect(),
    () => arena.findDeadlock(),
    () => arena.reclaimDead(),
    () => arena.reclaim(99),
    () => arena.leave(),
    () => Semaphore.create(1, { arena }),
  ];
  return all;
}

/** Returns the error of a call, thrown or rejected. */
async function failureOf(act: Act): Promise<unknown> {
  try {
    return await act();
  } catch (failure) {
    return failure;
  }
}

describe('an agent that has left', () => {
  const names = Object.keys(acts(Arena.create({ maxPages: 64 })));

  test.each(names)('cannot use %s', async (name) => {
    const arena = Arena.create({ maxPages: 64 });
    const other = secondAgent(arena);
    const calls = acts(arena)[name] ?? [];
    arena.leave();
    const before = other.inspect();
    for (const call of calls) expect(await failureOf(call), String(call)).toEqual(LEFT);
    expect(withoutAges(other.inspect())).toEqual(withoutAges(before));
  });

  test('leaves its record, its elements and its ledgers to other agents', async () => {
    const arena = Arena.create(SMALL);
    const other = secondAgent(arena);
    const sem = Semaphore.create(0, { arena });
    const waits = Array.from({ length: 20 }, () => sem.acquireAsync());
    sem.release(20);
    await Promise.all(waits);
    sem.release(20);
    arena.leave();
    const { words } = contextOf(other);
    const { agents, elements } = other.inspect();
    expect(agents.map(({ agent }) => agent)).toEqual([other.agentId]);
    expect(elements).toEqual({ ...elements, free: elements.total, waiting: 0, abandoned: 0 });
    for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
      if (owner !== 0) continue;
      for (let at = OWNER; at < AGENT_STRIDE; at += 4) expect([at, words.load32(record + at)]).toEqual([at, 0]);
    }
  });

  test('joins again by Arena.from or by the from of a primitive, with a new id', () => {
    const arena = Arena.create(SMALL);
    const { handle } = Semaphore.create(1, { arena });
    arena.leave();
    const again = Arena.from(arena.handle, { engine: jsEngine });
    expect([again === arena, again.agentId, again.engine]).toEqual([false, 2, 'js']);
    const sem = Semaphore.from(handle);
    expect(sem.arena).toBe(again);
    sem.run(() => expect(sem.available).toBe(0));
    again.leave();
    expect(Semaphore.from(handle).arena.agentId).toBe(3);
  });

  test('is not mistaken for the next agent of its record', async () => {
    const arena = Arena.create(SMALL);
    const other = secondAgent(arena);
    const { agent } = contextOf(arena);
    arena.leave();
    await turn();
    const { words, parking } = contextOf(other);
    expect(parking.notify(agent + AGENT_LIFE)).toBe(0);
    expect(words.load32(agent + AGENT_ARMED)).toBe(0);
    const next = Arena.from(arena.handle);
    expect(contextOf(next).agent).toBe(agent);
    expect(probe(contextOf(other), agent)).toBe('alive');
  });

  test('writes nothing to the next agent of its record', async () => {
    const arena = Arena.create(SMALL);
    const [sem, mutex, barrier] = [
      Semaphore.create(0, { arena }),
      Mutex.create({ arena }),
      Barrier.create(2, { arena }),
    ];
    // Use several elements, because the agent keeps some for its next waits.
    const waits = Array.from({ length: 20 }, () => sem.acquireAsync());
    sem.release(20);
    await Promise.all(waits);
    sem.release(20);
    const { agent } = contextOf(arena);
    arena.leave();
    const next = contextOf(Arena.from(arena.handle));
    expect(next.agent).toBe(agent);
    const record = (): number[] => Array.from({ length: AGENT_STUB / 4 }, (_, at) => next.words.load32(agent + 4 * at));
    const before = record();
    for (const call of [
      () => barrier.wait(),
      () => barrier.tryWait(5),
      () => mutex.tryLock(5),
      () => mutex.lock(),
      () => sem.acquire(),
    ]) {
      expect(await failureOf(call), String(call)).toEqual(LEFT);
      expect(withoutAges(record()), String(call)).toEqual(withoutAges(before));
    }
  });

  test.each([Mutex, RwLock, Semaphore])('console.log of %o shows that its agent has left', (Made) => {
    const arena = Arena.create(SMALL);
    const made = Made === Semaphore ? Semaphore.create(1, { arena }) : (Made as typeof Mutex).create({ arena });
    arena.leave();
    expect(inspect(made)).toBe(`${Made.name} { left: true }`);
  });

  test('gets another default arena', () => {
    const before = Arena.default();
    before.leave();
    expect(Arena.default().id).not.toBe(before.id);
  });

  test('stops its watches', () => {
    const arena = Arena.create(SMALL);
    const listeners = new Set<() => void>();
    const worker = {
      threadId: 1234,
      on: (_: 'exit', listener: () => void) => listeners.add(listener),
      off: (_: 'exit', listener: () => void) => listeners.delete(listener),
    };
    arena.watch(worker);
    expect(listeners.size).toBe(1);
    arena.leave();
    expect(listeners.size).toBe(0);
  });
});

describe('a leave() that is refused changes nothing', () => {
  const refused = (arena: Arena, why: string): void => {
    const before = arena.inspect();
    expect(() => arena.leave()).toThrow(
      expect.objectContaining({ code: 'SLUICE_MISUSE', message: expect.stringContaining(why) as unknown }) as Error,
    );
    expect(withoutAges(arena.inspect())).toEqual(withoutAges(before));
  };

  test.each(Object.entries({ ...locks }))('leave() throws while the agent owns a %s', (_, kind) => {
    const arena = Arena.create(SMALL);
    const lock = kind.create({ arena, name: 'accounts' });
    lock.lock();
    refused(arena, "'accounts'");
    lock.unlock();
    arena.leave();
  });

  test.each(Object.entries(semaphores))('leave() throws while the agent holds permits of a %s', (_, kind) => {
    const arena = Arena.create(SMALL);
    const sem = kind.create(3, { arena, name: 'files' });
    sem.acquire();
    refused(arena, "'files'");
    sem.release();
    arena.leave();
  });

  test.each(Object.entries(gates))('leave() throws while the agent is inside a %s', (_, kind) => {
    const arena = Arena.create(SMALL);
    const gate = kind.create({ arena, name: 'gate' });
    gate.arrive();
    refused(arena, "'gate'");
    gate.depart();
    arena.leave();
  });

  test.each(['reader', 'writer'] as const)('leave() throws while the agent is a %s', (side) => {
    const arena = Arena.create(SMALL);
    const lock = RwLock.create({ arena, name: 'table' });
    lock[side].lock();
    refused(arena, "'table'");
    lock[side].unlock();
    arena.leave();
  });

  test.each(Object.entries(semaphores))('leave() throws while the agent has an async wait at a %s', async (_, kind) => {
    const arena = Arena.create(SMALL);
    const sem = kind.create(0, { arena });
    const other = secondAgent(arena);
    const wait = sem.acquireAsync();
    await turn();
    refused(arena, 'still waits');
    openAs(other, sem.handle, (handle) => (kind as typeof Semaphore).from(handle as Semaphore['handle'])).release();
    await wait;
    sem.release();
    arena.leave();
  });

  test('leave() throws while the agent waits for a condition', async () => {
    const arena = Arena.create(SMALL);
    const word = SharedWord.create(0, { arena });
    const wait = addressWaitUntilAsync(word, () => word.load() === 1);
    await turn();
    refused(arena, 'still waits');
    word.store(1);
    addressSignal(word);
    await wait;
    locationWait(word);
    arena.leave();
  });
});
