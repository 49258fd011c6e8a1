import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { barrierCases } from './model/barrier-cases.ts';
import { barrierDeathCases } from './model/barrier-death-cases.ts';
import { BARRIER_DEATH_MUTANTS, BARRIER_MUTANTS } from './model/barrier-mutants.ts';
import type { BarrierCore } from './model/barrier-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('barrier', BARRIER_MUTANTS, async (mutant) => barrierCases(await mutate<BarrierCore>(mutant, ENTRY)));
testMutants('barrier death', BARRIER_DEATH_MUTANTS, async (mutant) => barrierDeathCases(await mutate<BarrierCore>(mutant, ENTRY)));
