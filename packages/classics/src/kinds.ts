// The five locks as kinds of the arena: their kernel and their steps.

import {
  kindCode,
  notingPlaces,
  type Kernel,
  type KernelSource,
  type Kind,
  type KindAgent,
  type KindSteps,
} from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type LockSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and these locks'. */
export type LocksKernel = Kernel & LockSteps;

const kernel: KernelSource<LockSteps> = {
  entry: '@sluice/classics',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: [
    'lockQueued',
    'unlockQueued',
    'lockTicket',
    'unlockTicket',
    'lockTts',
    'unlockTts',
    'enqueueAtQueuedLock',
    'enqueueAtTicketLock',
    'enqueueAtTts',
  ],
};

/** Returns the steps of a ticket lock. Its waiters wait, and are recovered, as those of the core's semaphore. */
function ticketSteps({ poll, park, cancelWait }: LocksKernel): KindSteps {
  return { poll, park, cancel: cancelWait };
}

function queuedSteps(
  { pollQueued, park, cancelQueuedWait, releaseQueuedForDeadOwner }: LocksKernel,
  agent: KindAgent,
): KindSteps {
  return {
    poll: pollQueued,
    park,
    cancel: notingPlaces(agent, cancelQueuedWait),
    releaseForDeadOwner: releaseQueuedForDeadOwner,
  };
}

function ttsSteps({ pollTts, parkTts, cancelTtsWait, releaseTtsForDeadOwner }: LocksKernel): KindSteps {
  return {
    poll: pollTts,
    park: parkTts,
    cancel: cancelTtsWait,
    releaseForDeadOwner: releaseTtsForDeadOwner,
  };
}

export const TICKET: Kind<LockSteps> = {
  name: 'sluice.ticket-lock',
  code: /* @__PURE__ */ kindCode('ticke'),
  kernel,
  title: 'lock',
  steps: ticketSteps,
};
export const MCS: Kind<LockSteps> = {
  name: 'sluice.mcs-lock',
  code: /* @__PURE__ */ kindCode('mcs'),
  kernel,
  title: 'lock',
  steps: queuedSteps,
};
export const LIFO: Kind<LockSteps> = {
  name: 'sluice.lifo-lock',
  code: /* @__PURE__ */ kindCode('lifo'),
  kernel,
  title: 'lock',
  steps: queuedSteps,
};
export const RECIPROCATING: Kind<LockSteps> = {
  name: 'sluice.reciprocating-lock',
  code: /* @__PURE__ */ kindCode('recip'),
  kernel,
  title: 'lock',
  steps: queuedSteps,
};
export const TTS: Kind<LockSteps> = {
  name: 'sluice.tts-lock',
  code: /* @__PURE__ */ kindCode('tts'),
  kernel,
  title: 'lock',
  steps: ttsSteps,
};
