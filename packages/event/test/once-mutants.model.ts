import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { onceCases } from './model/once-cases.ts';
import { onceDeathCases } from './model/once-death-cases.ts';
import { DEATH_MUTANTS, MUTANTS } from './model/once-mutants.ts';
import type { OnceCore } from './model/once-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('once', MUTANTS, async (mutant) => onceCases(await mutate<OnceCore>(mutant, ENTRY)));
testMutants('once death', DEATH_MUTANTS, async (mutant) => onceDeathCases(await mutate<OnceCore>(mutant, ENTRY)));
