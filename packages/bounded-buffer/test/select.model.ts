import { lowered } from '../../core/test/model/mutate.ts';
import { testModels } from '../../core/test/model/office-run.ts';
import type { BufferCore } from './model/buffer-world.ts';
import { selectCases } from './model/select-cases.ts';

testModels('selections', selectCases(await lowered<BufferCore>(new URL('model/entry.ts', import.meta.url))));
