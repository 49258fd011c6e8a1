// Tests the assertions of web-platform-tests/web-locks with agents of one thread. Each group has the name of a file,
// but its code is our own: tools/wpt runs the files themselves. web-locks.stress.ts has the groups with workers.

import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { Arena, Semaphore } from '../../core/src/index.ts';
import { BLOCK_LINE } from '../../core/src/kernel/layout.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { USUALLY_KEPT } from '../src/table/layout.ts';
import { HeldLock, LockManager, type LockInfo, type LockManagerSnapshot } from '../src/index.ts';
import './support/kinds.ts';
import { lines } from './support/blocks.ts';

/** On a loaded machine a second is not enough. */
const PATIENCE = { timeout: 120_000 };

interface Pair {
  readonly arena: Arena;
  readonly locks: LockManager;
  readonly others: LockManager;
}

const engines = ['wasm', 'js'] as const;

function pairIn(engine: (typeof engines)[number]): Pair {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64, policy: { spinMicros: 0 } });
  const locks = LockManager.create({ arena, name: 'locks' });
  return { arena, locks, others: openAs(secondAgent(arena), locks.handle, (handle) => LockManager.from(handle)) };
}

const forever = new Promise<never>(() => undefined);
const modes = (list: readonly LockInfo[] | undefined, name: string): string[] =>
  (list ?? []).filter((lock) => lock.name === name).map(({ mode }) => String(mode));
const clients = (list: readonly LockInfo[] | undefined, name: string): string[] =>
  (list ?? []).filter((lock) => lock.name === name).map(({ clientId }) => String(clientId));
const unwanted = (): never => {
  throw new Error('The callback was called.');
};

/** A lock that is held until `release`. */
interface Hold {
  readonly granted: Promise<void>;
  readonly release: (value?: unknown) => void;
  readonly ended: Promise<unknown>;
}

function hold(locks: LockManager, name: string, options: Parameters<LockManager['request']>[1] | object = {}): Hold {
  let release: (value?: unknown) => void = () => undefined;
  const body = new Promise((resolve) => (release = resolve));
  let isGranted: () => void = () => undefined;
  const granted = new Promise<void>((resolve) => (isGranted = resolve));
  const ended = locks.request(name, options, () => {
    isGranted();
    return body;
  });
  ended.catch(() => undefined);
  return { granted, release, ended };
}

async function nameOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'resolved',
    (failure: unknown) => (failure as Error).name,
  );
}

describe.each(engines)('acquire (%s)', (engine) => {
  test('request() requires a name and a callback', async () => {
    const { locks } = pairIn(engine);
    const request = locks.request.bind(locks) as (...given: unknown[]) => Promise<unknown>;
    expect(await nameOf(request())).toBe('TypeError');
    expect(await nameOf(request('res'))).toBe('TypeError');
    for (const callback of [undefined, null, 123, 'abc', [], {}, new Promise(() => undefined)]) {
      expect(await nameOf(request('res', callback))).toBe('TypeError');
      expect(await nameOf(request('res', {}, callback))).toBe('TypeError');
    }
  });

  test('mode must be "shared" or "exclusive"', async () => {
    const { locks } = pairIn(engine);
    for (const mode of ['foo', null, ''])
      expect(await nameOf(locks.request('res', { mode } as object, unwanted))).toBe('TypeError');
    for (const mode of ['exclusive', 'shared'] as const)
      expect(await locks.request('res', { mode }, (lock) => lock.mode)).toBe(mode);
  });

  test('options that exclude each other reject with "NotSupportedError"', async () => {
    const { locks } = pairIn(engine);
    const { signal } = new AbortController();
    for (const options of [
      { steal: true, ifAvailable: true },
      { mode: 'shared', steal: true },
      { signal, steal: true },
      { signal, ifAvailable: true },
    ]) {
      const refused = locks.request('res', options as object, unwanted);
      expect(await nameOf(refused)).toBe('NotSupportedError');
      await expect(refused).rejects.toBeInstanceOf(DOMException);
    }
  });

  test('the promise resolves after the lock is released', async () => {
    const { locks } = pairIn(engine);
    const { release, ended } = hold(locks, 'res');
    const order: string[] = [];
    const returned = ended.then(() => order.push('returned'));
    const again = locks.request('res', () => order.push('held again'));
    release();
    await Promise.all([returned, again]);
    expect(order.length).toBe(2);
    expect((await locks.query()).held).toEqual([]);
  });

  test('the promise rejects with the error of the callback, thrown at once or later, thenable or not', async () => {
    const { locks } = pairIn(engine);
    const failure = { name: 'test' };
    const thenable = { then: vi.fn() };
    const throws =
      (what: object): (() => never) =>
      () => {
        throw what as Error;
      };
    await expect(locks.request('res', throws(failure))).rejects.toBe(failure);
    await expect(locks.request('res', async () => Promise.resolve().then(throws(failure)))).rejects.toBe(failure);
    const found: unknown[] = [];
    await new Promise<void>((resolve) => {
      void locks
        .request('res', async () => Promise.resolve().then(throws(thenable)))
        .then(undefined, (reason: unknown) => resolve(void found.push(reason)));
    });
    expect(found[0]).toBe(thenable);
    expect(thenable.then.mock.calls.length).toBe(0);
    expect((await locks.query()).held).toEqual([]);
  });
});

