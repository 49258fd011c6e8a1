import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { capacitorCases } from './model/capacitor-cases.ts';
import { capacitorDeathCases } from './model/capacitor-death-cases.ts';
import type { CapacitorCore } from './model/gate-world.ts';
import { laneCases } from './model/lane-cases.ts';
import { lockCases } from './model/lock-cases.ts';
import { LOCK_MUTANTS, TURNSTILE_MUTANTS } from './model/lock-mutants.ts';
import { CAPACITOR_MUTANTS, DEATH_MUTANTS, LANE_MUTANTS } from './model/mutants.ts';
import { turnstileCases } from './model/turnstile-cases.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

for (const [what, mutants, casesOf] of [
  ['capacitor', CAPACITOR_MUTANTS, capacitorCases],
  ['capacitor death', DEATH_MUTANTS, capacitorDeathCases],
  ['lanes', LANE_MUTANTS, laneCases],
  ['turnstile', TURNSTILE_MUTANTS, turnstileCases],
  ['capacitor lock', LOCK_MUTANTS, lockCases],
] as const) {
  testMutants(what, mutants, async (mutant) => casesOf(await mutate<CapacitorCore>(mutant, ENTRY)));
}
