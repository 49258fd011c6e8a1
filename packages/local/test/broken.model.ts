import { expect, test } from 'vitest';
import { mutate } from '../../core/test/model/mutate.ts';
import { someOf } from '../../core/test/model/run.ts';
import { MUTANTS } from './model/mutants.ts';
import { PLANS, schedule } from './model/schedule.ts';
import type { Protocol } from './model/world.ts';

const MOST = 500;
const ENTRY = new URL('model/entry.ts', import.meta.url);

test.each(someOf(MUTANTS))('the take-over in which $name, as a mutant is caught: $caughtBy', async (mutant) => {
  const protocol: Protocol = await mutate<never>(mutant, ENTRY);
  const plan = PLANS.find(({ name }) => name === mutant.caughtBy);
  if (plan === undefined) throw new Error(`There is no plan "${mutant.caughtBy}"`);
  let failure = '';
  for (let seed = 1; seed <= MOST && failure === ''; seed++) {
    try {
      failure = schedule(protocol, plan, seed);
    } catch (thrown) {
      failure = String(thrown);
    }
    if (failure !== '') console.log(`${seed} schedules: ${failure.slice(0, 200)}`);
  }
  expect(failure).not.toBe('');
});
