// Tests which orders of locks are reported, and which are not because no thread can wait forever by them.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Arena, holdAll, runAll, Semaphore } from '../../core/src/index.ts';
import { Condition, Mutex, RecursiveMutex } from '../../mutex/src/index.ts';
import { RwLock } from '../../rw-lock/src/index.ts';
import { startOrderChecks, type OrderChecks, type OrderOptions, type OrderViolation } from '../src/index.ts';

let checks: OrderChecks | undefined;
let found: OrderViolation[] = [];
let arena: Arena;

function start(options: OrderOptions = {}): void {
  checks?.stop();
  checks = startOrderChecks({ onViolation: (violation) => found.push(violation), ...options });
}

beforeEach(() => {
  found = [];
  // The classes of each test are those of its arena.
  arena = Arena.create({ maxPages: 16 });
  start();
});

afterEach(() => {
  checks?.stop();
});

function mutexes(...names: string[]): Mutex[] {
  return names.map((name) => Mutex.create({ arena, name }));
}

/** The classes of each cycle that was reported. */
function orders(): string[] {
  return found.map(({ steps }) => steps.map(({ held, asked }) => `${held} > ${asked}`).join(', '));
}

interface Nested {
  run(body: () => void): void;
}

function nest(...locks: readonly Nested[]): void {
  const [first, ...others] = locks;
  first?.run(() => nest(...others));
}

async function nestAsync(...locks: readonly { runAsync(body: () => Promise<void>): Promise<void> }[]): Promise<void> {
  const [first, ...others] = locks;
  await first?.runAsync(() => nestAsync(...others));
}

