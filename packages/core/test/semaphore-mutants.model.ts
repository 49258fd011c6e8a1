import { MUTANTS } from './model/mutants.ts';
import { mutate } from './model/mutate.ts';
import { testMutants } from './model/office-run.ts';
import { semaphoreCases } from './model/semaphore-cases.ts';

testMutants('semaphore', MUTANTS, async (mutant) => semaphoreCases(await mutate(mutant)));