describe.each(engines)('clientids (%s)', (engine) => {
  test('a client has the same id in all snapshots, and another client has another id', async () => {
    const { locks, others } = pairIn(engine);
    const mine = hold(locks, 'mine');
    const theirs = hold(others, 'theirs');
    await Promise.all([mine.granted, theirs.granted]);
    const { held } = await others.query();
    expect(clients(held, 'mine')).toEqual([locks.clientId]);
    expect(clients(held, 'theirs')).toEqual([others.clientId]);
    expect(locks.clientId).not.toBe(others.clientId);
    mine.release();
    theirs.release();
    await Promise.all([mine.ended, theirs.ended]);
  });
});

describe.each(engines)('held (%s)', (engine) => {
  test('a result of the callback that is no promise resolves the request', async () => {
    const { locks } = pairIn(engine);
    const promise = locks.request('res', () => 123);
    expect(promise).toBeInstanceOf(Promise);
    expect(await promise).toBe(123);
  });

  test.each(['resolves', 'rejects'])("the lock is held until the callback's promise %s", async (how) => {
    const { locks } = pairIn(engine);
    const order: string[] = [];
    let end: () => void = () => undefined;
    const body = new Promise<void>(
      (resolve, reject) => (end = how === 'resolves' ? resolve : () => reject(new Error('expected'))),
    );
    const first = locks.request('res', () => body);
    const second = locks.request('res', () => order.push('granted'));
    await locks.request('other', () => undefined);
    order.push('released');
    end();
    expect(await nameOf(first)).toBe(how === 'resolves' ? 'resolved' : 'Error');
    await second;
    expect(order).toEqual(['released', 'granted']);
  });

  test('a held lock is not granted again to its own client', async () => {
    const { locks } = pairIn(engine);
    const inner = await locks.request('res', () => locks.request('res', { ifAvailable: true }, (lock) => lock));
    expect(inner).toBeNull();
  });
});

