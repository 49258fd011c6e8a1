import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { mutexPendingCases } from './model/mutex-pending-cases.ts';

testModels('mutex pending', mutexPendingCases(core));
