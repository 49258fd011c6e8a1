import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { seqCases, seqDeathCases } from './model/seq-cases.ts';

testModels('seq-lock', [...seqCases(core), ...seqDeathCases(core)]);