describe('reported orders', () => {
  test('opposite orders of two mutexes are reported once, with all four places', () => {
    const [a, b] = mutexes('a', 'b') as [Mutex, Mutex];
    const oneWay = (): void => {
      a.lock();
      b.lock();
      b.unlock();
      a.unlock();
    };
    const otherWay = (): void => {
      b.lock();
      a.lock();
      a.unlock();
      b.unlock();
    };
    for (let round = 0; round < 3; round++) oneWay();
    expect(found).toEqual([]);
    for (let round = 0; round < 3; round++) otherWay();
    expect(orders()).toEqual(["lock 'b' > lock 'a', lock 'a' > lock 'b'"]);
    const [violation] = found;
    expect(violation?.kind).toBe('cycle');
    expect(violation?.steps.every(({ heldAt, askedAt }) => heldAt.length > 0 && askedAt.length > 0)).toBe(true);
    expect(violation?.text).toMatch(/asks for lock 'a' while it holds lock 'b'\n.*acquired at .*\n.*asked for at .*\n/);
    expect(violation?.text).toMatch(/asked for lock 'b' while it held lock 'a'\n/);
  });

  test('a cycle of five classes is reported', () => {
    const locks = mutexes('1', '2', '3', '4', '5');
    locks.forEach((lock, at) => nest(lock, locks[(at + 1) % locks.length] as Mutex));
    expect(found.map(({ steps }) => steps.length)).toEqual([5]);
  });

  test('an order of two locks with a third one between them is reported', () => {
    const [a, b, c] = mutexes('a', 'b', 'c') as [Mutex, Mutex, Mutex];
    nest(a, b, c);
    nest(c, a);
    expect(orders()).toEqual(["lock 'c' > lock 'a', lock 'a' > lock 'c'"]);
  });

  test('locks that are released out of nesting order are reported', () => {
    const [a, b, c] = mutexes('a', 'b', 'c') as [Mutex, Mutex, Mutex];
    for (let round = 0; round < 2; round++) {
      a.lock();
      b.lock();
      a.unlock();
      c.lock();
      b.unlock();
      c.unlock();
    }
    // Not "lock 'a' > lock 'c'": no thread held both.
    nest(c, a);
    expect(orders()).toEqual(["lock 'c' > lock 'a', lock 'a' > lock 'b', lock 'b' > lock 'c'"]);
  });

  test('a held lock is reported if it was acquired without a wait, or with a timeout', () => {
    const [a, b] = mutexes('a', 'b') as [Mutex, Mutex];
    a.tryLock();
    b.lock();
    b.unlock();
    a.unlock();
    b.tryLock(10);
    a.lock();
    expect(found).toHaveLength(1);
    a.unlock();
    b.unlock();
  });

  test('locks without a name are one class for each place that creates them', () => {
    arena = Arena.create({ maxPages: 256 });
    const create = (): Mutex => Mutex.create({ arena });
    const many = Array.from({ length: 10_000 }, create);
    const [log] = mutexes('log') as [Mutex];
    nest(many[17] as Mutex, log);
    nest(log, many[9999] as Mutex);
    expect(found).toHaveLength(1);
    expect(found[0]?.steps[0]?.asked).toMatch(/^lock created at .*:\d+/);
    // Another place, another class.
    const other = Mutex.create({ arena });
    nest(log, other);
    expect(found).toHaveLength(1);
  });

  test('philosophers whose forks are one class are reported', () => {
    const forks = Array.from({ length: 5 }, () => Mutex.create({ arena, name: 'fork' }));
    forks.forEach((fork, at) => nest(fork, forks[(at + 1) % forks.length] as Mutex));
    expect(found.map(({ steps }) => steps.length)).toEqual([5]);
  });

  test('a semaphore with one permit is reported if its holder releases it', () => {
    const [left, right] = ['left', 'right'].map((name) => Semaphore.create(1, { arena, name })) as [
      Semaphore,
      Semaphore,
    ];
    left.acquire();
    right.acquire();
    right.release();
    left.release();
    nest(right, left);
    expect(orders()).toEqual(["semaphore 'right' > semaphore 'left', semaphore 'left' > semaphore 'right'"]);
  });

  test('a reader against a writer is reported', () => {
    const { reader, writer } = RwLock.create({ arena, name: 'index' });
    const [a] = mutexes('a') as [Mutex];
    nest(a, reader);
    nest(writer, a);
    expect(found).toHaveLength(1);
  });

  test('two upgradeable readers against each other are reported', () => {
    const { upgradeable } = RwLock.create({ arena, name: 'index', upgradeable: true });
    const [a] = mutexes('a') as [Mutex];
    nest(a, upgradeable);
    nest(upgradeable, a);
    expect(orders()).toEqual(["lock 'index' > lock 'a', lock 'a' > lock 'index'"]);
  });

  test('an upgradeable reader against a writer is reported', () => {
    const { upgradeable, writer } = RwLock.create({ arena, name: 'index', upgradeable: true });
    const [a] = mutexes('a') as [Mutex];
    nest(upgradeable, a);
    nest(a, writer);
    expect(found).toHaveLength(1);
  });

  test('an upgrade against a reader is reported', () => {
    const { upgradeable, reader } = RwLock.create({ arena, name: 'index', upgradeable: true });
    const [a] = mutexes('a') as [Mutex];
    a.lock();
    upgradeable.lock();
    upgradeable.upgrade();
    upgradeable.unlock();
    a.unlock();
    nest(reader, a);
    expect(orders()).toEqual(["lock 'index' > lock 'a', lock 'a' > lock 'index'"]);
  });

  test('a reader that has upgraded is reported against a reader', () => {
    const { upgradeable, reader } = RwLock.create({ arena, name: 'index', upgradeable: true });
    const [a] = mutexes('a') as [Mutex];
    upgradeable.lock();
    upgradeable.upgrade();
    a.run(() => undefined);
    upgradeable.unlock();
    nest(a, reader);
    expect(found).toHaveLength(1);
  });

  test('a blocking call while an async task of the thread holds a lock is reported', async () => {
    const [a, b] = mutexes('a', 'b') as [Mutex, Mutex];
    await a.lockAsync();
    b.run(() => undefined);
    a.unlock();
    nest(b, a);
    expect(found).toHaveLength(1);
  });

  test('runAsync() within runAsync() is reported', async () => {
    const [a, b, c] = mutexes('a', 'b', 'c') as [Mutex, Mutex, Mutex];
    await nestAsync(a, b, c);
    expect(found).toEqual([]);
    await nestAsync(c, a);
    expect(orders()).toEqual(["lock 'c' > lock 'a', lock 'a' > lock 'c'"]);
    expect(found[0]?.steps.every(({ heldAt, askedAt }) => heldAt.length > 0 && askedAt.length > 0)).toBe(true);
  });

  test('a nesting that is never allowed is reported', () => {
    start({ nesting: { forks: 'never' } });
    nest(...mutexes('forks', 'forks'));
    expect(found).toHaveLength(1);
    expect(found[0]?.text).toContain('against the declared nesting');
  });
});

