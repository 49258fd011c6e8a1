import { testModels } from '../../core/test/model/office-run.ts';
import type { BroadcastCore } from './model/broadcast-world.ts';
import * as core from './model/entry.ts';
import { waitCases, waitDeathCases } from './model/wait-cases.ts';

const source: BroadcastCore = core;

testModels('broadcast that waits', [...waitCases(source), ...waitDeathCases(source)]);
