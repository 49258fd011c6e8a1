// Tests the unchanged script and client of latches and barriers with random and directed schedules.

import { byDepth, soak } from '@sluice/harness';
import { expect, test } from 'vitest';
import { SCRIPT } from '../src/scripts/script.ts';
import * as client from './model/entry.ts';
import { ROUNDS_DIRECTED } from './model/rounds-directed.ts';
import { ROUNDS_PLANS } from './model/rounds-plans.ts';
import { roundsSchedule } from './model/rounds-schedule.ts';

const SCHEDULES = soak > 1 ? 500 : byDepth({ quick: 3, ci: 12, full: 25 });
const FIRST = Number(process.env['SLUICE_SEED'] ?? 1);

test.each(ROUNDS_PLANS)('random schedules: $name', async (plan) => {
  for (let seed = FIRST; seed < FIRST + SCHEDULES; seed++) {
    expect(`seed ${seed}: ${await roundsSchedule(SCRIPT, client, plan, seed)}`).toBe(`seed ${seed}: `);
  }
  console.log(`${plan.name}: ${SCHEDULES} schedules`);
});

test.each(ROUNDS_DIRECTED)('$name', async ({ run }) => {
  expect(await run(SCRIPT, client)).toBe('');
});
