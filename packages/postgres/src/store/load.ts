// Loads what steps read.
//
// 1. The row of the namespace is locked first, and the other rows are read by later statements. Those see what the
//    transactions before this one have committed. So the isolation must be READ COMMITTED.
// 2. The clock is read after the lock, because the wait for the lock may have been long.
// 3. One message loads everything, unless a lease has ended. Then one or two more load the sessions that end and what
//    they use.

import {
  emptyState,
  endedSessions,
  endsSessions,
  isRound,
  type LineRecord,
  type RoundState,
  type SessionState,
  type ShapedStep,
  type State,
} from '@sluice/remote/steps';
import { literal, literals, plainOf, textOf } from '../sql/quote.ts';
import { needsOf, type Needs } from './needed-rows.ts';
import { PartialMap, SomeSessions, UnknownUses } from './partly-loaded.ts';
import type { StepContext, Query, Rows } from './step-context.ts';
import { rowIdOf } from './row-id.ts';
import { clockIn, FORMAT, lineIn, roundIn, sessionIn } from './stored-texts.ts';

/** One step ends at most this many sessions. */
const MOST_ENDED = 4;

/** The rows as they were loaded. */
export interface Before {
  readonly clock: string;
  readonly polled: boolean;
  readonly sessions: ReadonlyMap<string, string>;
  readonly allSessions: boolean;
  /** The primitives that may have changed. */
  readonly names: ReadonlySet<string>;
  readonly primitives: ReadonlyMap<string, string>;
  /** The sessions that use them. */
  readonly users: ReadonlyMap<string, readonly string[]>;
}

export interface Loaded {
  readonly us: number;
  readonly state: State;
  readonly before: Before;
}

/** The namespace has no row yet, or one of another version. */
export interface NotLoaded {
  readonly us: number;
  readonly there: string | undefined;
}

/** Begins the transaction. What follows in the same message must read the clock of the namespace. */
function beginning({ lockMs, idleMs }: StepContext): string[] {
  return [
    'BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE',
    `SET LOCAL lock_timeout = ${lockMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`,
  ];
}

/** The uses whose primitives are read, as a condition. */
function usersCondition({
  usersOf,
  prefixes,
  allUses,
}: Pick<Needs, 'usersOf' | 'prefixes' | 'allUses'>): string | undefined {
  if (allUses) return 'true';
  const conditions = [...prefixes].map((prefix) => `starts_with(coalesce(name, id), ${literal(plainOf(prefix))})`);
  if (usersOf.size > 0) conditions.push(`session IN (${literals(usersOf)})`);
  return conditions.length === 0 ? undefined : `(${conditions.join(' OR ')})`;
}

function sessionsQuery({ tables, namespace }: StepContext, only?: ReadonlySet<string>): string {
  const some = only === undefined ? '' : ` AND session IN (${literals(only)})`;
  return `SELECT session, state FROM ${tables.sessions} WHERE namespace = ${namespace}${some}`;
}

function usesQuery({ tables, namespace }: StepContext, condition: string): string {
  return `SELECT session, id, name FROM ${tables.uses} WHERE namespace = ${namespace} AND ${condition} ORDER BY nr`;
}

function primitivesQuery(
  { tables, namespace }: StepContext,
  names: ReadonlySet<string>,
  users: string | undefined,
): string {
  const conditions: string[] = [];
  if (names.size > 0) conditions.push(`id IN (${literals([...names].map((name) => rowIdOf(name).id))})`);
  if (users !== undefined)
    conditions.push(`id IN (SELECT id FROM ${tables.uses} WHERE namespace = ${namespace} AND ${users})`);
  const some = conditions.length === 0 ? 'false' : `(${conditions.join(' OR ')})`;
  return `SELECT id, state FROM ${tables.primitives} WHERE namespace = ${namespace} AND ${some}`;
}

/** What the rows say, before it is a state. */
class Contents {
  readonly sessions = new Map<string, string>();
  readonly primitives = new Map<string, string>();
  /** The names of the primitives that were looked for. */
  readonly names: Set<string>;
  /** By session, where they were read. */
  readonly uses = new Map<string, Set<string>>();
  readonly #ids = new Map<string, string>();

  constructor(names: ReadonlySet<string>) {
    this.names = new Set(names);
    for (const name of names) this.#ids.set(rowIdOf(name).id, name);
  }

  addSessions(rows: Rows): void {
    for (const [session, state] of rows) this.sessions.set(session ?? '', state ?? '');
  }

