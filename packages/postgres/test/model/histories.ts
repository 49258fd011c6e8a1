// Random histories in transactions, two processes that meet at one primitive, and a clock that is put back.

import { shapeOf, type ShapedStep } from '@sluice/remote/steps';
import type { Client, PoolClient } from 'pg';
import { compare, LocalSteps, type Run } from '../../../redis/test/model/local-steps.ts';
import type { StepContext, Query, Rows } from '../../src/store/step-context.ts';
import type * as entry from './entry.ts';

/** The sources that run steps, unchanged or as a mutant. */
export type Protocol = typeof entry;

/** The schema of the comparison. */
export const SCHEMA = 'steps';
const AS_TEXT = { getTypeParser: () => (value: string) => value };

export function queryOf(client: Client | PoolClient): Query {
  return async (sql) => {
    const answer = (await client.query({ text: sql, rowMode: 'array', types: AS_TEXT })) as unknown;
    const results = (Array.isArray(answer) ? answer : [answer]) as readonly { readonly rows: Rows }[];
    return results.map(({ rows }) => rows);
  };
}

/** `us`: what the clock of the server shows. */
export function contextAt({ contextOf }: Protocol, namespace: string, us: number): StepContext {
  const settings = { owner: 'process', polls: false, lockMs: 10_000, idleMs: 60_000 };
  return contextOf(SCHEMA, namespace, settings, String(us));
}

export function shaped(words: readonly string[]): ShapedStep {
  const step = shapeOf(words);
  if (typeof step === 'string') throw new Error(`${step}: ${words.join(' ')}`);
  return step;
}

/** Runs a random history in transactions and in memory. Returns the first difference, or ''. */
export function compareHistory(
  protocol: Protocol,
  query: Query,
  namespace: string,
  seed: number,
  steps: number,
): Promise<string> {
  const inTransactions: Run = async (ms, words) => {
    const context = contextAt(protocol, namespace, ms * 1000);
    const { replies, messages } = await protocol.runSteps(query, context, [shaped(words)]);
    const all = [...messages].flatMap(([session, texts]) => texts.map((text) => `${session} ${text}`));
    return { reply: replies[0] ?? [], messages: all.sort() };
  };
  return compare(seed, steps, new LocalSteps().run, inTransactions);
}

/**
 * Two processes acquire one mutex. The first one stops between its two messages, until the second one is blocked or has
 * its answer. Returns both answers.
 */
export async function meet(
  protocol: Protocol,
  [first, second]: readonly [Query, Query],
  isBlocked: () => Promise<boolean>,
  namespace: string,
): Promise<string[]> {
  let us = 1_000_000;
  const run = async (query: Query, ...words: string[]): Promise<string> => {
    const context = contextAt(protocol, namespace, (us += 20_000));
    const { replies } = await protocol.runSteps(query, context, [shaped(words)]);
    return replies[0]?.[0] ?? '';
  };
  const acquire = (session: string): string[] => ['acquire', session, '1', 'm:m', '1', '1', '1', '1', '0 0 0 0'];
  for (const session of ['a', 'b']) await run(first, 'attach', session, '1', '10000', session, '');

  let goOn = (): void => undefined;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  let loaded = (): void => undefined;
  const hasLoaded = new Promise<void>((resolve) => (loaded = resolve));
  const stopping: Query = async (sql) => {
    if (sql.startsWith('BEGIN')) {
      const rows = await first(sql);
      loaded();
      return rows;
    }
    await gate;
    return first(sql);
  };
  const one = run(stopping, ...acquire('a'));
  await hasLoaded;
  const state = { answered: false };
  const other = run(second, ...acquire('b')).finally(() => (state.answered = true));
  other.catch(() => undefined);
  while (!state.answered && !(await isBlocked()));
  goOn();
  return Promise.all([one, other]);
}

/** Returns the tokens of two grants, between which the clock of the server is put back. */
export async function tokens(protocol: Protocol, query: Query, namespace: string): Promise<number[]> {
  const granted: number[] = [];
  for (const [us, name] of [
    [2_000_000, 'm:one'],
    [1_000_000, 'm:two'],
  ] as const) {
    const context = contextAt(protocol, namespace, us);
    const words = [
      ['attach', 'a', '1', '10000', 'a', ''],
      ['acquire', 'a', '1', name, '1', '1', '1', '1', '0 0 0 0'],
    ];
    const { replies } = await protocol.runSteps(query, context, words.map(shaped));
    granted.push(Number(replies[1]?.[1]));
  }
  return granted;
}
