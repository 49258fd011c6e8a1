import { mutate } from '../../../core/test/model/mutate.ts';
import { testMutants } from '../../../core/test/model/office-run.ts';
import { MUTANTS } from './model/mutants.ts';
import { rateCases } from './model/rate-cases.ts';
import type { RateCore } from './model/rate-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('rate limit', MUTANTS, async (mutant) => rateCases(await mutate<RateCore>(mutant, ENTRY)));
