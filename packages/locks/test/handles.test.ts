import { handleSuite } from '../../core/test/support/handle-suite.ts';
import { KINDS, type AnyLock } from './support/kinds.ts';

function isOne(one: AnyLock, other: AnyLock): boolean {
  return one.run(() => other.inspect().owner === one.arena.agentId) && other.inspect().owner === 0;
}

for (const kind of KINDS) handleSuite(kind, kind.kindName, isOne);
