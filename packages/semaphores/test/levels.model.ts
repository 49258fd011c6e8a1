import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { levelCases } from './model/level-cases.ts';

testModels('priority', levelCases(core));
