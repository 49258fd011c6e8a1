import { handleSuite } from '../../../core/test/support/handle-suite.ts';
import { CONDITION } from './misuse/condition.ts';

handleSuite(CONDITION, 'sluice.condition', (one, other) => {
  one.lock.lock();
  const wait = one.waitAsync().then(() => one.lock.unlock());
  const isSeen = other.waiting === 1 && other.notify() === 1 && one.waiting === 0;
  void wait;
  return isSeen;
});