describe.each(engines)('ifAvailable (%s)', (engine) => {
  const available = (locks: LockManager, name: string, mode: 'exclusive' | 'shared' = 'exclusive'): Promise<boolean> =>
    locks.request(name, { ifAvailable: true, mode }, (lock) => lock !== null);

  test('an available lock is granted, and otherwise the callback is called with null', async () => {
    const { locks, others } = pairIn(engine);
    expect(await available(locks, 'res')).toBe(true);
    await locks.request('res', async () => {
      expect([
        await available(locks, 'res'),
        await available(others, 'res'),
        await available(locks, 'res', 'shared'),
        await available(locks, 'different'),
      ]).toEqual([false, false, false, true]);
      expect(await locks.request('res', { ifAvailable: true }, () => 123)).toBe(123);
    });
    await locks.request('res', { mode: 'shared' }, async () => {
      expect([
        await available(locks, 'res', 'shared'),
        await available(others, 'res', 'shared'),
        await available(locks, 'res'),
      ]).toEqual([true, true, false]);
    });
  });

  test('the promise rejects with the error of a callback that was called without the lock', async () => {
    const { locks } = pairIn(engine);
    const failure = { name: 'test' };
    const throws = (): never => {
      throw failure as Error;
    };
    await locks.request('res', async () => {
      await expect(locks.request('res', { ifAvailable: true }, throws)).rejects.toBe(failure);
      await expect(
        locks.request('res', { ifAvailable: true }, async () => Promise.resolve().then(throws)),
      ).rejects.toBe(failure);
    });
  });

  test('a lock is available after its release was processed', async () => {
    const { locks } = pairIn(engine);
    await locks.request('one', async () => {
      await locks.request('two', () => undefined);
      expect(await available(locks, 'two')).toBe(true);
    });
  });

  test('a shared lock is not available behind a waiting exclusive request', async () => {
    const { locks, others } = pairIn(engine);
    await locks.request('res', { mode: 'shared' }, async () => {
      const next = hold(others, 'res');
      expect(await available(locks, 'res', 'shared')).toBe(false);
      next.release();
    });
  });

  test('the callback is not called within request()', async () => {
    const { locks } = pairIn(engine);
    const order: string[] = [];
    const wait = [
      locks.request('res', () => order.push('exclusive')),
      locks.request('res', { ifAvailable: true }, () => order.push('null')),
    ];
    order.push('after');
    await Promise.all(wait);
    expect(order[0]).toBe('after');
  });
});

describe.each(engines)('lock-attributes (%s)', (engine) => {
  test('a lock has the name and the mode that were requested', async () => {
    const { locks } = pairIn(engine);
    const seen: (HeldLock | null)[] = [];
    await locks.request('res', (lock) => seen.push(lock));
    await locks.request('res', { mode: 'exclusive' }, (lock) => seen.push(lock));
    await locks.request('res', { mode: 'shared' }, (lock) => seen.push(lock));
    expect(seen.map((lock) => [lock?.name, lock?.mode])).toEqual([
      ['res', 'exclusive'],
      ['res', 'exclusive'],
      ['res', 'shared'],
    ]);
  });
});

describe('idlharness', () => {
  const granted = (): Promise<HeldLock> => pairIn('wasm').locks.request('res', (lock) => lock);
  const listed = (instance: object): string[] => {
    const names: string[] = [];
    for (const name in instance) if (!Object.hasOwn(instance, name)) names.push(name);
    return names;
  };

  test('a lock has the interface Lock: its attributes are on the prototype and read-only', async () => {
    const lock = await granted();
    expect([lock instanceof HeldLock, Object.prototype.toString.call(lock), listed(lock)]).toEqual([
      true,
      '[object Lock]',
      ['name', 'mode'],
    ]);
    expect(() => Object.assign(lock, { name: 'other' })).toThrow(TypeError);
    expect(() => Reflect.get(HeldLock.prototype, 'name') as unknown).toThrow(TypeError);
    expect(lock.name).toBe('res');
  });

  test('console.log shows the name and the mode of a lock', async () => {
    expect(inspect(await granted())).toBe("Lock { name: 'res', mode: 'exclusive' }");
  });

  test('a lock cannot be constructed or posted', async () => {
    const Unknown = HeldLock as unknown as new () => unknown;
    expect(() => new Unknown()).toThrow(
      new TypeError('A lock is what LockManager.request calls its callback with: the constructor is not for callers.'),
    );
    const lock = await granted();
    expect(() => structuredClone(lock)).toThrow('a lock cannot be posted to another thread: post its name');
  });

  test('a manager has the interface LockManager: its operations are enumerable, with the specified number of arguments', () => {
    const { locks } = pairIn('wasm');
    expect([listed(locks), Object.prototype.toString.call(locks)]).toEqual([
      ['request', 'query'],
      '[object LockManager]',
    ]);
    expect([LockManager.length, LockManager.prototype.request.length, LockManager.prototype.query.length]).toEqual([
      0, 2, 0,
    ]);
  });

  test('operations on another object reject', async () => {
    const { request, query } = LockManager.prototype as unknown as Record<
      'request' | 'query',
      (...given: unknown[]) => Promise<unknown>
    >;
    expect(await nameOf(request.call({}, 'res', unwanted))).toBe('TypeError');
    expect(await nameOf(query.call({}))).toBe('TypeError');
  });
});

