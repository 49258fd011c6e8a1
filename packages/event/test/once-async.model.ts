import { lowered } from '../../core/test/model/mutate.ts';
import { testModels } from '../../core/test/model/office-run.ts';
import { asyncOnceCases } from './model/once-async-cases.ts';
import type { OnceCore } from './model/once-world.ts';

testModels('async once', asyncOnceCases(await lowered<OnceCore>(new URL('model/entry.ts', import.meta.url))));
