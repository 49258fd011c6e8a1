// The tables of a schema.
//
//   table       one row for each                        written by
//   namespaces  namespace: its version and its clock    most steps
//   sessions    session: its lease, and its mail        attach, beat, post, and the end of the session
//   primitives  primitive that is in use or stays       steps on it
//   uses        use of a primitive by a session         the first and the last step of the session on it
//   fences      key of `fence`                          fence
//
// 1. A step locks the row of its namespace first. So the steps of a namespace run one after the other, and no two of
//    them wait for each other.
// 2. No update changes an indexed column, and pages have free space. So the old version of a row is removed within its
//    page (HOT), without a vacuum.
// 3. `until` has a meaning in every version of this package: no session lives longer without a heartbeat.
// 4. Mail is for sessions that cannot LISTEN.

import { identifier } from './quote.ts';

export interface Tables {
  readonly namespaces: string;
  readonly sessions: string;
  readonly primitives: string;
  readonly uses: string;
  readonly fences: string;
}

/** The qualified names. */
export function tablesIn(schema: string): Tables {
  const of = (table: string): string => `${identifier(schema)}.${table}`;
  return {
    namespaces: of('namespaces'),
    sessions: of('sessions'),
    primitives: of('primitives'),
    uses: of('uses'),
    fences: of('fences'),
  };
}

/** Any number that other programs do not use: processes that create the tables at the same time do so in turn. */
const CREATION_LOCK = '8390880576440238963';

/** Vacuums come by the number of dead rows: the tables are small and change all the time. */
const VACUUM = 'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000';

/** Returns the statements that create what is missing. */
export function definitionsOf(schema: string): string[] {
  const { namespaces, sessions, primitives, uses, fences } = tablesIn(schema);
  return [
    `CREATE SCHEMA IF NOT EXISTS ${identifier(schema)}`,
    `CREATE TABLE IF NOT EXISTS ${namespaces} (
  namespace text PRIMARY KEY,
  format text NOT NULL,
  clock text NOT NULL
) WITH (fillfactor = 20, ${VACUUM})`,
    `CREATE TABLE IF NOT EXISTS ${sessions} (
  namespace text NOT NULL,
  session text NOT NULL,
  until bigint NOT NULL,
  polls boolean NOT NULL,
  mail text NOT NULL DEFAULT '',
  state text NOT NULL,
  PRIMARY KEY (namespace, session)
) WITH (fillfactor = 40, ${VACUUM})`,
    `CREATE TABLE IF NOT EXISTS ${primitives} (
  namespace text NOT NULL,
  id text NOT NULL,
  expires bigint,
  state text NOT NULL,
  PRIMARY KEY (namespace, id)
) WITH (fillfactor = 40, ${VACUUM})`,
    `CREATE INDEX IF NOT EXISTS primitives_expires ON ${primitives} (namespace, expires) WHERE expires IS NOT NULL`,
    `CREATE TABLE IF NOT EXISTS ${uses} (
  namespace text NOT NULL,
  session text NOT NULL,
  id text NOT NULL,
  name text,
  nr bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (namespace, session, id)
) WITH (${VACUUM})`,
    `CREATE TABLE IF NOT EXISTS ${fences} (
  key text PRIMARY KEY,
  token bigint NOT NULL
) WITH (fillfactor = 50)`,
  ];
}

/** Returns one message that creates what is missing, as a whole. Two processes may send it at the same time. */
export function creationOf(schema: string): string {
  return [
    'BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE',
    `SELECT pg_advisory_xact_lock(${CREATION_LOCK})`,
    ...definitionsOf(schema),
    'COMMIT',
  ].join('; ');
}
