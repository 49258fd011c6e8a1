// The gates of this package as kinds of the arena: their kernel and their steps.

import { asLine } from '@sluice/core/format';
import {
  kindCode,
  notingPlaces,
  type Kernel,
  type KernelSource,
  type Kind,
  type KindAgent,
  type KindSteps,
} from '@sluice/core/internal';
import { HOME } from '../kernel/layout.ts';
import type * as steps from '../kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from '../kernel/wasm.generated.ts';

export type GateSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and those of gates. */
export type GateKernel = Kernel & GateSteps;

const kernel: KernelSource<GateSteps> = {
  entry: '@sluice/capacitor',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: [
    'departCapacitor',
    'departOverCapacitor',
    'isCapacitorEmpty',
    'arriveInLane',
    'tryArriveInLane',
    'enterTurnstile',
    'leaveTurnstile',
    'enterInTurn',
    'leaveInTurn',
  ],
};

/** The waiters of a capacitor are those of the core's semaphore. */
function capacitorSteps({ poll, park, cancelWait, departCapacitorForDead }: GateKernel): KindSteps {
  return { poll, park, cancel: cancelWait, notesGrants: true, restore: departCapacitorForDead, restoresOneByOne: true };
}

function laneSteps(
  { poll, park, cancelLaneWait, departCapacitorForDead, walkLanes }: GateKernel,
  agent: KindAgent,
): KindSteps {
  const cancel = notingPlaces(agent, cancelLaneWait, (lane) => asLine(agent.words.get32(lane + HOME)));
  return { poll, park, cancel, restore: departCapacitorForDead, restoresOneByOne: true, walk: walkLanes };
}

function lanedSteps(steps: GateKernel, agent: KindAgent): KindSteps {
  // Load both kinds: an agent that can recover the block can recover its lanes.
  agent.load(LANE);
  return laneSteps(steps, agent);
}

function turnstileSteps({
  pollTurnstile,
  parkTurnstile,
  cancelTurnstileWait,
  departTurnstileForDead,
}: GateKernel): KindSteps {
  return {
    poll: pollTurnstile,
    park: parkTurnstile,
    cancel: cancelTurnstileWait,
    releaseForDeadOwner: departTurnstileForDead,
  };
}

export const CAPACITOR: Kind<GateSteps> = {
  name: 'sluice.capacitor',
  code: /* @__PURE__ */ kindCode('cap'),
  kernel,
  title: 'capacitor',
  steps: capacitorSteps,
};

/** A capacitor over a semaphore, which has the waiters. Its own line has none. */
export const SEMAPHORE_CAPACITOR: Kind<GateSteps> = {
  name: 'sluice.semaphore-capacitor',
  code: /* @__PURE__ */ kindCode('capov'),
  kernel,
  title: 'capacitor',
  steps: ({ poll, park, cancelWait }) => ({ poll, park, cancel: cancelWait }),
};

/** A capacitor with lanes: its first line. Loading it loads the lanes, too. */
export const LANED_CAPACITOR: Kind<GateSteps> = {
  name: 'sluice.laned-capacitor',
  code: /* @__PURE__ */ kindCode('laned'),
  kernel,
  title: 'capacitor',
  steps: lanedSteps,
};

/** A lane. No handle is of this kind. */
export const LANE: Kind<GateSteps> = {
  name: 'sluice.laned-capacitor',
  code: /* @__PURE__ */ kindCode('lane'),
  kernel,
  title: 'capacitor',
  steps: laneSteps,
};

export const TURNSTILE: Kind<GateSteps> = {
  name: 'sluice.turnstile',
  code: /* @__PURE__ */ kindCode('turn'),
  kernel,
  title: 'capacitor',
  steps: turnstileSteps,
};
