import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { DEATH_MUTANTS, MUTANTS, TURN_DEATH_MUTANTS, TURN_MUTANTS } from './model/mutants.ts';
import { mutexCases } from './model/mutex-cases.ts';
import { mutexDeathCases } from './model/mutex-death-cases.ts';
import type { MutexCore } from './model/mutex-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('mutex', MUTANTS, async (mutant) => mutexCases(await mutate<MutexCore>(mutant, ENTRY)));
testMutants('mutex death', DEATH_MUTANTS, async (mutant) => mutexDeathCases(await mutate<MutexCore>(mutant, ENTRY)));
testMutants('mutex in turns', TURN_MUTANTS, async (mutant) => mutexCases(await mutate<MutexCore>(mutant, ENTRY), 'turns'));
testMutants('mutex in turns, death', TURN_DEATH_MUTANTS, async (mutant) => mutexDeathCases(await mutate<MutexCore>(mutant, ENTRY), 'turns'));
