import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { bufferCases } from './model/buffer-cases.ts';
import { bufferDeathCases } from './model/buffer-death-cases.ts';
import type { BufferCore } from './model/buffer-world.ts';
import { DEATH_MUTANTS, MUTANTS } from './model/mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('buffer', MUTANTS, async (mutant) => bufferCases(await mutate<BufferCore>(mutant, ENTRY)));
testMutants('buffer death', DEATH_MUTANTS, async (mutant) => bufferDeathCases(await mutate<BufferCore>(mutant, ENTRY)));