describe.each(engines)('mode-exclusive, mode-shared, mode-mixed (%s)', (engine) => {
  test('exclusive requests are granted one at a time, in the order of the requests', async () => {
    const { locks } = pairIn(engine);
    const granted: number[] = [];
    await Promise.all(
      [0, 1, 2].map((index) =>
        locks.request('a', async () => {
          granted.push(index);
          await Promise.resolve();
        }),
      ),
    );
    expect(granted).toEqual([0, 1, 2]);
  });

  test('requests for two names do not wait for each other', async () => {
    const { locks } = pairIn(engine);
    const first = hold(locks, 'a');
    await first.granted;
    expect(await locks.request('b', () => 'b')).toBe('b');
    first.release();
    await first.ended;
  });

  test('shared locks are held together', async () => {
    const { locks, others } = pairIn(engine);
    const all = [locks, others, locks].map((client) => hold(client, 'a', { mode: 'shared' }));
    await Promise.all(all.map(({ granted }) => granted));
    const next = hold(locks, 'a');
    expect(modes((await locks.query()).pending, 'a')).toEqual(['exclusive']);
    for (const { release } of all) release();
    await next.granted;
    next.release();
    await next.ended;
  });

  test('requests of both modes are granted in order', async () => {
    const { locks } = pairIn(engine);
    const granted: string[] = [];
    let unblock: () => void = () => undefined;
    const blocked = new Promise<void>((resolve) => (unblock = resolve));
    const shared = [1, 2, 3].map((index) =>
      locks.request('a', { mode: 'shared' }, async () => {
        granted.push(`a-shared-${index}`);
        await blocked;
      }),
    );
    const exclusive = locks.request('a', (lock) => {
      granted.push('a-exclusive');
      return lock.mode;
    });
    await locks.request('b', { mode: 'exclusive' }, () => granted.push('b-exclusive'));
    const first = ['a-shared-1', 'a-shared-2', 'a-shared-3', 'b-exclusive'];
    expect(granted).toEqual(first);
    unblock();
    expect(await exclusive).toBe('exclusive');
    expect(granted).toEqual([...first, 'a-exclusive']);
    await Promise.all(shared);
  });

  test('the release of an exclusive lock grants all shared requests behind it', async () => {
    const { locks, others } = pairIn(engine);
    const first = hold(locks, 'res');
    const shared = Array.from({ length: 5 }, (_, index) =>
      hold(index % 2 === 0 ? locks : others, 'res', { mode: 'shared' }),
    );
    const before = await locks.query();
    expect([modes(before.held, 'res'), modes(before.pending, 'res').length]).toEqual([['exclusive'], 5]);
    first.release();
    await first.ended;
    expect(modes((await locks.query()).held, 'res')).toEqual(Array(5).fill('shared'));
    for (const { release } of shared) release();
    await Promise.all(shared.map(({ ended }) => ended));
  });

  test('an exclusive request between shared ones keeps its place', async () => {
    const { locks } = pairIn(engine);
    const first = Array.from({ length: 5 }, () => hold(locks, 'res', { mode: 'shared' }));
    const exclusive = hold(locks, 'res');
    const last = Array.from({ length: 5 }, () => hold(locks, 'res', { mode: 'shared' }));
    const held = async (): Promise<string[]> => modes((await locks.query()).held, 'res');
    expect(await held()).toEqual(Array(5).fill('shared'));
    for (const { release } of first) release();
    await Promise.all(first.map(({ ended }) => ended));
    expect(await held()).toEqual(['exclusive']);
    exclusive.release();
    await exclusive.ended;
    expect(await held()).toEqual(Array(5).fill('shared'));
    for (const { release } of last) release();
    await Promise.all(last.map(({ ended }) => ended));
  });
});

