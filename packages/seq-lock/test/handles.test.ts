import { handleSuite } from '../../core/test/support/handle-suite.ts';
import { SEQ_LOCK } from './misuse/seq-lock.ts';

handleSuite(SEQ_LOCK, 'sluice.seq-lock', (one, other) => {
  const version = other.version;
  one.update(({ bytes }) => {
    bytes[3] = (bytes[3] ?? 0) + 1;
  });
  return other.version === version + 1 && other.read().bytes[3] === one.read().bytes[3];
});
