import { mutate } from '../../../core/test/model/mutate.ts';
import { testMutants } from '../../../core/test/model/office-run.ts';
import { DEATH_MUTANTS, MUTANTS } from './model/mutants.ts';
import { watchCases, watchDeathCases } from './model/watch-cases.ts';
import type { WatchCore } from './model/watch-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('watch cell', MUTANTS, async (mutant) => watchCases(await mutate<WatchCore>(mutant, ENTRY)));
testMutants('watch cell death', DEATH_MUTANTS, async (mutant) => watchDeathCases(await mutate<WatchCore>(mutant, ENTRY)));
