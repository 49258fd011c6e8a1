import { handleSuite } from '../../core/test/support/handle-suite.ts';
import type { Mutex, RecursiveMutex } from '../src/index.ts';
import { MUTEX, RECURSIVE } from './misuse/kinds.ts';

function isOne(one: Mutex | RecursiveMutex, other: Mutex | RecursiveMutex): boolean {
  return one.run(() => other.inspect().owner === one.arena.agentId) && other.inspect().owner === 0;
}

handleSuite(MUTEX, 'sluice.mutex', isOne);
handleSuite(RECURSIVE, 'sluice.recursive-mutex', isOne);
