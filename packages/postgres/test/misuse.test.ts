// Tests that bad input gives an error that says what is wrong, and that the check of a token refuses a paused holder.

import { connect, fence, tableDefinitions } from '@sluice/postgres';
import { Pool } from 'pg';
import { describe, expect, test } from 'vitest';
import { failureOf, onServer, until } from './support/server.ts';

const pool = new Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
const client = { query: () => Promise.resolve({ rowCount: 1 }) };

describe('wrong arguments', () => {
  test.each<readonly [string, () => Promise<unknown>, string]>([
    [
      'no pool',
      () => connect(undefined as never, { namespace: 'a' }),
      'Expected a pool of pg, such as new Pool({ connectionString }): received undefined',
    ],
    [
      'another object',
      () => connect({ query: 1 } as never, { namespace: 'a' }),
      'Expected a pool of pg, such as new Pool({ connectionString }): received an object of type Object',
    ],
    ['no namespace', () => connect(pool, {} as never), 'namespace must be a string: received undefined'],
    [
      'a short lease',
      () => connect(pool, { namespace: 'a', lease: 50 }),
      'lease must be a whole number from 100 to 86400000: received 50',
    ],
    [
      'an unknown option',
      () => connect(pool, { namespace: 'a', leese: 1 } as never),
      'Unknown option "leese": expected one of namespace, lease, name, connectTimeout, schema, listen, poll.',
    ],
    [
      'a schema that must be quoted',
      () => connect(pool, { namespace: 'a', schema: 'My Schema' }),
      'schema must have 1 to 63 lower-case letters, digits or underscores, and not begin with a digit: received "My Schema"',
    ],
    [
      'a listen that is no boolean',
      () => connect(pool, { namespace: 'a', listen: 1 as never }),
      'listen must be a boolean: received 1',
    ],
    [
      'a poll of 0',
      () => connect(pool, { namespace: 'a', poll: 0 }),
      'poll must be a whole number from 1 to 86400000: received 0',
    ],
    [
      'a fence of nothing',
      () => fence(undefined as never, 'k', 1n),
      'client must be a client of pg: received undefined',
    ],
    [
      'a fence of a pool',
      () => fence(pool, 'k', 1n),
      'client must be the client that has begun the transaction: received a pool',
    ],
    ['a key that is no string', () => fence(client, 5 as never, 1n), 'key must be a string: received 5'],
    [
      'a key that is too long',
      () => fence(client, 'x'.repeat(501), 1n),
      'key must have at most 500 UTF-16 code units, and no NUL character: received 501 code units',
    ],
    [
      'a token that is no bigint',
      () => fence(client, 'k', 5 as never),
      'token must be a bigint, such as guard.fencingToken: received 5',
    ],
    [
      'an unknown option of a fence',
      () => fence(client, 'k', 5n, { scheme: 'a' } as never),
      'Unknown option "scheme": expected one of schema.',
    ],
  ])('throw for %s', async (_, call, message) => {
    expect((await failureOf(call())).message).toBe(message);
  });

  test('throw for a wrong name of a schema', () => {
    expect(() => tableDefinitions('1')).toThrow(RangeError);
    expect(() => tableDefinitions(1 as never)).toThrow(TypeError);
    expect(tableDefinitions('other')).toContain('CREATE TABLE IF NOT EXISTS "other".primitives');
  });
});

test('connect() reports that there is no server', async () => {
  const failure = await failureOf(connect(pool, { namespace: 'a', connectTimeout: 3000 }));
  expect(failure).toMatchObject({ name: 'PostgresError', code: 'SLUICE_POSTGRES' });
  expect(failure.message).toMatch(
    /^No connection to the Postgres server: .*ECONNREFUSED.*\. Check that it runs and can be reached, and that its user may connect\.$/,
  );
});

onServer('fence()', (it) => {
  it('refuses an earlier token, and accepts the same one again', async ({ open, pool: clients }) => {
    const space = await open();
    const [early, late] = [await space.mutex('a').holdAsync(), await space.mutex('b').holdAsync()];
    const one = await clients.connect();
    expect(await fence(one, 'report', late.fencingToken)).toBe(true);
    expect(await fence(one, 'report', early.fencingToken)).toBe(false);
    expect(await fence(one, 'report', late.fencingToken)).toBe(true);
    expect(await fence(one, 'other', early.fencingToken)).toBe(true);
    one.release();
  });

  it('makes a later holder wait for a transaction that has passed, and refuses the paused one that has not', async ({
    open,
    pool: clients,
    query,
  }) => {
    await query('CREATE TABLE report (id int PRIMARY KEY, writer text)');
    await query("INSERT INTO report VALUES (1, 'nobody')");
    const space = await open();
    const [early, late] = [await space.mutex('a').holdAsync(), await space.mutex('b').holdAsync()];
    const [paused, next] = [await clients.connect(), await clients.connect()];
    // The early holder has passed the fence, and its process stands still.
    await paused.query('BEGIN');
    expect(await fence(paused, 'report', early.fencingToken)).toBe(true);
    await next.query('BEGIN');
    let passed = false;
    const passes = fence(next, 'report', late.fencingToken).then((accepted) => (passed = accepted));
    await until('the later holder waits', async () => {
      const rows = await query(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%fences%'",
      );
      return rows.length > 0;
    });
    expect(passed).toBe(false);
    await paused.query("UPDATE report SET writer = 'early' WHERE id = 1");
    await paused.query('COMMIT');
    expect(await passes).toBe(true);
    await next.query("UPDATE report SET writer = 'late' WHERE id = 1");
    await next.query('COMMIT');
    // It is paused again, before its next write.
    await paused.query('BEGIN');
    expect(await fence(paused, 'report', early.fencingToken)).toBe(false);
    await paused.query('ROLLBACK');
    expect(await query('SELECT writer FROM report')).toEqual([{ writer: 'late' }]);
    paused.release();
    next.release();
  });
});
