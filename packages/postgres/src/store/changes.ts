// The statements that write what steps have changed, and that send their messages.
//
// The sessions that use a primitive are in its own text. From their difference come the rows of `uses`, so the steps
// need not load the uses of a session to add one.

import { isRound, type SessionState, type State } from '@sluice/remote/steps';
import { jsonOf, literal, literals } from '../sql/quote.ts';
import type { Before, Loaded } from './load.ts';
import type { StepContext } from './step-context.ts';
import { rowIdOf } from './row-id.ts';
import { clockText, lineText, roundText, sessionText } from './stored-texts.ts';

/** Postgres refuses a notification of 8000 bytes or more. */
const LONGEST_NOTE = 7900;
/** However often its clock stands still, no session lives for this many leases without a heartbeat. */
const LONG_LEASES = 10;

/** The channel of a session. */
export function channelOf(session: string): string {
  return `sluice_${session}`;
}

/** Messages by session. */
export type Messages = ReadonlyMap<string, readonly string[]>;

/** `sweeps`: whether to remove primitives that no session uses, and whose time is over. */
export function changesOf(
  context: StepContext,
  { us, state, before }: Loaded,
  messages: Messages,
  sweeps: boolean,
): string[] {
  const polled = isPolled(context, state, before);
  const clock = clockText({ ...state, polled });
  const { tables, namespace } = context;
  return [
    ...(clock === before.clock
      ? []
      : [`UPDATE ${tables.namespaces} SET clock = ${literal(clock)} WHERE namespace = ${namespace}`]),
    ...sessionChanges(context, state, before, us),
    ...primitiveChanges(context, state, before),
    ...(sweeps ? [`DELETE FROM ${tables.primitives} WHERE namespace = ${namespace} AND expires <= ${us}`] : []),
    ...mail(context, messages, polled),
    ...notes(messages),
  ];
}

/** Whether a session of the namespace may need mail. */
function isPolled({ polls, owner }: StepContext, { sessions }: State, { polled, allSessions }: Before): boolean {
  if (allSessions && sessions.size === 0) return false;
  return polled || (polls && [...sessions.entries()].some(([, session]) => session.owner === owner));
}

function sessionChanges(
  { tables, namespace, owner, polls }: StepContext,
  state: State,
  before: Before,
  us: number,
): string[] {
  const statements: string[] = [];
  for (const [session, now] of state.sessions.entries()) {
    const was = before.sessions.get(session);
    const text = sessionText(now);
    if (text === was) continue;
    const until = untilOf(now, us);
    if (was === undefined)
      statements.push(
        `INSERT INTO ${tables.sessions} (namespace, session, until, polls, state) VALUES (${namespace}, ${literal(session)}, ${until}, ${polls}, ${literal(text)})`,
      );
    else
      statements.push(
        `UPDATE ${tables.sessions} SET state = ${literal(text)}, until = ${until}${now.owner === owner ? `, polls = ${polls}` : ''} WHERE namespace = ${namespace} AND session = ${literal(session)}`,
      );
  }
  const ended = [...before.sessions.keys()].filter((session) => !state.sessions.has(session));
  if (ended.length > 0)
    statements.push(
      `DELETE FROM ${tables.sessions} WHERE namespace = ${namespace} AND session IN (${literals(ended)})`,
    );
  return statements;
}

function untilOf({ lease }: SessionState, us: number): number {
  return us + LONG_LEASES * lease * 1000;
}

/** A primitive as its row will be. */
interface After {
  readonly text: string;
  readonly users: readonly string[];
  readonly expires: number;
}

function afterOf({ lines, rounds }: State, name: string): After | undefined {
  if (isRound(name)) {
    const p = rounds.get(name);
    return p && { text: roundText(p), users: [...p.sessions], expires: p.expires };
  }
  const line = lines.get(name);
  return line && { text: lineText(line), users: [...line.sessions.keys()], expires: line.expires };
}

function primitiveChanges({ tables, namespace }: StepContext, state: State, before: Before): string[] {
  const statements: string[] = [];
  const gone: string[] = [];
  for (const name of before.names) {
    const was = before.primitives.get(name);
    const now = afterOf(state, name);
    if (now?.text === was) continue;
    const { id, long } = rowIdOf(name);
    const row = literal(id);
    if (now === undefined) {
      gone.push(id);
    } else {
      // Without a session it goes at that time. With one it does not.
      const expires = now.users.length === 0 ? String(now.expires) : 'NULL';
      const text = literal(now.text);
      statements.push(
        was === undefined
          ? `INSERT INTO ${tables.primitives} (namespace, id, expires, state) VALUES (${namespace}, ${row}, ${expires}, ${text})`
          : `UPDATE ${tables.primitives} SET state = ${text}, expires = ${expires} WHERE namespace = ${namespace} AND id = ${row}`,
      );
    }
    const earlier = before.users.get(name) ?? [];
    const later = now?.users ?? [];
    const begun = later.filter((session) => !earlier.includes(session));
    const over = earlier.filter((session) => !later.includes(session));
    const longName = long === undefined ? 'NULL' : literal(long);
    if (begun.length > 0)
      statements.push(
        `INSERT INTO ${tables.uses} (namespace, session, id, name) VALUES ${begun.map((session) => `(${namespace}, ${literal(session)}, ${row}, ${longName})`).join(', ')} ON CONFLICT DO NOTHING`,
      );
    if (over.length > 0)
      statements.push(
        `DELETE FROM ${tables.uses} WHERE namespace = ${namespace} AND id = ${row} AND session IN (${literals(over)})`,
      );
  }
  if (gone.length > 0)
    statements.push(`DELETE FROM ${tables.primitives} WHERE namespace = ${namespace} AND id IN (${literals(gone)})`);
  return statements;
}

/** Appends the messages to the rows of sessions that look for them: lists in JSON, each with a line break behind it. */
function mail({ tables, namespace }: StepContext, messages: Messages, polled: boolean): string[] {
  if (!polled || messages.size === 0) return [];
  const cases = [...messages].map(([session, texts]) => `WHEN ${literal(session)} THEN ${literal(jsonOf(texts))}`);
  return [
    `UPDATE ${tables.sessions} SET mail = mail || CASE session ${cases.join(' ')} END || chr(10) WHERE namespace = ${namespace} AND session IN (${literals(messages.keys())}) AND polls`,
  ];
}

/** Notifies the sessions that listen. A message that is too long is left out: its session asks with the next heartbeat. */
function notes(messages: Messages): string[] {
  const calls: string[] = [];
  for (const [session, texts] of messages) {
    let note = '';
    const send = (): void => {
      if (note !== '') calls.push(`pg_notify(${literal(channelOf(session))}, ${literal(`[${note}]`)})`);
      note = '';
    };
    for (const text of texts) {
      const json = jsonOf(text);
      if (json.length > LONGEST_NOTE) continue;
      if (note.length + json.length > LONGEST_NOTE) send();
      note += note === '' ? json : `,${json}`;
    }
    send();
  }
  return calls.length === 0 ? [] : [`SELECT ${calls.join(', ')}`];
}
