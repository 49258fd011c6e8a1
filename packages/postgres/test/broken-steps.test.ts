// Changes one line of the transactions, and checks that it shows.

import { expect } from 'vitest';
import { mutate } from '../../core/test/model/mutate.ts';
import { creationOf } from '../src/sql/tables.ts';
import * as unchanged from './model/entry.ts';
import { compareHistory, meet, queryOf, SCHEMA, tokens, type Protocol } from './model/histories.ts';
import { CLOCK_BACK, MUTANTS, TWO_PROCESSES } from './model/mutants.ts';
import { onServer, type Ground } from './support/server.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);
const MOST_SEEDS = 60;
const STEPS = 400;
const ANSWERS = ['granted', 'waiting'];

/** Returns what shows that the protocol is wrong, or ''. */
async function failureIn(protocol: Protocol, { pool, query, namespace }: Ground, caughtBy: string): Promise<string> {
  const [one, other] = [await pool.connect(), await pool.connect()];
  // A transaction of a mutant may stay open.
  for (const client of [one, other]) client.on('error', () => undefined);
  try {
    await queryOf(one)(creationOf(SCHEMA));
    if (caughtBy === CLOCK_BACK) {
      const [first = 0, second = 0] = await tokens(protocol, queryOf(one), namespace);
      return second > first ? '' : `token ${second} after ${first}`;
    }
    if (caughtBy === TWO_PROCESSES) {
      const isBlocked = async (): Promise<boolean> => {
        const rows = await query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
        return rows.length > 0;
      };
      const answers = await meet(protocol, [queryOf(one), queryOf(other)], isBlocked, namespace);
      return answers.join() === ANSWERS.join() ? '' : answers.join();
    }
    let failure = '';
    for (let seed = 1; seed <= MOST_SEEDS && failure === ''; seed++)
      failure = await compareHistory(protocol, queryOf(one), `${namespace}-${seed}`, seed, STEPS);
    return failure;
  } catch (thrown) {
    return String(thrown);
  } finally {
    one.release(true);
    other.release(true);
  }
}

onServer('a call over Postgres', (it) => {
  it('is answered behind that of another process which stopped in its transaction', async (ground) => {
    expect(await failureIn(unchanged, ground, TWO_PROCESSES)).toBe('');
  });

  it('grants with tokens that grow, also if the clock of the server is put back', async (ground) => {
    expect(await failureIn(unchanged, ground, CLOCK_BACK)).toBe('');
  });

  for (const mutant of MUTANTS) {
    it(`is wrong if ${mutant.name}: ${mutant.caughtBy} show it`, async (ground) => {
      const failure = await failureIn(await mutate<never>(mutant, ENTRY), ground, mutant.caughtBy);
      console.log(failure.slice(0, 200));
      expect(failure).not.toBe('');
    });
  }
});
