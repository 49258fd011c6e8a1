import { lowered } from '../../../core/test/model/mutate.ts';
import { testModels, testMutants } from '../../../core/test/model/office-run.ts';
import { asyncRateCases } from './model/async-cases.ts';
import { ASYNC_MUTANTS } from './model/mutants.ts';
import type { RateCore } from './model/rate-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testModels('async rate limit', asyncRateCases(await lowered<RateCore>(ENTRY)));
testMutants('async rate limit', ASYNC_MUTANTS, async (mutant) => asyncRateCases(await lowered<RateCore>(ENTRY, mutant)));
