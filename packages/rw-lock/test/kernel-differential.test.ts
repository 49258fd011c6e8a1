import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import { RwDriver, rwBytesUsed } from './support/rw-driver.ts';

const REACHABLE = [
  'detachTombstones done',
  ...['lockReader taken', 'lockReader waiting', 'lockReader shut'],
  ...['enqueueReader taken', 'enqueueReader waiting', 'enqueueReader element', 'enqueueReader full', 'enqueueReader shut'],
  ...['unlockReader idle', 'unlockReader walk', 'unlockReader foreign', 'unlockReader shut'],
  ...['lockWriter taken', 'lockWriter waiting', 'lockWriter shut'],
  ...['enqueueWriter taken', 'enqueueWriter waiting', 'enqueueWriter element', 'enqueueWriter full', 'enqueueWriter shut'],
  ...['unlockWriter idle', 'unlockWriter raced', 'unlockWriter foreign', 'unlockWriter shut'],
  ...['handOverWriter idle', 'handOverWriter walk', 'handOverWriter foreign'],
  ...['downgrade idle', 'downgrade walk', 'downgrade foreign', 'downgrade full', 'downgrade shut', 'restore some', 'restore none'],
  ...['poll waiting', 'poll taken', 'poll shut', 'leave taken', 'leave caught', 'leave out', 'leave gone', 'leave shut'],
  ...['cancelDeadWaiter taken', 'cancelDeadWaiter caught', 'cancelDeadWaiter out', 'cancelDeadWaiter gone', 'cancelDeadWaiter shut', 'wakeEarly notify', 'wakeEarly nobody'],
];

compareKernels([{ name: 'at read-write locks', steps: scale(250_000), reachable: REACHABLE, bytes: rwBytesUsed, Driver: RwDriver }]);
