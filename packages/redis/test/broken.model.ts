import { expect, test } from 'vitest';
import { SCRIPT } from '../src/scripts/script.ts';
import * as client from './model/entry.ts';
import { mutate } from '../../core/test/model/mutate.ts';
import { someOf } from '../../core/test/model/run.ts';
import { BROKEN_SCRIPTS } from './model/broken-scripts.ts';
import { DIRECTED } from './model/directed.ts';
import { MUTANTS } from './model/mutants.ts';
import { PLANS } from './model/plans.ts';
import { schedule } from './model/schedule.ts';
import type { Client } from './model/world.ts';

const MOST = 250;
const ENTRY = new URL('model/entry.ts', import.meta.url);

/** The first schedule that fails, and how. */
async function firstFailure(name: string, script: string, client: Client): Promise<string> {
  const directed = DIRECTED.find((each) => each.name === name);
  if (directed !== undefined) return directed.run(script, client);
  const plan = PLANS.find((each) => each.name === name);
  if (plan === undefined) throw new Error(`There is no plan "${name}"`);
  for (let seed = 1; seed <= MOST; seed++) {
    const wrong = await schedule(script, client, plan, seed);
    if (wrong !== '') return `${seed} schedules: ${wrong.slice(0, 200)}`;
  }
  return '';
}

test.each(someOf(BROKEN_SCRIPTS))(
  'the script in which $name is caught: $plan',
  async ({ find, replace, also, plan }) => {
    let script = SCRIPT;
    for (const edit of also === undefined ? [{ find, replace }] : [{ find, replace }, also]) {
      const parts = script.split(edit.find);
      expect(parts).toHaveLength(2);
      script = parts.join(edit.replace);
    }
    const failure = await firstFailure(plan, script, client);
    console.log(failure);
    expect(failure).not.toBe('');
  },
);

test.each(someOf(MUTANTS))('the client in which $name, as a mutant is caught: $caughtBy', async (mutant) => {
  const failure = await firstFailure(mutant.caughtBy, SCRIPT, await mutate<never>(mutant, ENTRY));
  console.log(failure);
  expect(failure).not.toBe('');
});
