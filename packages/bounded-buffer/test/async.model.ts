import { lowered } from '../../core/test/model/mutate.ts';
import { testModels } from '../../core/test/model/office-run.ts';
import { asyncBufferCases } from './model/async-cases.ts';
import type { BufferCore } from './model/buffer-world.ts';

testModels('async buffer', asyncBufferCases(await lowered<BufferCore>(new URL('model/entry.ts', import.meta.url))));
