import type { AsyncCore } from './model/async-cases.ts';
import { lowered } from './model/mutate.ts';
import { testModels, testMutants } from './model/office-run.ts';
import { sleeperCases } from './model/sleeper-cases.ts';
import { SLEEPER_MUTANTS } from './model/sleeper-mutants.ts';

const ENTRY = new URL('model/async-entry.ts', import.meta.url);

testModels('sleeper', sleeperCases(await lowered<AsyncCore>(ENTRY)));
testMutants('sleeper', SLEEPER_MUTANTS, async (mutant) => sleeperCases(await lowered<AsyncCore>(ENTRY, mutant)));
