import { testModels } from '../../core/test/model/office-run.ts';
import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { batonCases, type BatonCore } from './model/baton-cases.ts';
import { MUTANTS } from './model/mutants.ts';

testModels('baton', batonCases(core));
testMutants('baton', MUTANTS, async (mutant) => batonCases(await mutate<BatonCore>(mutant, new URL('model/entry.ts', import.meta.url))));
