// Steps of a bell. OFFICE, one 32-bit word: the number of waiters to which no ring is on its way.
//
//   n ▶ n + 1  [enqueueAtBell]   then a ticket
//   n ▶ n - k  [ringBell]        then k grants
//   n ▶ n - 1  [cancel]

import {
  add32,
  add64,
  announce,
  BLOCK_TAG,
  cancelAt,
  cancelDeadAt,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  cas32,
  draw,
  GRANT,
  IDLE,
  load32,
  OFFICE,
  pollAt,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  wide,
  type Admission,
  type AgentAddress,
  type BoxOffice,
  type Cancel,
  type ElementAddress,
  type Draw,
  type EntryAddress,
  type LineAddress,
  type Poll,
  type Release,
  type Uncount,
} from '@sluice/core/kernel';

/** Counts the agent and draws a ticket. */
export function enqueueAtBell(bell: LineAddress, tag: i32, agent: AgentAddress, mayWait: i32): Draw | typeof WAITING {
  if (load32(bell + BLOCK_TAG) !== tag) return SHUT;
  if (mayWait === 0) return WAITING;
  add32(bell + OFFICE, 1);
  return draw(bell, tag, agent);
}

/** Admits at most `n` of the agents that wait now. */
export function ringBell(bell: LineAddress, tag: i32, agent: AgentAddress, n: i32): Release {
  if (load32(bell + BLOCK_TAG) !== tag) return SHUT;
  return admitSome(bell, agent, n);
}

function admitSome(bell: LineAddress, agent: AgentAddress, n: i32): Release {
  const waiters = load32(bell + OFFICE);
  const admitted = waiters < n ? waiters : n;
  if (admitted === 0) return IDLE;
  if (cas32(bell + OFFICE, waiters, waiters - admitted) !== waiters) return RACED;
  return announce(bell, agent, add64(bell + GRANT, wide(admitted)), admitted);
}

class BellOffice implements BoxOffice {
  admit(_bell: LineAddress, _id: i32, _entry: EntryAddress): void {
    return;
  }

  cancel(bell: LineAddress, _agent: AgentAddress): Uncount {
    const waiters = load32(bell + OFFICE);
    if (waiters === 0) return TAKEN;
    return cas32(bell + OFFICE, waiters, waiters - 1) === waiters ? CANCELLED : RACED;
  }

  /** The ring is for the next waiter. */
  noteUnseen(bell: LineAddress, agent: AgentAddress, _entry: EntryAddress, left: Admission): Cancel {
    admitSome(bell, agent, 1);
    return left === TAKEN ? CANCELLED : CANCELLED_LEFT_BEHIND;
  }
}

const bellOffice = /* @__PURE__ */ new BellOffice();

export function pollBell(element: ElementAddress, entry: EntryAddress): Poll {
  return pollAt(bellOffice, element, entry);
}

export function cancelBellWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  return cancelAt(bellOffice, agent, element, entry);
}

export function cancelDeadBellWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  return cancelDeadAt(bellOffice, agent, element, entry);
}
