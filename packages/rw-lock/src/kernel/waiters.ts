// Steps of agents that wait at a read-write lock, and of agents that died there. States and invariants are in rw-lock.ts.

import {
  add64,
  asGate,
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  cancelAt,
  cancelCompetingAt,
  cancelDeadAt,
  cancelDeadCompetingAt,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  cas32,
  cas64,
  CLOSED,
  credit,
  ENTRY_HELD,
  ENTRY_SINCE,
  FREE,
  GATE,
  get32,
  get64,
  GRANTED,
  high32,
  IDLE,
  isFreed,
  isShut,
  LINKED,
  load32,
  load64,
  minus,
  NEVER_KNEW,
  OFFICE,
  orphan,
  pair,
  PARKED,
  plus,
  pollAt,
  progress,
  put32,
  put64,
  QUEUED,
  RACED,
  restoreAt,
  SEM,
  shifted,
  SHUT,
  SPENT,
  store32,
  SUCCEEDS,
  SUCCESSOR_AT,
  TAKEN,
  TURN,
  TURN_SEEN,
  WAITING,
  wide,
  type Admission,
  type AgentAddress,
  type BoxOffice,
  type Cancel,
  type CompetingOffice,
  type ElementAddress,
  type EntryAddress,
  type Gate,
  type LineAddress,
  type Poll,
  type RecordedOffice,
  type Uncount,
} from '@sluice/core/kernel';
import { ASLEEP, DUE } from './layout.ts';
import { leaveReaders, leaveWriter } from './leave.ts';
import {
  admitReaders,
  hasSuccessor,
  isHanded,
  isInTurn,
  isWritten,
  noticeOf,
  readersOf,
  status,
  successorOf,
  WAITING_AT,
  waitingOf,
  WRITER,
  writersOf,
} from './word.ts';

class ReadersOffice implements BoxOffice, RecordedOffice {
  admit(_lock: LineAddress, _id: i32, entry: EntryAddress): void {
    credit(entry, wide(1));
  }

  cancel(lock: LineAddress, _agent: AgentAddress): Uncount {
    const office = load64(lock + OFFICE);
    if (waitingOf(office) === 0) return TAKEN;
    return cas64(lock + OFFICE, office, minus(office, shifted(1, WAITING_AT))) === office ? CANCELLED : RACED;
  }

  /** A reader can leave at once. Its other holds stay recorded. */
  noteUnseen(lock: LineAddress, agent: AgentAddress, entry: EntryAddress, left: Admission): Cancel {
    if (entry === 0) return left;
    put64(entry + ENTRY_HELD, minus(get64(entry + ENTRY_HELD), wide(1)));
    leaveReaders(lock, load32(lock + BLOCK_TAG), agent, 1);
    return left === TAKEN ? CANCELLED : CANCELLED_LEFT_BEHIND;
  }

  giveBack(lock: LineAddress, agent: AgentAddress, entry: EntryAddress, held: i32): i32 {
    put64(entry + ENTRY_HELD, wide(0));
    leaveReaders(lock, load32(lock + BLOCK_TAG), agent, held);
    return held;
  }
}

function succeeds(element: ElementAddress): boolean {
  return get32(element + SUCCEEDS) !== 0;
}

/** The line of the box office, for a waiter in the second line of the block. */
function lockOf(element: ElementAddress): LineAddress {
  return asLine(get32(element + SEM) - BLOCK_LINE);
}

/** Checks once. TAKEN: the agent writes, the element is free. SHUT: freed, the element is free. WAITING: neither. */
export function pollWriter(element: ElementAddress, entry: EntryAddress): Poll {
  if (succeeds(element)) return compete(element, entry);
  const gate = load32(element + GATE);
  if (gate === GRANTED) return compete(element, entry);
  if (gate === CLOSED || (gate === QUEUED && isShut(element))) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  return gate === QUEUED && progress(element) >= wide(1) ? compete(element, entry) : WAITING;
}

/** The waiter has a permit. WAITING: other agents are inside, and from here on no walker knows the element. */
function compete(element: ElementAddress, entry: EntryAddress): Poll {
  if (isFreed(element)) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  const lock = lockOf(element);
  const office = load64(lock + OFFICE);
  if (!hasSuccessor(office) || isHanded(office)) {
    // Only the agent that has the permit may, so it cannot fail. Other agents may be counted meanwhile.
    // The gate is not FREE before the last write to the line: until then the element keeps the line's memory from being reused.
    put32(element + GATE, SPENT);
    if (hasSuccessor(office)) add64(lock + OFFICE, pair(0, 0 - successorOf(office)));
    credit(entry, wide(1));
    store32(element + GATE, FREE);
    return TAKEN;
  }
  // A writer that locks again and again keeps the lock until its turn is over. Otherwise some turns would be much shorter than others.
  const turn = load32(lock + TURN);
  if (isInTurn(office) && succeeds(element) && turn === get32(element + TURN_SEEN)) {
    if (cas64(lock + OFFICE, office, minus(office, pair(0, successorOf(office)))) === office) {
      credit(entry, wide(1));
      store32(element + GATE, FREE);
      return TAKEN;
    }
  }
  put32(element + TURN_SEEN, turn);
  if (!succeeds(element)) {
    put32(element + SUCCEEDS, 1);
    store32(element + GATE, LINKED);
  }
  return WAITING;
}