describe.each(engines)('query, query-empty, query-ordering (%s)', (engine) => {
  test('query() of an idle manager is empty', async () => {
    expect(await pairIn(engine).locks.query()).toEqual({ held: [], pending: [] });
  });

  test('query() returns dictionaries with the specified properties, each lock once', async () => {
    const { locks } = pairIn(engine);
    const state = await locks.request('res', async (): Promise<LockManagerSnapshot> => {
      void locks.request('res', () => undefined);
      expect(await locks.request('res', { ifAvailable: true }, (lock) => lock)).toBeNull();
      return locks.query();
    });
    const { clientId } = locks;
    expect(state).toEqual({
      held: [{ name: 'res', mode: 'exclusive', clientId }],
      pending: [{ name: 'res', mode: 'exclusive', clientId }],
    });
  });

  test('query() counts shared locks and shared requests', async () => {
    const { locks } = pairIn(engine);
    await locks.request('res', { mode: 'shared' }, () =>
      locks.request('res', { mode: 'shared' }, async () => {
        expect(modes((await locks.query()).held, 'res')).toEqual(['shared', 'shared']);
      }),
    );
    const waits: Promise<unknown>[] = [];
    await locks.request('res', async () => {
      for (let count = 0; count < 2; count++) waits.push(locks.request('res', { mode: 'shared' }, () => undefined));
      const { held, pending } = await locks.query();
      expect([modes(held, 'res'), modes(pending, 'res')]).toEqual([['exclusive'], ['shared', 'shared']]);
    });
    await Promise.all(waits);
  });

  test('query() reports several names, each with its client', async () => {
    const { locks, others } = pairIn(engine);
    await locks.request('one', () =>
      others.request('two', { mode: 'shared' }, async () => {
        const { held } = await locks.query();
        expect([modes(held, 'one'), modes(held, 'two'), clients(held, 'one'), clients(held, 'two')]).toEqual([
          ['exclusive'],
          ['shared'],
          [locks.clientId],
          [others.clientId],
        ]);
      }),
    );
  });

  test('query() shows a deadlock', async () => {
    const { locks, others } = pairIn(engine);
    const [one, two] = [hold(others, 'one'), hold(locks, 'two')];
    await Promise.all([one.granted, two.granted]);
    const stop = new AbortController();
    const waits = [
      others.request('two', { signal: stop.signal }, unwanted),
      locks.request('one', { signal: stop.signal }, unwanted),
    ];
    const { held, pending } = await locks.query();
    expect(clients(held, 'one')).toEqual(clients(pending, 'two'));
    expect(clients(held, 'two')).toEqual(clients(pending, 'one'));
    stop.abort();
    expect(await Promise.all(waits.map(nameOf))).toEqual(['AbortError', 'AbortError']);
    one.release();
    two.release();
    await Promise.all([one.ended, two.ended]);
  });

  test('query() reports requests in the order in which they were made', async () => {
    const { arena, locks, others } = pairIn(engine);
    const third = openAs(secondAgent(arena), locks.handle, (handle) => LockManager.from(handle));
    for (const order of [
      [others, third, locks],
      [third, locks, others],
    ]) {
      const first = hold(locks, 'res');
      const waits = order.map((client) => hold(client, 'res'));
      expect(clients((await others.query()).pending, 'res')).toEqual(order.map(({ clientId }) => clientId));
      for (const { release } of [first, ...waits]) release();
      await Promise.all(waits.map(({ ended }) => ended));
    }
  });
});

