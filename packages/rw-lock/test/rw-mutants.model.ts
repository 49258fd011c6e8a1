import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { DEATH_MUTANTS, MUTANTS, TURN_DEATH_MUTANTS, TURN_MUTANTS } from './model/mutants.ts';
import { rwCases } from './model/rw-cases.ts';
import { rwDeathCases } from './model/rw-death-cases.ts';
import type { RwCore } from './model/rw-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('rw-lock', MUTANTS, async (mutant) => rwCases(await mutate<RwCore>(mutant, ENTRY)));
testMutants('rw-lock death', DEATH_MUTANTS, async (mutant) => rwDeathCases(await mutate<RwCore>(mutant, ENTRY)));
testMutants('rw-lock in turns', TURN_MUTANTS, async (mutant) => rwCases(await mutate<RwCore>(mutant, ENTRY), 'turns'));
testMutants('rw-lock in turns, death', TURN_DEATH_MUTANTS, async (mutant) => rwDeathCases(await mutate<RwCore>(mutant, ENTRY), 'turns'));
