import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { resizableCases } from './model/resizable-cases.ts';
import { RESIZABLE_MUTANTS } from './model/resizable-mutants.ts';
import type { ResizableCore } from './model/resizable-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('resizable', RESIZABLE_MUTANTS, async (mutant) => resizableCases(await mutate<ResizableCore>(mutant, ENTRY)));
