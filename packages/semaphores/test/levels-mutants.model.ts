import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { levelCases } from './model/level-cases.ts';
import { LEVEL_MUTANTS } from './model/level-mutants.ts';
import type { LevelCore } from './model/level-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('priority', LEVEL_MUTANTS, async (mutant) => levelCases(await mutate<LevelCore>(mutant, ENTRY)));
