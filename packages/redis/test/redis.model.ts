import { byDepth, soak } from '@sluice/harness';
import { expect, test } from 'vitest';
import { SCRIPT } from '../src/scripts/script.ts';
import * as client from './model/entry.ts';
import { DIRECTED } from './model/directed.ts';
import { PLANS } from './model/plans.ts';
import { schedule } from './model/schedule.ts';

const SCHEDULES = soak > 1 ? 500 : byDepth({ quick: 3, ci: 12, full: 25 });
const FIRST = Number(process.env['SLUICE_SEED'] ?? 1);

test.each(PLANS)('random schedules: $name', async (plan) => {
  for (let seed = FIRST; seed < FIRST + SCHEDULES; seed++) {
    expect(`seed ${seed}: ${await schedule(SCRIPT, client, plan, seed)}`).toBe(`seed ${seed}: `);
  }
  console.log(`${plan.name}: ${SCHEDULES} schedules`);
});

test.each(DIRECTED)('$name', async ({ run }) => {
  expect(await run(SCRIPT, client)).toBe('');
});
