import { handleSuite } from '../../core/test/support/handle-suite.ts';
import { RW_LOCK } from './misuse/lock.ts';

handleSuite(RW_LOCK, 'sluice.rw-lock', (one, other) => {
  const { agentId } = one.arena;
  const writes = one.writer.run(() => other.inspect().writer === agentId);
  return writes && one.reader.run(() => other.inspect().readers.some(({ agent }) => agent === agentId));
});
