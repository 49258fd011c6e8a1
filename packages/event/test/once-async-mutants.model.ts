import { lowered } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { asyncOnceCases } from './model/once-async-cases.ts';
import { ASYNC_MUTANTS } from './model/once-async-mutants.ts';
import type { OnceCore } from './model/once-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('async once', ASYNC_MUTANTS, async (mutant) => asyncOnceCases(await lowered<OnceCore>(ENTRY, mutant)));
