import { lowered } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import type { BufferCore } from './model/buffer-world.ts';
import { selectCases } from './model/select-cases.ts';
import { SELECT_MUTANTS } from './model/select-mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('selections', SELECT_MUTANTS, async (mutant) => selectCases(await lowered<BufferCore>(ENTRY, mutant)));
