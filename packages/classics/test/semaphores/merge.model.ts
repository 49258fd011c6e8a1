import { testModels } from '../../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { mergeCases } from './model/merge-cases.ts';

testModels('merge', mergeCases(core));
