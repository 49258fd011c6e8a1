import { testModels } from '../../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { rateCases } from './model/rate-cases.ts';

testModels('rate limit', rateCases(core));
