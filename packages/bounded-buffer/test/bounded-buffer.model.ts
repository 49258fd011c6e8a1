import { testModels } from '../../core/test/model/office-run.ts';
import { bufferCases } from './model/buffer-cases.ts';
import { bufferDeathCases } from './model/buffer-death-cases.ts';
import * as core from './model/entry.ts';

testModels('buffer', [...bufferCases(core), ...bufferDeathCases(core)]);
