import { lowered } from '../../core/test/model/mutate.ts';
import { testModels } from '../../core/test/model/office-run.ts';
import { paceCases } from './model/pace-cases.ts';
import type { PaceCore } from './model/pace-world.ts';

testModels('interval', paceCases(await lowered<PaceCore>(new URL('model/entry.ts', import.meta.url))));
