import { testModels } from '../../core/test/model/office-run.ts';
import { claimCases } from './model/claim-cases.ts';
import * as core from './model/entry.ts';

testModels('claims', claimCases(core));
