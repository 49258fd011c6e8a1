import { handleSuite } from '../../core/test/support/handle-suite.ts';
import { EVENT } from './misuse/event.ts';
import { ONCE } from './misuse/once.ts';

handleSuite(EVENT, 'sluice.manual-reset-event', (one, other) => {
  const isClosed = !other.tryWait();
  one.set();
  const isOpen = other.tryWait();
  other.reset();
  return isClosed && isOpen && !one.isSet;
});

// One instance sees a wait of the other, and an aborted wait leaves nothing behind.
handleSuite(ONCE, 'sluice.once', (one, other) => {
  const controller = new AbortController();
  one.waitAsync({ signal: controller.signal }).catch(() => undefined);
  const seen = [other.waiting];
  controller.abort();
  seen.push(other.waiting);
  return seen.join() === '1,0';
});
