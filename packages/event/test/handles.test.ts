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

handleSuite(ONCE, 'sluice.once', (one, other) => {
  if (one.isDone || other.isDone) return one.isDone && other.isDone;
  one.run(() => undefined);
  return other.isDone;
});
