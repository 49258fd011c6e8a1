import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import { EventDriver, eventBytesUsed } from './support/event-driver.ts';

const REACHABLE = [
  ...['signal idle', 'signal walk', 'signal shut', 'consume taken', 'consume waiting', 'consume shut'],
  ...['enqueueAtEvent taken', 'enqueueAtEvent element', 'enqueueAtEvent shut', 'restore some', 'restore none', 'restore raced'],
  ...['poll waiting', 'poll taken', 'poll shut', 'leave taken', 'leave caught', 'leave out', 'leave gone', 'leave shut'],
  ...['cancelDeadWaiter taken', 'cancelDeadWaiter caught', 'cancelDeadWaiter out', 'cancelDeadWaiter gone', 'cancelDeadWaiter shut', 'wakeEarly notify', 'wakeEarly nobody'],
];

compareKernels([{ name: 'at events', steps: scale(150_000), reachable: REACHABLE, bytes: eventBytesUsed, Driver: EventDriver }]);
