import { lowered } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { asyncBufferCases } from './model/async-cases.ts';
import { ASYNC_MUTANTS } from './model/async-mutants.ts';
import type { BufferCore } from './model/buffer-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('async buffer', ASYNC_MUTANTS, async (mutant) => asyncBufferCases(await lowered<BufferCore>(ENTRY, mutant)));