describe.each(engines)('resource-names (%s)', (engine) => {
  test.each(['', 'abc\x00def', '\uD800', '\uDC00', '\uDC00\uD800', '\uFFFF'])(
    'the name %j is granted as it was requested',
    async (name) => {
      const { locks } = pairIn(engine);
      expect(await locks.request(name, (lock) => lock.name)).toBe(name);
      const { held } = await locks.request(name, () => locks.query());
      expect(held?.map((lock) => lock.name)).toEqual([name]);
    },
  );

  test('names that are not valid UTF-16 are kept unchanged', async () => {
    const { locks } = pairIn(engine);
    expect(await locks.request('\uD800', () => locks.request('\uFFFD', (lock) => lock.name))).toBe('\uFFFD');
  });

  test('names that begin with "-" reject, other names with "-" do not', async () => {
    const { locks } = pairIn(engine);
    for (const name of ['-', '-foo']) expect(await nameOf(locks.request(name, unwanted))).toBe('NotSupportedError');
    expect(await locks.request('x-anything', () => 1)).toBe(1);
  });

  test('names are converted to strings', async () => {
    const { locks } = pairIn(engine);
    expect(await locks.request(7 as never, (lock) => lock.name)).toBe('7');
    expect(await nameOf(locks.request(Symbol('s') as never, unwanted))).toBe('TypeError');
  });

  test('a name of more than 4,096 code units rejects, although the specification has no limit', async () => {
    expect(await nameOf(pairIn(engine).locks.request('x'.repeat(4097), unwanted))).toBe('RangeError');
  });
});

describe.each(engines)('signal (%s)', (engine) => {
  test('the signal must be an AbortSignal', async () => {
    const { locks } = pairIn(engine);
    for (const signal of ['string', 12.34, false, {}, Symbol('s'), () => undefined, globalThis, null]) {
      expect(await nameOf(locks.request('res', { signal } as object, unwanted))).toBe('TypeError');
    }
  });

  test('an already aborted signal rejects the request with its reason', async () => {
    const { locks } = pairIn(engine);
    expect(await nameOf(locks.request('res', { signal: AbortSignal.abort() }, unwanted))).toBe('AbortError');
    const reason = 'My dog ate it.';
    await expect(locks.request('res', { signal: AbortSignal.abort(reason) }, unwanted)).rejects.toBe(reason);
    const signal = AbortSignal.abort();
    await expect(locks.request('res', { signal }, unwanted)).rejects.toBe(signal.reason);
  });

  test('an abort removes a waiting request from the queue', async () => {
    const { locks } = pairIn(engine);
    const first = hold(locks, 'res');
    const stop = new AbortController();
    const wait = locks.request('res', { signal: stop.signal }, unwanted);
    const { held, pending } = await locks.query();
    expect([modes(held, 'res').length, modes(pending, 'res').length]).toEqual([1, 1]);
    stop.abort();
    expect(await nameOf(wait)).toBe('AbortError');
    expect((await locks.query()).pending).toEqual([]);
    first.release();
    await first.ended;
  });

  test('an abort after a timer rejects the request', async () => {
    const { locks } = pairIn(engine);
    const first = hold(locks, 'res');
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 1);
    expect(await nameOf(locks.request('res', { signal: stop.signal }, unwanted))).toBe('AbortError');
    first.release();
    await first.ended;
  });

  test('a signal that is not aborted has no effect', async () => {
    expect(await pairIn(engine).locks.request('res', { signal: new AbortController().signal }, () => 'got it')).toBe(
      'got it',
    );
  });

  test('an abort in the turn of the request rejects it with the reason although the lock is free, and the next request is served', async () => {
    const { locks } = pairIn(engine);
    for (const reason of [undefined, 'My cat handled it']) {
      const stop = new AbortController();
      const first = locks.request('res', { signal: stop.signal }, unwanted);
      const next = locks.request('res', () => 'resolved');
      stop.abort(reason);
      await expect(first).rejects.toBe(stop.signal.reason);
      expect(await next).toBe('resolved');
    }
    expect((await locks.query()).held).toEqual([]);
  });

  test('an abort after the grant, or after the release, has no effect', async () => {
    const { locks } = pairIn(engine);
    for (const isLate of [false, true]) {
      const stop = new AbortController();
      const first = hold(locks, 'res', { signal: stop.signal });
      await first.granted;
      if (isLate) first.release('resolved ok');
      stop.abort();
      first.release('resolved ok');
      expect(await first.ended).toBe('resolved ok');
    }
  });
});

