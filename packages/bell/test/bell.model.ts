import { testModels } from '../../core/test/model/office-run.ts';
import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { bellCases, type BellCore } from './model/bell-cases.ts';
import { MUTANTS } from './model/mutants.ts';

testModels('bell', bellCases(core));
testMutants('bell', MUTANTS, async (mutant) => bellCases(await mutate<BellCore>(mutant, new URL('model/entry.ts', import.meta.url))));
