import { testModels } from '../../core/test/model/office-run.ts';
import { addressWaitCases } from './model/address-wait-cases.ts';
import * as core from './model/entry.ts';

testModels('address wait', addressWaitCases(core));
