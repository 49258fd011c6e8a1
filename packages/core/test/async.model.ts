import { asyncCases, type AsyncCore } from './model/async-cases.ts';
import { asyncDeathCases } from './model/async-death-cases.ts';
import { ASYNC_MUTANTS } from './model/async-mutants.ts';
import { lowered } from './model/mutate.ts';
import { testModels, testMutants } from './model/office-run.ts';

const ENTRY = new URL('model/async-entry.ts', import.meta.url);

const core = await lowered<AsyncCore>(ENTRY);
testModels('async', [...asyncCases(core), ...asyncDeathCases(core)]);
testMutants('async', ASYNC_MUTANTS, async (mutant) => asyncCases(await lowered<AsyncCore>(ENTRY, mutant)));
