import { handleSuite } from '../../core/test/support/handle-suite.ts';
import { EVENT } from './misuse/event.ts';

handleSuite(EVENT, 'sluice.auto-reset-event', (one, other) => {
  one.signal();
  return other.tryWait() && !one.tryWait();
});
