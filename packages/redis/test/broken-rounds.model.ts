import { expect, test } from 'vitest';
import { SCRIPT } from '../src/scripts/script.ts';
import * as client from './model/entry.ts';
import { mutate } from '../../core/test/model/mutate.ts';
import { someOf } from '../../core/test/model/run.ts';
import { BROKEN_ROUNDS, ROUNDS_MUTANTS } from './model/broken-rounds.ts';
import { ROUNDS_DIRECTED } from './model/rounds-directed.ts';
import { ROUNDS_PLANS } from './model/rounds-plans.ts';
import { roundsSchedule } from './model/rounds-schedule.ts';
import type { Client } from './model/world.ts';

const MOST = 250;
const ENTRY = new URL('model/entry.ts', import.meta.url);

/** The first schedule that fails, and how. */
async function firstFailure(name: string, script: string, client: Client): Promise<string> {
  const directed = ROUNDS_DIRECTED.find((each) => each.name === name);
  if (directed !== undefined) return directed.run(script, client);
  const plan = ROUNDS_PLANS.find((each) => each.name === name);
  if (plan === undefined) throw new Error(`There is no plan "${name}"`);
  for (let seed = 1; seed <= MOST; seed++) {
    const wrong = await roundsSchedule(script, client, plan, seed);
    if (wrong !== '') return `${seed} schedules: ${wrong.slice(0, 200)}`;
  }
  return '';
}

test.each(someOf(BROKEN_ROUNDS))('the script in which $name is caught: $plan', async ({ find, replace, plan }) => {
  const parts = SCRIPT.split(find);
  expect(parts).toHaveLength(2);
  const failure = await firstFailure(plan, parts.join(replace), client);
  console.log(failure);
  expect(failure).not.toBe('');
});

test.each(someOf(ROUNDS_MUTANTS))('the client in which $name, as a mutant is caught: $caughtBy', async (mutant) => {
  const failure = await firstFailure(mutant.caughtBy, SCRIPT, await mutate<never>(mutant, ENTRY));
  console.log(failure);
  expect(failure).not.toBe('');
});
