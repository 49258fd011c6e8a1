import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import type { RwCore } from './model/rw-world.ts';
import { upgradeCases } from './model/upgrade-cases.ts';
import { UPGRADE_MUTANTS } from './model/upgrade-mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('upgradeable', UPGRADE_MUTANTS, async (mutant) => upgradeCases(await mutate<RwCore>(mutant, ENTRY)));
