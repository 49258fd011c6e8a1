import { ownedLockSuite } from '../../core/test/support/owned-lock/suite.ts';
import { KINDS, TICKET } from './support/kinds.ts';

// An agent's first ticket lock takes a ledger.
ownedLockSuite(KINDS, { warm: (kind) => (kind === TICKET ? (arena) => kind.create({ arena }) : undefined) });
