// Compares steps in transactions with the same steps on a state in memory: the same answers, and the same messages. The
// steps in memory are compared with the script of the Redis engine (packages/redis/test/local-steps.test.ts).

import { byDepth } from '@sluice/harness';
import { expect } from 'vitest';
import { LocalSteps, RandomSteps, seenAnswers } from '../../redis/test/model/local-steps.ts';
import { creationOf, tablesIn } from '../src/sql/tables.ts';
import * as protocol from './model/entry.ts';
import { compareHistory, contextAt, queryOf, SCHEMA, shaped } from './model/histories.ts';
import { onServer } from './support/server.ts';

const STEPS = 400;

onServer('steps in transactions', (it) => {
  it('answer as steps in memory do', async ({ pool }) => {
    const client = await pool.connect();
    const query = queryOf(client);
    await query(creationOf(SCHEMA));
    const seeds = byDepth({ quick: 5, ci: 20, full: 100 });
    for (let seed = 1; seed <= seeds; seed++) {
      expect(await compareHistory(protocol, query, `seed${seed}`, seed, STEPS)).toBe('');
    }
    client.release();
    console.log(`${seeds * STEPS} steps`);
    console.log([...seenAnswers].map(([answer, n]) => `${answer} ${n}`).join(', '));
  });

  it('answer the same when several of them share a transaction', async ({ pool }) => {
    const client = await pool.connect();
    const query = queryOf(client);
    await query(creationOf(SCHEMA));
    const local = new LocalSteps().run;
    const seeds = byDepth({ quick: 5, ci: 20, full: 100 });
    for (let seed = 1; seed <= seeds; seed++) {
      const random = new RandomSteps(seed);
      let batch: string[][] = [];
      for (let i = 0; i < STEPS; i++) {
        batch.push(random.next());
        // A batch has one time: that of its last step.
        if (i % 7 !== 0) continue;
        const expected: (readonly string[])[] = [];
        for (const words of batch) expected.push((await local(random.ms + seed * 1e8, words)).reply);
        const context = contextAt(protocol, 'batches', (random.ms + seed * 1e8) * 1000);
        const { replies } = await protocol.runSteps(query, context, batch.map(shaped));
        expect(replies.map((reply) => sorted(reply))).toEqual(expected.map((reply) => sorted(reply)));
        batch = [];
      }
    }
    client.release();
  });

  it('leave no rows of uses without a primitive or a session', async ({ query }) => {
    const { uses, primitives, sessions } = tablesIn(SCHEMA);
    const [{ n } = {}] = await query(`SELECT count(*) AS n FROM ${uses}`);
    expect(Number(n)).toBeGreaterThan(0);
    for (const [table, on] of [
      [primitives, 'o.id = u.id'],
      [sessions, 'o.session = u.session'],
    ] as const) {
      const rows = await query(
        `SELECT * FROM ${uses} u WHERE NOT EXISTS (SELECT FROM ${table} o WHERE o.namespace = u.namespace AND ${on})`,
      );
      expect(rows).toEqual([]);
    }
  });
});

/** The order of some answers has no meaning. */
function sorted([first = '', ...rest]: readonly string[]): string[] {
  return [first, ...rest.sort()];
}
