import * as core from './model/entry.ts';
import { testModels } from './model/office-run.ts';
import { semaphoreCases } from './model/semaphore-cases.ts';

testModels('semaphore', semaphoreCases(core));
