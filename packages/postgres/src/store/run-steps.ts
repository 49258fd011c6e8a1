// Runs steps in one transaction: two messages to the server, one that loads and one that writes and commits.
//
// Between the two messages the row of the namespace is locked. If the process stops there, the server ends the
// transaction after a short time, and the steps of others go on.

import { emptyState, runStep, type ShapedStep } from '@sluice/remote/steps';
import { literal } from '../sql/quote.ts';
import { changesOf, type Messages } from './changes.ts';
import { load } from './load.ts';
import type { StepContext, Query } from './step-context.ts';
import { clockText, FORMAT } from './stored-texts.ts';

export interface StepsOutcome {
  readonly replies: string[][];
  readonly messages: Messages;
}

const EMPTY_CLOCK = literal(clockText({ ...emptyState(), polled: false }));

/** Runs the steps in their order. If it rejects, the caller must roll back, and then nothing has changed. */
export async function runSteps(
  query: Query,
  context: StepContext,
  steps: readonly ShapedStep[],
): Promise<StepsOutcome> {
  for (;;) {
    const loaded = await load(query, context, steps);
    if ('state' in loaded) {
      const messages = new Map<string, string[]>();
      const send = (session: string, text: string): void => {
        const texts = messages.get(session);
        if (texts === undefined) messages.set(session, [text]);
        else texts.push(text);
      };
      const replies = steps.map((step) => runStep(loaded.state, send, loaded.us, context.owner, step));
      const sweeps = steps.some(({ operation }) => operation === 'attach');
      await query([...changesOf(context, loaded, messages, sweeps), 'COMMIT'].join('; '));
      return { replies, messages };
    }
    const { us, there } = loaded;
    if (there === undefined) {
      await create(query, context);
    } else if (await isInUse(query, context, us)) {
      await query('ROLLBACK');
      return { replies: steps.map(({ operation }) => refusal(operation, there)), messages: new Map() };
    } else {
      await begin(query, context);
    }
  }
}

/** The first step of a namespace. Two processes may create its row at the same time. */
async function create(query: Query, { tables, namespace }: StepContext): Promise<void> {
  await query(
    `ROLLBACK; INSERT INTO ${tables.namespaces} (namespace, format, clock) VALUES (${namespace}, ${literal(FORMAT)}, ${EMPTY_CLOCK}) ON CONFLICT DO NOTHING`,
  );
}

/** Whether a session of another version may live. */
async function isInUse(query: Query, { tables, namespace }: StepContext, us: number): Promise<boolean> {
  const [rows = []] = await query(
    `SELECT session FROM ${tables.sessions} WHERE namespace = ${namespace} AND until > ${us} LIMIT 1`,
  );
  return rows.length > 0;
}

/** No session of the other version lives. Tokens go on, because they are at least the time. */
async function begin(query: Query, { tables, namespace }: StepContext): Promise<void> {
  const all = [tables.sessions, tables.primitives, tables.uses];
  await query(
    [
      ...all.map((table) => `DELETE FROM ${table} WHERE namespace = ${namespace}`),
      `UPDATE ${tables.namespaces} SET format = ${literal(FORMAT)}, clock = ${EMPTY_CLOCK} WHERE namespace = ${namespace}`,
      'COMMIT',
    ].join('; '),
  );
}

function refusal(operation: string, there: string): string[] {
  return operation === 'attach' ? ['format', there] : ['gone'];
}
