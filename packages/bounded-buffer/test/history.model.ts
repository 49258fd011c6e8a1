import { mutate } from '../../core/test/model/mutate.ts';
import { testModels, testMutants } from '../../core/test/model/office-run.ts';
import type { BufferCore } from './model/buffer-world.ts';
import * as core from './model/entry.ts';
import { historyCases } from './model/history-cases.ts';
import { HISTORY_MUTANTS } from './model/history-mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testModels('buffer', historyCases(core));
testMutants('buffer history', HISTORY_MUTANTS, async (mutant) => historyCases(await mutate<BufferCore>(mutant, ENTRY)));