describe.each(engines)('thousands of requests (%s)', (engine) => {
  test('query tells the one that holds from those that wait', async () => {
    const { locks } = pairIn(engine);
    const holder = hold(locks, 'res');
    await holder.granted;
    const stop = new AbortController();
    // Each exclusive request waits for a million permits, so their tickets are more than 32 bits apart.
    const waits = Array.from({ length: 4200 }, () => nameOf(locks.request('res', { signal: stop.signal }, unwanted)));
    const { held, pending } = await locks.query();
    expect([held?.length, pending?.length]).toEqual([1, 4200]);
    stop.abort();
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['AbortError']));
    holder.release();
    await holder.ended;
  });
});

describe.each(engines)('steal (%s)', (engine) => {
  test('steal of a free lock is granted', async () => {
    expect(await pairIn(engine).locks.request('res', { steal: true }, (lock) => lock.mode)).toBe('exclusive');
  });

  test('steal takes a held lock, and the promise of its request rejects', async () => {
    const { locks, others } = pairIn(engine);
    for (const [holder, thief] of [
      [locks, locks],
      [locks, others],
    ] as const) {
      const first = holder.request('res', () => forever);
      const broken = nameOf(first);
      expect(await thief.request('res', { steal: true }, (lock) => lock.name)).toBe('res');
      expect(await broken).toBe('AbortError');
      await expect(first).rejects.toBeInstanceOf(DOMException);
    }
  });

  test('a waiting request stays in the queue during a steal, and is granted afterwards', async () => {
    const { locks, others } = pairIn(engine);
    const broken = nameOf(locks.request('res', () => forever));
    const order: string[] = [];
    const waits = [locks.request('res', () => order.push('own')), others.request('res', () => order.push('other'))];
    await others.request('res', { steal: true }, () => order.push('thief'));
    await Promise.all(waits);
    expect([order[0], [...order].sort(), await broken]).toEqual(['thief', ['other', 'own', 'thief'], 'AbortError']);
  });

  test('the requests of one client keep their order, even right after a steal', async () => {
    const { locks, others } = pairIn(engine);
    for (const thief of [locks, others]) {
      const holder = hold(locks, 'res');
      await holder.granted;
      const order: string[] = [];
      const ask = (label: string): Promise<unknown> => locks.request('res', () => order.push(label));
      const before = [ask('first'), ask('second')];
      const steal = thief.request('res', { steal: true }, () => order.push('thief'));
      const after = [ask('third'), ask('fourth')];
      await Promise.all([steal, ...before, ...after]);
      expect(order).toEqual(['thief', 'first', 'second', 'third', 'fourth']);
      holder.release();
      expect(await nameOf(holder.ended)).toBe('AbortError');
    }
  });

  test('a request with ifAvailable does not come before a request that a steal moved', async () => {
    const { locks, others } = pairIn(engine);
    const broken = nameOf(locks.request('res', () => forever));
    const order: string[] = [];
    const waiting = locks.request('res', () => order.push('waiting'));
    await others.request('res', { steal: true }, () => undefined);
    await locks.request('res', { ifAvailable: true }, (lock) => {
      if (lock !== null) order.push('available');
    });
    await waiting;
    expect([order[0], await broken]).toEqual(['waiting', 'AbortError']);
  });

  test('the last of several steals holds the lock', async () => {
    const { locks } = pairIn(engine);
    const ends = [
      nameOf(locks.request('res', () => forever)),
      nameOf(locks.request('res', { steal: true }, () => forever)),
    ];
    await locks.request('res', { steal: true }, () => undefined);
    expect(await Promise.all(ends)).toEqual(['AbortError', 'AbortError']);
  });

  test('steal takes the shared locks of several clients, and their later ends have no effect', async () => {
    const { arena, locks, others } = pairIn(engine);
    const shared = [locks, others, locks].map((client) => hold(client, 'res', { mode: 'shared' }));
    await Promise.all(shared.map(({ granted }) => granted));
    const thief = hold(others, 'res', { steal: true });
    await thief.granted;
    expect(await Promise.all(shared.map(({ ended }) => nameOf(ended)))).toEqual(Array(3).fill('AbortError'));
    expect((await locks.query()).held).toEqual([{ name: 'res', mode: 'exclusive', clientId: others.clientId }]);
    for (const { release } of shared) release();
    await vi.waitUntil(() => lines(arena).length === 1, PATIENCE);
    expect(await locks.request('res', { ifAvailable: true }, (lock) => lock)).toBeNull();
    thief.release();
    await thief.ended;
    expect(lines(arena)).toEqual([]);
  });
});

