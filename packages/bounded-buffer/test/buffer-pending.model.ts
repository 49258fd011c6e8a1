import { mutate } from '../../core/test/model/mutate.ts';
import { testModels, testMutants } from '../../core/test/model/office-run.ts';
import { bufferPendingCases } from './model/buffer-pending-cases.ts';
import type { BufferCore } from './model/buffer-world.ts';
import * as core from './model/entry.ts';
import { PENDING_MUTANTS } from './model/mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testModels('buffer pending', bufferPendingCases(core));
testMutants('buffer pending', PENDING_MUTANTS, async (mutant) => bufferPendingCases(await mutate<BufferCore>(mutant, ENTRY)));
