// The take-over: servers that die at every step, several candidates, servers that were given up and go on, members that
// come back. No lock has two holders, no place in line is lost, tokens grow, and nobody is stuck.

import { byDepth, soak } from '@sluice/harness';
import { expect, test } from 'vitest';
import * as protocol from './model/entry.ts';
import { PLANS, schedule } from './model/schedule.ts';

const SCHEDULES = soak > 1 ? 20_000 : byDepth({ quick: 200, ci: 500, full: 2000 });

test.each(PLANS)('random schedules: $name', (plan) => {
  for (let seed = 1; seed <= SCHEDULES; seed++) {
    expect(`seed ${seed}: ${schedule(protocol, plan, seed)}`).toBe(`seed ${seed}: `);
  }
  console.log(`${plan.name}: ${SCHEDULES} schedules`);
});
