// Tests each wrong call: its error, and that nothing changed.

import { describe, expect, test } from 'vitest';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { connect } from '@sluice/redis';
import { fence } from '@sluice/redis';
import { BridgedSemaphore } from '@sluice/redis';
import type { Space } from '@sluice/redis';
import { checkServer } from '../src/server/checks.ts';
import { clientOf, failureOf, onServer } from './support/server.ts';

describe('connect', () => {
  const client = createClient({ url: 'redis://127.0.0.1:1' });
  test.each([
    [
      'a number as client',
      () => connect(5 as never, { namespace: 'a' }),
      "Expected a client of 'redis' or 'ioredis', such as createClient({ url }): received 5",
    ],
    [
      'an object without methods',
      () => connect({} as never, { namespace: 'a' }),
      "Expected a client of 'redis' or 'ioredis', such as createClient({ url }): received an object of type Object",
    ],
    [
      'a client that adds a prefix to keys',
      () => connect(new Redis({ lazyConnect: true, keyPrefix: 'app:' }), { namespace: 'a' }),
      `The client has the keyPrefix "app:", which cannot be used here. Pass client.duplicate({ keyPrefix: '' }), and choose the namespace instead.`,
    ],
    ['no namespace', () => connect(client, {} as never), 'namespace must be a string: received undefined'],
    [
      'a namespace with brackets',
      () => connect(client, { namespace: 'a}b' }),
      'namespace must have 1 to 100 characters, without white space or brackets: received "a}b"',
    ],
    [
      'a short lease',
      () => connect(client, { namespace: 'a', lease: 50 }),
      'lease must be a whole number from 100 to 86400000: received 50',
    ],
    [
      'an unknown option',
      () => connect(client, { namespace: 'a', leese: 1 } as never),
      'Unknown option "leese": expected one of namespace, lease, name, connectTimeout, onWarning.',
    ],
    [
      'a name that is no string',
      () => connect(client, { namespace: 'a', name: 5 } as never),
      'name must be a string: received 5',
    ],
    [
      'a token that is no bigint',
      () => fence(client, 'k', 5 as never),
      'token must be a bigint, such as guard.fencingToken: received 5',
    ],
    ['a key that is no string', () => fence(client, 5 as never, 5n), 'key must be a string: received 5'],
  ])('throws for %s', async (_, call, message) => {
    expect((await failureOf(call())).message).toBe(message);
  });

  test.each(['redis', 'ioredis'] as const)('reports that there is no server, through %s', async (library) => {
    const failure = await failureOf(
      connect(clientOf(library, 'redis://127.0.0.1:1'), { namespace: 'a', connectTimeout: 3000 }),
    );
    expect(failure).toMatchObject({ name: 'RedisError', code: 'SLUICE_REDIS' });
    expect(failure.message).toMatch(
      /^No connection to the Redis server: .*ECONNREFUSED.*\. Start the server, or check the client's address\.$/,
    );
  });

  test('throws for an old server, and warns of eviction and of missing persistence', () => {
    expect(() => checkServer('redis_version:6.2.1\r\n')).toThrow(
      'The server is version 6.2.1: @sluice/redis needs Redis 7 or newer, or Valkey.',
    );
    expect(
      checkServer('redis_version:7.2.4\r\nvalkey_version:8.0.1\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n'),
    ).toEqual([]);
    expect(
      checkServer(
        'redis_version:7.0.0\r\nmaxmemory_policy:allkeys-lru\r\nrole:master\r\naof_enabled:0\r\nconnected_slaves:0\r\n',
      ),
    ).toEqual([
      "The server's maxmemory-policy is allkeys-lru: it may evict the keys of locks that are held. Set it to noeviction.",
      'The server has neither an append-only file nor a replica: after a crash all sessions are lost, and each holder learns of it within a lease. Set appendonly to yes.',
    ]);
  });
});

test('space.bridge opens only handles of its own bridges', () => {
  expect(() => BridgedSemaphore.from({} as never)).toThrow(
    'Expected the handle of a bridge (bridge.handle): received an object of type Object.',
  );
});

