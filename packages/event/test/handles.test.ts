import { handleSuite } from '../../core/test/support/handle-suite.ts';
import { EVENT } from './misuse/event.ts';

handleSuite(EVENT, 'sluice.manual-reset-event', (one, other) => {
  const isClosed = !other.tryWait();
  one.set();
  const isOpen = other.tryWait();
  other.reset();
  return isClosed && isOpen && !one.isSet;
});
