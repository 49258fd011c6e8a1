// The read-write lock as a kind of the arena: its kernel, and the steps of its two lines. The second line of its block
// has a kind of its own, because writers wait and leave by other steps than readers.

import {
  kindCode,
  type Kernel,
  type KernelSource,
  type Kind,
  type KindAgent,
  type KindSteps,
} from '@sluice/core/internal';
import { DUE, FREE_FLAG, MAX_READERS, SUCCESSOR } from './kernel/layout.ts';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type RwSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and those of a read-write lock. */
export type RwKernel = Kernel & RwSteps;

const kernel: KernelSource<RwSteps> = {
  entry: '@sluice/rw-lock',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: [
    'lockReader',
    'unlockReader',
    'lockWriter',
    'unlockWriter',
    'enqueueReader',
    'enqueueWriter',
    'moveToWriter',
  ],
};

function readersSteps({ pollReader, park, cancelReaderWait, restoreReader }: RwKernel, agent: KindAgent): KindSteps {
  // Load both kinds: an agent that can recover one line can recover the other.
  agent.load(WRITERS);
  return { poll: pollReader, park, cancel: cancelReaderWait, notesGrants: true, restore: restoreReader };
}

function writersSteps({ pollWriter, parkWriter, cancelWriterWait, restoreWriter }: RwKernel): KindSteps {
  return { poll: pollWriter, park: parkWriter, cancel: cancelWriterWait, notesGrants: true, restore: restoreWriter };
}

/** Whether the successor competes: it has a permit, and readers are inside or the lock is not due yet. */
function competes(low: number, high: number): boolean {
  const isHanded = (low & MAX_READERS) === 0 && (high & (FREE_FLAG | DUE)) === (FREE_FLAG | DUE);
  return (high & SUCCESSOR) !== 0 && !isHanded;
}

/** The lock and its readers' line. Loading it loads the writers' line, too. */
export const RW_LOCK: Kind<RwSteps> = {
  name: 'sluice.rw-lock',
  code: /* @__PURE__ */ kindCode('rw'),
  kernel,
  title: 'lock',
  steps: readersSteps,
};

/** The writers' line. No handle is of this kind. */
export const WRITERS: Kind<RwSteps> = {
  name: 'sluice.rw-lock',
  code: /* @__PURE__ */ kindCode('rww'),
  kernel,
  title: 'lock',
  competes,
  steps: writersSteps,
};
