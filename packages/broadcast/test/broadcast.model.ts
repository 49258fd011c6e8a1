import { testModels } from '../../core/test/model/office-run.ts';
import { broadcastCases, broadcastDeathCases } from './model/broadcast-cases.ts';
import * as core from './model/entry.ts';

testModels('broadcast', [...broadcastCases(core), ...broadcastDeathCases(core)]);