describe('orders that are not reported', () => {
  afterEach(() => {
    expect(orders()).toEqual([]);
  });

  test('a call against the order is not reported if it does not wait, or waits with a timeout', async () => {
    const [a, b] = mutexes('a', 'b') as [Mutex, Mutex];
    nest(a, b);
    b.lock();
    expect(a.tryLock()).toBe(true);
    a.unlock();
    expect(a.tryLock(10)).toBe(true);
    a.unlock();
    b.unlock();
    await b.runAsync(() => a.runAsync(() => undefined, { timeout: 1000 }));
  });

  test('calls that hold several locks are not reported, whatever the order of their arguments', () => {
    const name = 'x';
    const [a, y, b] = [
      Mutex.create({ arena, name }),
      Mutex.create({ arena, name: 'y' }),
      Mutex.create({ arena, name }),
    ];
    holdAll([a, y]).release();
    runAll([y, b], () => undefined);
    holdAll([b, y, a]).release();
  });

  test('readers against readers are not reported', () => {
    const [one, other] = ['one', 'other'].map((name) => RwLock.create({ arena, name })) as [RwLock, RwLock];
    nest(one.reader, other.reader);
    nest(other.reader, one.reader);
  });

  test('an upgradeable reader against readers, and its upgrade within another lock, are not reported', () => {
    const { upgradeable, reader } = RwLock.create({ arena, name: 'index', upgradeable: true });
    const [a, b] = mutexes('a', 'b') as [Mutex, Mutex];
    nest(upgradeable, a);
    nest(a, reader);
    // Another thread that does this waits for the upgradeable side, and holds nothing then.
    upgradeable.lock();
    b.lock();
    upgradeable.upgrade();
    b.unlock();
    upgradeable.unlock();
  });

  test('a downgrade, and a recursive lock within another lock, are not reported', () => {
    const lock = RwLock.create({ arena, name: 'index' });
    const [a] = mutexes('a') as [Mutex];
    const tree = RecursiveMutex.create({ arena, name: 'tree' });
    nest(tree, a);
    nest(tree, a, tree);
    lock.writer.lock();
    lock.downgrade().release();
    nest(a, lock.writer);
  });

  test('the lock of a condition is not reported as held during the wait', () => {
    const [a, b] = mutexes('a', 'b') as [Mutex, Mutex];
    const condition = Condition.create(a);
    a.lock();
    condition.tryWait(1);
    a.unlock();
    b.run(() => a.run(() => undefined));
  });

  test('async tasks of one thread that do not wait for each other are not reported', async () => {
    const [a, b] = mutexes('a', 'b') as [Mutex, Mutex];
    const hold = async (first: Mutex, second: Mutex): Promise<void> => {
      await first.lockAsync();
      await new Promise((resolve) => setImmediate(resolve));
      const other = second.runAsync(() => undefined);
      first.unlock();
      await other;
    };
    await Promise.all([hold(a, b), hold(b, a)]);
    const separate = async (lock: Mutex): Promise<void> => {
      await lock.runAsync(() => new Promise((resolve) => setImmediate(resolve)));
    };
    await Promise.all([separate(a), separate(b), separate(a), separate(b)]);
  });

  test('a task that outlasts the runAsync() that began it is not reported', async () => {
    const [a, b] = mutexes('a', 'b') as [Mutex, Mutex];
    let later: Promise<unknown> = Promise.resolve();
    await a.runAsync(() => {
      later = b.runAsync(() => new Promise((resolve) => setImmediate(resolve)));
    });
    await later;
    await nestAsync(b, a);
  });

  test('an async call while a blocking call holds a lock is not reported', async () => {
    const [a, b] = mutexes('a', 'b') as [Mutex, Mutex];
    let later: Promise<unknown> = Promise.resolve();
    const begin = (): void => {
      later = b.runAsync(() => undefined);
    };
    a.run(begin);
    await later;
    nest(b, a);
  });

  test('semaphores that are signals, and semaphores with several permits, are not reported', () => {
    const [ping, pong] = ['ping', 'pong'].map((name) => Semaphore.create(1, { arena, name })) as [Semaphore, Semaphore];
    const [a] = mutexes('a') as [Mutex];
    for (let round = 0; round < 3; round++) {
      ping.acquire();
      a.run(() => undefined);
      pong.release();
      pong.acquire();
      a.run(() => ping.tryAcquire());
      ping.release();
    }
    const several = Semaphore.create(4, { arena, name: 'several' });
    nest(several, a);
    nest(a, several);
  });

  test('equal names in two arenas are not reported', () => {
    const [a, b] = mutexes('a', 'b') as [Mutex, Mutex];
    arena = Arena.create({ maxPages: 16 });
    const [otherA, otherB] = mutexes('a', 'b') as [Mutex, Mutex];
    nest(a, b);
    nest(otherB, otherA);
  });

  test('a semaphore that was freed while it was held is not reported', () => {
    const [b] = mutexes('b') as [Mutex];
    const freed = Semaphore.create(1, { arena, name: 'freed' });
    freed.acquire();
    freed.free();
    b.run(() => undefined);
  });

  test('two locks of a class whose nesting is declared are not reported', () => {
    start({ nesting: { fork: 'any' } });
    const [one, other] = mutexes('fork', 'fork') as [Mutex, Mutex];
    nest(one, other);
    nest(other, one);
  });
});

