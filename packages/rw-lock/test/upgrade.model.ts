import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { upgradeCases, upgradeDeathCases } from './model/upgrade-cases.ts';

testModels('upgradeable', [...upgradeCases(core), ...upgradeDeathCases(core)]);
