import { handleSuite } from '../../../core/test/support/handle-suite.ts';
import { EVENT_COUNT, SEQUENCER } from './misuse/kinds.ts';

handleSuite(EVENT_COUNT, 'sluice.event-count', (one, other) => {
  const count = other.read();
  const isBefore = !other.tryAwait(count + 1);
  one.advance();
  return isBefore && other.tryAwait(count + 1) && one.read() === count + 1;
});

handleSuite(SEQUENCER, 'sluice.sequencer', (one, other) => other.ticket() + 1 === one.ticket());