/**
 * Takes the gate from LINKED to PARKED. The successor also sets ASLEEP, so the next unlock that may admit it wakes it. Any other result is the gate
 * that was found instead.
 */
export function parkWriter(element: ElementAddress): Gate {
  const gate = asGate(cas32(element + GATE, LINKED, PARKED));
  if (!succeeds(element)) return gate;
  const lock = lockOf(element);
  // Before ASLEEP: the unlock that finds ASLEEP finds this element, PARKED.
  store32(lock + SUCCESSOR_AT, element);
  const office = load64(lock + OFFICE);
  const asked = (high32(office) & ASLEEP) !== 0;
  const isFree = isInTurn(office) || isHanded(office);
  if (isFree || (!asked && cas64(lock + OFFICE, office, plus(office, pair(0, ASLEEP))) !== office)) {
    // The successor does not sleep: it competes again.
    store32(element + GATE, LINKED);
  }
  return LINKED;
}

/** The turn is over: the next unlock hands over to the successor that waits with this element. RACED: call again. */
export function makeWriterDue(element: ElementAddress): typeof IDLE | typeof RACED {
  if (!succeeds(element) || isFreed(element)) return IDLE;
  const lock = lockOf(element);
  const office = load64(lock + OFFICE);
  if (!isWritten(office) || (high32(office) & DUE) !== 0) return IDLE;
  return cas64(lock + OFFICE, office, plus(office, pair(0, DUE))) === office ? IDLE : RACED;
}

/**
 * A waiting writer, other than the one inside, leaves. `flags`, in the high half, are cleared with it. The readers that waited for this writer
 * alone enter.
 */
function removeWriter(lock: LineAddress, agent: AgentAddress, office: i64, flags: i32): typeof CANCELLED | typeof RACED {
  if (writersOf(office) > 1) return cas64(lock + OFFICE, office, minus(office, pair(0, WRITER + flags))) === office ? CANCELLED : RACED;
  const waiting = waitingOf(office);
  if (cas64(lock + OFFICE, office, status(readersOf(office) + waiting, 0, noticeOf(office))) !== office) return RACED;
  if (waiting > 0) admitReaders(lock, agent, waiting);
  return CANCELLED;
}

/** The writers' line is the second of the block. The box office is in the first. */
class WritersOffice implements CompetingOffice, RecordedOffice {
  poll(element: ElementAddress, entry: EntryAddress): Poll {
    return pollWriter(element, entry);
  }

  isOut(element: ElementAddress): boolean {
    return succeeds(element);
  }

  uncount(line: LineAddress, agent: AgentAddress): Uncount {
    const lock = asLine(line - BLOCK_LINE);
    const office = load64(lock + OFFICE);
    const writers = writersOf(office);
    // The agents inside, or with a permit. If no other writer is counted, the permit is for this waiter.
    const admitted = (isWritten(office) ? 1 : 0) + (hasSuccessor(office) ? 1 : 0);
    if (writers === admitted) return TAKEN;
    return removeWriter(lock, agent, office, 0);
  }

  resign(line: LineAddress, _id: i32, agent: AgentAddress, entry: EntryAddress): Uncount {
    const lock = asLine(line - BLOCK_LINE);
    const office = load64(lock + OFFICE);
    if (hasSuccessor(office)) {
      if (!isInTurn(office) && !isHanded(office)) return removeWriter(lock, agent, office, successorOf(office));
      if (cas64(lock + OFFICE, office, minus(office, pair(0, successorOf(office)))) !== office) return RACED;
    }
    // Not added to: with `jsEngine` an agent may die right after this, and its reclaimer does the same again.
    if (entry !== 0) {
      put64(entry + ENTRY_HELD, wide(1));
      put64(entry + ENTRY_SINCE, wide(0));
    }
    return TAKEN;
  }

  noteUnseen(_line: LineAddress, entry: EntryAddress): void {
    if (entry !== 0) put64(entry + ENTRY_SINCE, wide(NEVER_KNEW));
  }

  giveBack(line: LineAddress, agent: AgentAddress, entry: EntryAddress, held: i32): i32 {
    const lock = asLine(line - BLOCK_LINE);
    if (get64(entry + ENTRY_SINCE) !== wide(NEVER_KNEW)) orphan(lock);
    return leaveWriter(lock, agent, entry, 0) === RACED ? RACED : held;
  }
}

const readersOffice = /* @__PURE__ */ new ReadersOffice();
const writersOffice = /* @__PURE__ */ new WritersOffice();

export function pollReader(element: ElementAddress, entry: EntryAddress): Poll {
  return pollAt(readersOffice, element, entry);
}

export function cancelReaderWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  return cancelAt(readersOffice, agent, element, entry);
}

export function cancelDeadReaderWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  return cancelDeadAt(readersOffice, agent, element, entry);
}

/** A dead reader leaves, as often as it reads. */
export function restoreReader(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(readersOffice, agent, entry);
}

export function cancelWriterWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  return cancelCompetingAt(writersOffice, agent, element, entry);
}

export function cancelDeadWriterWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  return cancelDeadCompetingAt(writersOffice, agent, element, entry);
}

/** A dead writer leaves, with a notice unless it never knew that it was inside. */
export function restoreWriter(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(writersOffice, agent, entry);
}
