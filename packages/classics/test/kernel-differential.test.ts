import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import * as steps from '../src/kernel/steps.ts';
import { TTS } from '../src/kinds.ts';
import { lockBytesUsed, LockDriver } from './support/lock-driver.ts';

/** Every result that a step can give without a thread in the middle of another thread's step. */
const REACHABLE = [
  ...[
    'lockTts taken',
    'lockTts waiting',
    'lockTts shut',
    'enqueueAtTts taken',
    'enqueueAtTts waiting',
    'enqueueAtTts element',
    'enqueueAtTts shut',
  ],
  ...['unlockTts idle', 'unlockTts walk', 'unlockTts raced', 'unlockTts foreign', 'unlockTts shut'],
  ...['passTts idle', 'passTts walk', 'passTts foreign'],
  ...['lockTicket taken', 'lockTicket waiting', 'lockTicket shut'],
  ...[
    'enqueueAtTicketLock taken',
    'enqueueAtTicketLock waiting',
    'enqueueAtTicketLock element',
    'enqueueAtTicketLock shut',
  ],
  ...['unlockTicket idle', 'unlockTicket walk', 'unlockTicket raced', 'unlockTicket foreign', 'unlockTicket shut'],
  ...['passTicket idle', 'passTicket walk', 'passTicket foreign'],
  ...[
    'lockQueued taken',
    'lockQueued waiting',
    'lockQueued shut',
    'unlockQueued idle',
    'unlockQueued raced',
    'unlockQueued shut',
  ],
  ...[
    'enqueueAtQueuedLock taken',
    'enqueueAtQueuedLock waiting',
    'enqueueAtQueuedLock element',
    'enqueueAtQueuedLock shut',
  ],
  ...['handOverQueued idle', 'handOverQueued walk', 'handOverQueued raced', 'handOverQueued foreign'],
  ...[
    'park parked',
    'park linked',
    'park granted',
    'park closed',
    'parkTts parked',
    'parkTts linked',
    'parkTts granted',
    'parkTts queued',
    'parkTts closed',
  ],
  ...[
    'rejoin taken',
    'rejoin waiting',
    'link linked',
    'wakeEarly notify',
    'wakeEarly none',
    'leaveLine out',
    'leaveLine gone',
  ],
  ...[
    'poll waiting',
    'poll taken',
    'poll shut',
    'cancelWait taken',
    'cancelWait out',
    'cancelWait gone',
    'cancelWait shut',
  ],
  ...['pollTts waiting', 'pollTts taken', 'pollTts shut', 'pollQueued waiting', 'pollQueued taken'],
  ...[
    'cancelTtsWait waiting',
    'cancelTtsWait taken',
    'cancelTtsWait caught',
    'cancelTtsWait out',
    'cancelTtsWait gone',
    'cancelTtsWait shut',
  ],
  ...['cancelQueuedWait taken', 'cancelQueuedWait gone', 'cancelQueuedWait dead taken', 'cancelQueuedWait dead gone'],
  ...[
    'cancelTtsWait dead waiting',
    'cancelTtsWait dead taken',
    'cancelTtsWait dead caught',
    'cancelTtsWait dead out',
    'cancelTtsWait dead shut',
  ],
  ...[
    'cancelWait dead taken',
    'cancelWait dead out',
    'cancelWait dead gone',
    'cancelWait dead shut',
    'restore some',
    'restore none',
  ],
  ...['releaseTtsForDeadOwner idle', 'releaseTtsForDeadOwner walk', 'releaseTtsForDeadOwner foreign'],
  ...[
    'releaseQueuedForDeadOwner idle',
    'releaseQueuedForDeadOwner walk',
    'releaseQueuedForDeadOwner raced',
    'releaseQueuedForDeadOwner foreign',
  ],
];

compareKernels([
  {
    name: 'at the locks',
    steps: scale(550_000),
    reachable: REACHABLE,
    bytes: lockBytesUsed,
    Driver: LockDriver,
    kinds: [{ source: TTS.kernel, steps }],
  },
]);
