import { lowered } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { paceCases } from './model/pace-cases.ts';
import { PACE_MUTANTS } from './model/pace-mutants.ts';
import type { PaceCore } from './model/pace-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('interval', PACE_MUTANTS, async (mutant) => paceCases(await lowered<PaceCore>(ENTRY, mutant)));
