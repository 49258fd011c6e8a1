import { testModels } from '../../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { familyCases } from './model/family-cases.ts';

testModels('family', familyCases(core));
