// An agent dies at every point of every operation at the upgradeable side of a read-write lock, and so does the agent
// that recovers it.

import '../../core/test/support/crash-injection.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { upgradeHoldings, upgradeOperations } from './support/crash-upgrades.ts';
import './support/kinds.ts';

crashSuite({ operations: upgradeOperations, holdings: upgradeHoldings });
