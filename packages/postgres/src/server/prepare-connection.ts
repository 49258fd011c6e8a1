// What a new connection has to show before steps run on it.

import { UnsupportedError } from '@sluice/core';
import { literal } from '../sql/quote.ts';
import { creationOf, tablesIn } from '../sql/tables.ts';
import type { Connection } from './connection.ts';
import type { Query } from '../store/step-context.ts';
import { PostgresError } from './errors.ts';
import { stateOf } from './failures.ts';

const MIN_VERSION = 130_000;
/** The user may not create the schema or the tables. */
const FORBIDDEN = '42501';
/** Another process was first, although both ask for the same lock: a version that has another one. */
const RACED = /^(23505|42P0[67]|42710)$/;

/**
 * Checks the server, and creates the tables if they are missing. Resolves with whether the connection leads to one
 * server process, and so may LISTEN: a pooler of transactions says another process at the start.
 */
export async function prepare({ query, processId }: Connection, schema: string): Promise<boolean> {
  const { fences } = tablesIn(schema);
  const [[row = []] = []] = await query(
    `SELECT current_setting('server_version_num'), pg_is_in_recovery(), pg_backend_pid(), to_regclass(${literal(fences)})`,
  );
  const [version, isStandby, pid, table] = row;
  if (Number(version) < MIN_VERSION)
    throw new UnsupportedError(
      `The server is version ${Math.floor(Number(version) / 10_000)}: @sluice/postgres needs Postgres 13 or newer.`,
    );
  if (isStandby === 't')
    throw new PostgresError('The Postgres server is a standby, which cannot write. Connect to the primary server.');
  if (table === null) await createTables(query, schema);
  return Number(pid) === processId;
}

/** Creates what is missing. Rejects with `PostgresError` if the user may not. */
export async function createTables(query: Query, schema: string): Promise<void> {
  try {
    await query(creationOf(schema));
  } catch (failure) {
    await query('ROLLBACK');
    const state = stateOf(failure) ?? '';
    if (state === FORBIDDEN)
      throw new PostgresError(
        `The user may not create the tables of @sluice/postgres in the schema "${schema}". Let an administrator run the statements of tableDefinitions("${schema}"), and grant the user USAGE on the schema and SELECT, INSERT, UPDATE and DELETE on its tables.`,
        { cause: failure },
      );
    if (!RACED.test(state)) throw failure;
  }
}
