// Steps of a baton.
//
// OFFICE, one 32-bit word:  1 lies there · 0 held · -N held, and N agents wait
//
//   1 ▶ 0       [enqueueAtBaton]  taken
//   n ▶ n - 1   [enqueueAtBaton]  counted, then a ticket
//   n ▶ n + 1   [passBaton]       laid down, or on its way to the next waiter
//   n ▶ n + 1   [cancel]          a waiter leaves
//
// INVARIANT. Exactly one of: the word is 1, an agent's entry holds 1, a grant is on its way.

import {
  announce,
  add64,
  BLOCK_TAG,
  cancelAt,
  cancelDeadAt,
  CANCELLED,
  cas32,
  draw,
  ENTRY_HELD,
  FOREIGN,
  get64,
  GRANT,
  IDLE,
  load32,
  OFFICE,
  pollAt,
  put64,
  RACED,
  restoreAt,
  SHUT,
  store32,
  TAKEN,
  WAITING,
  wide,
  type Admission,
  type AgentAddress,
  type BoxOffice,
  type Cancel,
  type ElementAddress,
  type Enqueue,
  type EntryAddress,
  type HandOver,
  type LineAddress,
  type Poll,
  type RecordedOffice,
  type Uncount,
} from '@sluice/core/kernel';
import { VALUE } from './layout.ts';

/** Takes the baton, or counts the agent and draws a ticket. */
export function enqueueAtBaton(baton: LineAddress, tag: i32, agent: AgentAddress, entry: EntryAddress, mayWait: i32): Enqueue {
  if (load32(baton + BLOCK_TAG) !== tag) return SHUT;
  const status = load32(baton + OFFICE);
  if (status === 1) {
    if (cas32(baton + OFFICE, 1, 0) !== 1) return RACED;
    put64(entry + ENTRY_HELD, wide(1));
    return TAKEN;
  }
  if (mayWait === 0) return WAITING;
  if (cas32(baton + OFFICE, status, status - 1) !== status) return RACED;
  return draw(baton, tag, agent);
}

/** The holder passes the baton with that value. FOREIGN: this agent does not hold it. */
export function passBaton(baton: LineAddress, tag: i32, agent: AgentAddress, entry: EntryAddress, value: i32): HandOver | typeof SHUT {
  if (load32(baton + BLOCK_TAG) !== tag) return SHUT;
  if (get64(entry + ENTRY_HELD) === wide(0)) return FOREIGN;
  store32(baton + VALUE, value);
  return layDown(baton, agent, entry);
}

function layDown(baton: LineAddress, agent: AgentAddress, entry: EntryAddress): HandOver {
  const status = load32(baton + OFFICE);
  put64(entry + ENTRY_HELD, wide(0));
  if (cas32(baton + OFFICE, status, status + 1) !== status) {
    put64(entry + ENTRY_HELD, wide(1));
    return RACED;
  }
  return status < 0 ? announce(baton, agent, add64(baton + GRANT, wide(1)), 1) : IDLE;
}

class BatonOffice implements BoxOffice, RecordedOffice {
  admit(_baton: LineAddress, _id: i32, entry: EntryAddress): void {
    put64(entry + ENTRY_HELD, wide(1));
  }

  cancel(baton: LineAddress, _agent: AgentAddress): Uncount {
    const status = load32(baton + OFFICE);
    if (status >= 0) return TAKEN;
    return cas32(baton + OFFICE, status, status + 1) === status ? CANCELLED : RACED;
  }

  noteUnseen(_baton: LineAddress, _agent: AgentAddress, _entry: EntryAddress, left: Admission): Cancel {
    return left;
  }

  giveBack(baton: LineAddress, agent: AgentAddress, entry: EntryAddress, _held: i32): i32 {
    const left = layDown(baton, agent, entry);
    return left === RACED ? RACED : 1;
  }
}

const batonOffice = /* @__PURE__ */ new BatonOffice();

export function pollBaton(element: ElementAddress, entry: EntryAddress): Poll {
  return pollAt(batonOffice, element, entry);
}

export function cancelBatonWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  return cancelAt(batonOffice, agent, element, entry);
}

export function cancelDeadBatonWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  return cancelDeadAt(batonOffice, agent, element, entry);
}

export function restoreBaton(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(batonOffice, agent, entry);
}