onServer('wrong calls throw and change nothing', (it) => {
  const wrong: readonly (readonly [string, (space: Space) => unknown, string])[] = [
    ['a name that is no string', (space) => space.mutex(5 as never), 'The name must be a string: received 5'],
    ['an empty name', (space) => space.mutex(''), 'The name must have 1 to 200 bytes of UTF-8: received 0'],
    [
      'no permits',
      (space) => space.semaphore('db', 0),
      'Semaphore "db": permits must be a whole number from 1 to 2147483647: received 0',
    ],
    [
      'an unknown option',
      (space) => space.semaphore('db', 1, { max: 3 } as never),
      'Unknown option "max": expected one of bypass, linger, recovery.',
    ],
    [
      'a bypass of 0',
      (space) => space.mutex('a', { bypass: 0 }),
      'bypass must be a whole number from 1 to 1000000000: received 0',
    ],
    [
      'a map over a value that is not iterable',
      (space) => space.limit('api', 1).map(undefined as never, () => 1),
      'limit.map takes items and a function: the items must be iterable: received undefined',
    ],
    [
      'a limit of 0',
      (space) => space.limit('api', 0),
      'Limit "api": concurrency must be a whole number from 1 to 2147483647: received 0',
    ],
    [
      'a rate without an interval',
      (space) => space.rateLimiter('api', { permits: 5 } as never),
      'RateLimiter "api": interval must be a number: received undefined',
    ],
    [
      'a rate of nothing',
      (space) => space.rateLimiter('api', { permits: 0, interval: 1 }),
      'RateLimiter "api": permits must be a whole number from 1 to 2147483647: received 0',
    ],
    [
      'an interval of 0',
      (space) => space.rateLimiter('api', { permits: 1, interval: 0 }),
      'RateLimiter "api": interval must be more than 0 ms and at most 366 days: received 0',
    ],
    [
      'a rate that is too fine',
      (space) => space.rateLimiter('api', { permits: 20_000, interval: 1 }),
      'RateLimiter "api": permits must be at most 16000 for each ms of the interval: received 20000 in 1 ms',
    ],
    [
      'a burst of decades',
      (space) => space.rateLimiter('api', { permits: 1, interval: 1e10, burst: 1000 }),
      'RateLimiter "api": burst must be a number of permits that comes within 4 years: received 1000, with 1 in 10000000000 ms',
    ],
    [
      'a weight above the burst',
      (space) => space.rateLimiter('api', { permits: 2, interval: 1 }).tryAcquire(3),
      "RateLimiter 'api': weight must be a whole number from 1 to 2: received 3",
    ],
    [
      'a booking of 0 permits',
      (space) => space.rateLimiter('api', { permits: 2, interval: 1 }).reserve(0),
      "RateLimiter 'api': weight must be a whole number from 1 to 2: received 0",
    ],
    [
      'a retry of half a permit',
      (space) => space.rateLimiter('api', { permits: 2, interval: 1 }).retryAfter(0.5),
      "RateLimiter 'api': weight must be a whole number from 1 to 2: received 0.5",
    ],
    [
      'a blocking acquire of a rate',
      (space) => space.rateLimiter('api', { permits: 2, interval: 1 }).acquire(),
      "RateLimiter 'api' is on a server, so no thread can block on it: use acquireAsync.",
    ],
    [
      'a rated body that is no function',
      (space) => space.rateLimiter('api', { permits: 2, interval: 1 }).runAsync(5 as never),
      'The callback must be a function: received 5',
    ],
    [
      'a key that is no string',
      (space) => space.keyedMutex('jobs').lockAsync(5 as never),
      'The key must be a string: received 5',
    ],
    [
      'a key that is too long',
      (space) => space.keyedMutex('jobs').tryLock('x'.repeat(4097)),
      'The key may have at most 4096 UTF-16 code units: received 4097 ("xxxxxxxxxxxxxxxxxxxx"...)',
    ],
    [
      'a key that is half a character',
      (space) => space.keyedMutex('jobs').at('\ud83d'),
      'The key must be well-formed Unicode: received "\\ud83d", with half of a surrogate pair',
    ],
    [
      'a keyed body that is no function',
      (space) => space.keyedMutex('jobs').runAsync('x', 5 as never),
      'The callback must be a function: received 5',
    ],
    [
      'a keyed timeout below 0',
      (space) => space.keyedMutex('jobs').tryLock('x', -1),
      'The timeout must be 0 ms or more: received -1',
    ],
    [
      'an unlock of a key that is not held',
      (space) => space.keyedMutex('jobs').unlock('x'),
      `KeyedMutex 'jobs', key "x": cannot release 1 permit: this process holds 0 without a guard. Nothing was released.`,
    ],
    [
      'a keyed mutex without a name',
      (space) => space.keyedMutex(''),
      'The name must have 1 to 200 bytes of UTF-8: received 0',
    ],
    [
      'an initialiser that is no function',
      (space) => space.once('schema').runAsync(5 as never),
      'The callback must be a function: received 5',
    ],
    [
      'a once within a time below 0',
      (space) => space.once('schema').tryRun(() => undefined, -1),
      'The timeout must be 0 ms or more: received -1',
    ],
    [
      'a wait for a once with an invalid signal',
      (space) => space.once('schema').waitAsync({ signal: 5 as never }),
      'The signal must be an AbortSignal: received 5',
    ],
    [
      'a blocking once',
      (space) => space.once('schema').run(),
      "Once 'schema' is on a server, so no thread can block on it: use runAsync.",
    ],
    [
      'a value computed by no function',
      (space) => space.lazy('config').getAsync(5 as never),
      'The callback must be a function: received 5',
    ],
    [
      'a value within a time below 0',
      (space) => space.lazy('config').tryGet(() => 1, -1),
      'The timeout must be 0 ms or more: received -1',
    ],
    [
      'a wait for a value with invalid options',
      (space) => space.lazy('config').waitAsync(5 as never),
      'The options must be an object such as { timeout: 5 }: received 5',
    ],
    [
      'a wait for a value below 0',
      (space) => space.lazy('config').tryWait(-1),
      'The timeout must be 0 ms or more: received -1',
    ],
    [
      'a blocking lazy',
      (space) => space.lazy('config').get(),
      "Lazy 'config' is on a server, so no thread can block on it: use getAsync.",
    ],
    [
      'a lazy with an unknown codec',
      (space) => space.lazy('config', { codec: 'xml' as never }),
      "The codec must be 'json', 'bytes', 'int32', 'float64' or an object: received \"xml\"",
    ],
    [
      'a lazy with half a codec',
      (space) => space.lazy('config', { codec: { name: 'own' } as never }),
      'A codec must have a name, encode and decode: received an object of type Object',
    ],
    [
      'a lazy with an unknown option',
      (space) => space.lazy('config', { size: 1 } as never),
      'Unknown option "size": expected one of codec, capacity.',
    ],
    [
      'a lazy without room',
      (space) => space.lazy('config', { capacity: 0 }),
      "Lazy 'config': capacity must be a whole number from 1 to 16777216: received 0",
    ],
    [
      'a number with a capacity',
      (space) => space.lazy('config', { codec: 'int32', capacity: 8 } as never),
      "Lazy 'config': a lazy of int32 has no capacity: received 8",
    ],
    ['a lazy without a name', (space) => space.lazy(''), 'The name must have 1 to 200 bytes of UTF-8: received 0'],
    [
      'more permits than there are',
      (space) => space.semaphore('db', 2).acquireAsync(3),
      "Semaphore 'db': permits must be a whole number from 1 to 2: received 3",
    ],
    [
      'permits that are no number',
      (space) => space.semaphore('db', 2).tryAcquire('1' as never),
      'Semaphore \'db\': permits must be a number: received "1"',
    ],
    [
      'a timeout below 0',
      (space) => space.semaphore('db', 2).acquireAsync(1, { timeout: -1 }),
      'The timeout must be 0 ms or more: received -1',
    ],
    [
      'an invalid signal',
      (space) => space.mutex('a').lockAsync({ signal: 5 as never }),
      'The signal must be an AbortSignal: received 5',
    ],
    [
      'a body that is no function',
      (space) => space.mutex('a').runAsync(5 as never),
      'The callback must be a function: received 5',
    ],
    [
      'a blocking acquire',
      (space) => space.semaphore('db', 2).acquire(),
      "Semaphore 'db' is on a server, so no thread can block on it: use acquireAsync. Worker threads can block through space.bridge.",
    ],
    [
      'a bridge to no semaphore',
      (space) => space.bridge(space.mutex('a') as never),
      'bridge takes a semaphore of this space: received an object of type Object',
    ],
    [
      'a count below 0',
      (space) => space.countdownLatch('d', -1),
      'CountdownLatch "d": count must be a whole number from 0 to 2147483647: received -1',
    ],
    [
      'an undefined number of parties',
      (space) => space.barrier('b', undefined as never),
      'Barrier "b": parties must be a number: received undefined',
    ],
    [
      'too many parties',
      (space) => space.barrier('b', 32768),
      'Barrier "b": parties must be a whole number from 0 to 32767: received 32768',
    ],
    [
      'an unknown option of a barrier',
      (space) => space.barrier('b', 2, { leader: true } as never),
      'Unknown option "leader": expected one of action.',
    ],
    [
      'an action that is no function',
      (space) => space.barrier('b', 2, { action: 5 as never }),
      'The callback must be a function: received 5',
    ],
    [
      'half a party',
      (space) => space.barrier('b', 2).register(0.5),
      'The number of parties must be a whole number from 1 to 32767: received 0.5',
    ],
    [
      'a claim of 0',
      (space) => space.barrier('b', 2).claim(0),
      'The number of parties must be a whole number from 1 to 32767: received 0',
    ],
    [
      'a done of 0',
      (space) => space.countdownLatch('d', 2).done(0),
      'The number to count down must be a whole number from 1 to 2147483647: received 0',
    ],
    [
      'an add of a string',
      (space) => space.countdownLatch('d', 2).add('1' as never),
      'The number to add must be a number: received "1"',
    ],
    [
      'a wait of a barrier with a timeout below 0',
      (space) => space.barrier('b', 2).waitAsync({ timeout: -1 }),
      'The timeout must be 0 ms or more: received -1',
    ],
    [
      'a try of a latch with no number',
      (space) => space.countdownLatch('d', 1).tryWait('1' as never),
      'The timeout must be a number: received "1"',
    ],
    [
      'a blocking wait at a barrier',
      (space) => space.barrier('b', 2).wait(),
      "Barrier 'b' is on a server, so no thread can block on it: use waitAsync.",
    ],
    [
      'a blocking wait at a latch',
      (space) => space.countdownLatch('d', 1).wait(),
      "CountdownLatch 'd' is on a server, so no thread can block on it: use waitAsync.",
    ],
    [
      'a weight above the permits',
      (space) => space.bridge(space.semaphore('db', 2), { weight: 3 }),
      'weight must be a whole number from 1 to 2: received 3',
    ],
  ];
  for (const [name, call, message] of wrong) {
    it(name, async ({ open, command, namespace }) => {
      const space = await open();
      const failure = await failureOf(Promise.resolve().then(() => call(space)));
      expect(failure.message).toBe(message);
      expect(await command('KEYS', `sl:{${namespace}}:[pqu]:*`)).toEqual([]);
    });
  }

  it('a number of permits that is not that of the other processes is refused', async ({ open }) => {
    const [a, b] = [(await open()).semaphore('db', 3), (await open()).semaphore('db', 4)];
    await a.acquireAsync();
    expect((await failureOf(b.acquireAsync())).message).toBe(
      "Semaphore 'db' has 3 permits on the server, and this process made it with 4. All processes must agree. No permit was taken.",
    );
    expect(await a.available).toBe(2);
  });

  it('an instance cannot be posted to another thread', async ({ open }) => {
    const space = await open();
    expect(() => structuredClone(space.mutex('a'))).toThrow();
    expect(() => structuredClone(space.semaphore('a', 1))).toThrow();
    expect(() => structuredClone(space.barrier('a', 1))).toThrow();
    expect(() => structuredClone(space.countdownLatch('a', 1))).toThrow();
  });

  it('a namespace of another version is refused', async ({ open, command, namespace }) => {
    await command('HSET', `sl:{${namespace}}:T`, 'format', '0');
    expect((await failureOf(open())).message).toBe(
      'The namespace is in use by another version of @sluice/redis (format 0; this is 3). Use another namespace, or the same version everywhere.',
    );
  });
});
