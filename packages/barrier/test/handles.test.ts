import { handleSuite } from '../../core/test/support/handle-suite.ts';
import { BARRIER } from './misuse/barrier.ts';
import { LATCH } from './misuse/latch.ts';

handleSuite(LATCH, 'sluice.countdown-latch', (one, other) => {
  one.add(2);
  const isBusy = !other.tryWait();
  other.done(other.count);
  return isBusy && one.tryWait();
});

handleSuite(BARRIER, 'sluice.barrier', (one, other) => {
  const { parties } = other;
  one.register();
  const isSeen = other.parties === parties + 1;
  one.deregister();
  return isSeen && other.parties === parties;
});