  addUses(rows: Rows): void {
    for (const [session, id, long] of rows) {
      const name = textOf(long ?? id ?? '');
      const user = session ?? '';
      let names = this.uses.get(user);
      if (names === undefined) this.uses.set(user, (names = new Set()));
      names.add(name);
      this.names.add(name);
      this.#ids.set(id ?? '', name);
    }
  }

  addPrimitives(rows: Rows): void {
    for (const [id, state] of rows) {
      const name = this.#ids.get(id ?? '');
      if (name !== undefined) this.primitives.set(name, state ?? '');
    }
  }
}

/** Begins a transaction and loads what the steps read. */
export async function load(
  query: Query,
  context: StepContext,
  steps: readonly ShapedStep[],
): Promise<Loaded | NotLoaded> {
  const needs = needsOf(steps);
  const users = usersCondition(needs);
  const begin = beginning(context);
  const answers = await query(
    [
      ...begin,
      `SELECT format, clock FROM ${context.tables.namespaces} WHERE namespace = ${context.namespace} FOR UPDATE`,
      `SELECT ${context.clock}`,
      sessionsQuery(context, needs.allSessions ? undefined : needs.sessions),
      primitivesQuery(context, needs.names, users),
      ...(users === undefined ? [] : [usesQuery(context, users)]),
    ].join('; '),
  );
  const [[clockRow] = [], [[time] = []] = [], sessions = [], primitives = [], uses = []] = answers.slice(begin.length);
  const us = Number(time);
  const [format, clock] = clockRow ?? [];
  if (format !== FORMAT || clock === undefined || clock === null) return { us, there: format ?? undefined };
  const contents = new Contents(needs.names);
  contents.addSessions(sessions);
  contents.addUses(uses);
  contents.addPrimitives(primitives);
  const ended = await loadEnded(query, context, needs, contents, clock, us, steps.length);
  const knowsUses = (session: string): boolean =>
    needs.allUses || needs.prefixes.size > 0 || needs.usersOf.has(session) || ended.has(session);
  return loadedOf(contents, clock, us, needs.allSessions, knowsUses);
}

/** Loads the sessions that the steps end, and what they use. Returns their names. */
async function loadEnded(
  query: Query,
  context: StepContext,
  needs: Needs,
  contents: Contents,
  clock: string,
  us: number,
  steps: number,
): Promise<ReadonlySet<string>> {
  const bare: State = { ...emptyState(), ...clockIn(clock) };
  // The clock that a step writes is rounded to the µs, so the next step may be that much later.
  const latest = us + 1;
  if (!endsSessions(bare, latest)) return new Set();
  if (!needs.allSessions) {
    needs.allSessions = true;
    const [sessions = []] = await query(sessionsQuery(context));
    contents.addSessions(sessions);
  }
  for (const [session, text] of contents.sessions) bare.sessions.set(session, sessionIn(text, new UnknownUses()));
  const ended = new Set(endedSessions(bare, latest).slice(0, MOST_ENDED * steps));
  if (ended.size === 0) return ended;
  const condition = `session IN (${literals(ended)})`;
  const [uses = [], primitives = []] = await query(
    `${usesQuery(context, condition)}; ${primitivesQuery(context, new Set(), condition)}`,
  );
  for (const session of ended) contents.uses.delete(session);
  contents.addUses(uses);
  contents.addPrimitives(primitives);
  return ended;
}

function loadedOf(
  contents: Contents,
  clock: string,
  us: number,
  allSessions: boolean,
  knowsUses: (session: string) => boolean,
): Loaded {
  const { names, primitives } = contents;
  const { polled, ...numbers } = clockIn(clock);
  const state: State = {
    ...numbers,
    sessions: allSessions ? new Map<string, SessionState>() : new SomeSessions<SessionState>(),
    lines: new PartialMap<LineRecord>(names),
    rounds: new PartialMap<RoundState>(names),
  };
  for (const [session, text] of contents.sessions) {
    const uses = knowsUses(session) ? (contents.uses.get(session) ?? new Set<string>()) : new UnknownUses();
    state.sessions.set(session, sessionIn(text, uses));
  }
  const users = new Map<string, readonly string[]>();
  for (const [name, text] of primitives) {
    if (isRound(name)) {
      const rounds = roundIn(text);
      state.rounds.set(name, rounds);
      users.set(name, [...rounds.sessions]);
    } else {
      const line = lineIn(text);
      state.lines.set(name, line);
      users.set(name, [...line.sessions.keys()]);
    }
  }
  return { us, state, before: { clock, polled, sessions: contents.sessions, allSessions, names, primitives, users } };
}
