import { handleSuite } from '../../core/test/support/handle-suite.ts';
import { LATCH } from './misuse/latch.ts';

handleSuite(LATCH, 'sluice.countdown-latch', (one, other) => {
  one.add(2);
  const isBusy = !other.tryWait();
  other.done(other.count);
  return isBusy && one.tryWait();
});