describe.each(engines)('releases without the mutex of the table (%s)', (engine) => {
  test('a request whose callback has ended resolves, even if another thread frees the lock manager right after the release', async () => {
    const { arena, locks, others } = pairIn(engine);
    await locks.request('res', () => undefined);
    const release: Semaphore['release'] = Reflect.get(Semaphore.prototype, 'release');
    const spy = vi.spyOn(Semaphore.prototype, 'release').mockImplementation(function (this: Semaphore, permits) {
      release.call(this, permits);
      others.free();
      // Whatever gets the memory next: the entry is no longer a resident.
      new Int32Array(arena.handle.memory.buffer).fill(
        -1,
        (lastEntry + BLOCK_LINE) / 4,
        (lastEntry + 2 * BLOCK_LINE) / 4,
      );
    });
    const lastEntry = arena.inspect().blocks.find(({ kind }) => kind === 'semaphore')?.address ?? 0;
    const ended = locks.request('res', () => 'result');
    expect(await ended.finally(() => spy.mockRestore())).toBe('result');
  });

  test('a callback whose promise settles twice releases the lock once', async () => {
    const { locks } = pairIn(engine);
    const twice = Object.assign(Promise.resolve(), {
      then: (settled: (value: unknown) => void) => {
        settled('first');
        settled('second');
      },
    });
    const holder = hold(locks, 'res', { mode: 'shared' });
    await holder.granted;
    expect(await locks.request('res', { mode: 'shared' }, () => twice as Promise<unknown>)).toBe('first');
    expect((await locks.query()).held?.length).toBe(1);
    expect(await locks.request('res', { ifAvailable: true }, (lock) => lock)).toBeNull();
    holder.release();
    await holder.ended;
  });

  test('a lock that is used repeatedly is watched once, even among hundreds of others', async () => {
    expect.assertions(0);
    const { locks } = pairIn(engine);
    let watches = 0;
    const waitAsync = Reflect.get(Atomics, 'waitAsync') as (
      ...given: readonly unknown[]
    ) => ReturnType<typeof Atomics.waitAsync>;
    const spy = vi.spyOn(Atomics, 'waitAsync').mockImplementation((...given) => {
      const told = waitAsync(...given);
      // A watch expects the tag of a line. A wait that expects 0 answers probes of an agent, also of agents of earlier
      // tests, which prepare another one for each probe.
      if (!told.async || Number(given[2]) === 0) return told;
      watches += 1;
      void told.value.then(() => (watches -= 1));
      return told;
    });
    const names = Array.from({ length: 600 }, (_, index) => `lock ${index}`);
    try {
      for (let round = 0; round < 6; round++) {
        const held = names.map((name) => hold(locks, name));
        await Promise.all(held.map(({ granted }) => granted));
        for (const { release } of held) release();
        await Promise.all(held.map(({ ended }) => ended));
        // The residents come last in the next round.
        if (round === 0) names.reverse();
        // Locks that are removed from the table end their watches.
        await vi.waitUntil(() => watches <= USUALLY_KEPT, PATIENCE);
      }
    } finally {
      spy.mockRestore();
    }
  });
});