test('checks that were stopped report nothing, and a second one begins anew', () => {
  const [a, b] = mutexes('a', 'b') as [Mutex, Mutex];
  nest(a, b);
  checks?.stop();
  nest(b, a);
  expect(found).toEqual([]);
  start();
  nest(b, a);
  expect(found).toHaveLength(1);
});

test('what the listener throws does not reach the call that asks for the lock', async () => {
  const failure = new Error('of the listener');
  const thrown: unknown[] = [];
  const before = process.rawListeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.once('uncaughtException', (error) => thrown.push(error));
  try {
    start({
      onViolation: () => {
        throw failure;
      },
    });
    const [a, b] = mutexes('a', 'b') as [Mutex, Mutex];
    nest(a, b);
    nest(b, a);
    await new Promise((resolve) => setImmediate(resolve));
    expect(thrown).toEqual([failure]);
  } finally {
    for (const listener of before) process.on('uncaughtException', listener as NodeJS.UncaughtExceptionListener);
  }
});

test('the default is a process warning', async () => {
  const warned = new Promise<Error & { code?: string }>((resolve) => process.once('warning', resolve));
  start({ onViolation: undefined });
  const [a, b] = mutexes('a', 'b') as [Mutex, Mutex];
  nest(a, b);
  nest(b, a);
  const { name, code, message } = await warned;
  expect([name, code]).toEqual(['SluiceWarning', 'SLUICE_LOCK_ORDER']);
  expect(message).toContain('holdAll');
});

const MISUSES: readonly (readonly [options: unknown, message: RegExp])[] = [
  [{ handle: {} }, /Expected the handle of order checks .* Nothing was switched on/],
  [{ handle: { kind: 'sluice.lock-order', memory: new SharedArrayBuffer(64) } }, /handle of order checks/],
  [{ nesting: { a: 'all' } }, /nesting of 'a' must be 'any', 'never' or a function: received "all"/],
  [{ nesting: 5 }, /nesting must be an object/],
  [{ onViolation: 'log' }, /must be a function/],
  [{ onviolation: () => undefined }, /onviolation/],
  [5, /5/],
];

test.each(MISUSES)('startOrderChecks refuses %j', (options, message) => {
  expect(() => startOrderChecks(options as OrderOptions)).toThrow(message);
});

test('a lock that has the address of a freed one is another lock', () => {
  for (let round = 0; round < 4; round++) {
    const [parent, child] = mutexes('node', 'node') as [Mutex, Mutex];
    nest(parent, child);
    parent.free();
    child.free();
  }
  expect(found).toEqual([]);
});
