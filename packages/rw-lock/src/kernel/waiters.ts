// Steps of agents that wait at a read-write lock, and of agents that died there. States and invariants are in
// rw-lock.ts.

import {
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  ENTRY_HELD,
  ENTRY_SINCE,
  NEVER_KNEW,
  OFFICE,
  RACED,
  TAKEN,
  type Admission,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type EntryAddress,
  type GateState,
  type IDLE,
  type LineAddress,
  type Poll,
  type Uncount,
} from '@sluice/core/format';
import {
  add64,
  cancelAt,
  cancelCompetingAt,
  cas64,
  credit,
  get64,
  load32,
  load64,
  makeDueAt,
  minus,
  orphan,
  pair,
  parkInTurns,
  pollAt,
  pollInTurns,
  put64,
  restoreAt,
  shifted,
  succeeds,
  wide,
  type BoxOffice,
  type RecordedOffice,
  type TurnOffice,
} from '@sluice/core/kernel';
import { ASLEEP, DUE } from './layout.ts';
import { removeReaders } from './unlock-reader.ts';
import { unlockOrHandOver } from './unlock-writer.ts';
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

  uncount(lock: LineAddress, _agent: AgentAddress): Uncount {
    const office = load64(lock + OFFICE);
    if (waitingOf(office) === 0) return TAKEN;
    return cas64(lock + OFFICE, office, minus(office, shifted(1, WAITING_AT))) === office ? CANCELLED : RACED;
  }

  /** A dead reader can leave at once. Its other holds stay recorded. */
  noteUnseen(lock: LineAddress, agent: AgentAddress, entry: EntryAddress, left: Admission): Cancel {
    if (entry === 0) return left;
    put64(entry + ENTRY_HELD, minus(get64(entry + ENTRY_HELD), wide(1)));
    removeReaders(lock, load32(lock + BLOCK_TAG), agent, 1);
    return left === TAKEN ? CANCELLED : CANCELLED_LEFT_BEHIND;
  }

  giveBack(lock: LineAddress, agent: AgentAddress, entry: EntryAddress, held: i32): i32 {
    put64(entry + ENTRY_HELD, wide(0));
    removeReaders(lock, load32(lock + BLOCK_TAG), agent, held);
    return held;
  }
}

/**
 * Removes a waiting writer, other than the writer inside, and clears `flags` in the high half. Readers that waited only
 * for this writer enter.
 */
function removeWriter(
  lock: LineAddress,
  agent: AgentAddress,
  office: i64,
  flags: i32,
): typeof CANCELLED | typeof RACED {
  if (writersOf(office) > 1)
    return cas64(lock + OFFICE, office, minus(office, pair(0, WRITER + flags))) === office ? CANCELLED : RACED;
  const waiting = waitingOf(office);
  if (cas64(lock + OFFICE, office, status(readersOf(office) + waiting, 0, noticeOf(office))) !== office) return RACED;
  if (waiting > 0) admitReaders(lock, agent, waiting);
  return CANCELLED;
}

/** The writers' line is the second of the block. The box office is in the first. */
class WritersOffice implements TurnOffice, RecordedOffice {
  officeAt(line: LineAddress): LineAddress {
    return asLine(line - BLOCK_LINE);
  }

  /** Whether the lock has been handed to the waiter. Without a successor, the permit belongs to the next writer. */
  isHanded(office: i64): boolean {
    return !hasSuccessor(office) || isHanded(office);
  }

  isFree(office: i64): boolean {
    return isInTurn(office);
  }

  isHeld(office: i64): boolean {
    return isWritten(office);
  }

  asleep(): i32 {
    return ASLEEP;
  }

  due(): i32 {
    return DUE;
  }

  receive(lock: LineAddress, office: i64, _element: ElementAddress, entry: EntryAddress): void {
    if (hasSuccessor(office)) add64(lock + OFFICE, pair(0, 0 - successorOf(office)));
    credit(entry, wide(1));
  }

  take(lock: LineAddress, office: i64, _element: ElementAddress, entry: EntryAddress): boolean {
    if (cas64(lock + OFFICE, office, minus(office, pair(0, successorOf(office)))) !== office) return false;
    credit(entry, wide(1));
    return true;
  }

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
    // Counts the writers inside or with a permit. If no other writer is counted, the permit is for this waiter.
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
    // Assign instead of adding: with `jsEngine` an agent may die right after this, and its reclaimer repeats the step.
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
    return unlockOrHandOver(lock, agent, entry, 0) === RACED ? RACED : held;
  }
}

const readersOffice = /* @__PURE__ */ new ReadersOffice();
const writersOffice = /* @__PURE__ */ new WritersOffice();

/**
 * Checks once. Returns TAKEN if the agent writes, and SHUT if the lock was freed. In both cases the element is free.
 * Returns WAITING otherwise.
 *
 * @takes The permit that was handed over: the write lock, SUCCESSOR and FREE_FLAG off. Or the waiter becomes the
 *   successor: `SUCCEEDS` 1, `GATE` LINKED in no chain
 * @leaves `ENTRY_HELD` + 1 of the writers' line; `SUCCEEDS`
 * @death `restoreWriter`. A successor is cancelled
 */
export function pollWriter(element: ElementAddress, entry: EntryAddress): Poll {
  return pollInTurns(writersOffice, element, entry);
}

/**
 * Prepares the writer for sleep. Returns LINKED if the writer may sleep; its gate is then PARKED, unless the lock
 * became free meanwhile. Returns any other gate that it found; the writer must handle it first.
 *
 * @step `parkWriter`, `makeWriterDue`
 * @takes ASLEEP with `SUCCESSOR_AT`, first; DUE
 * @leaves `OFFICE`
 * @death As a successor
 */
export function parkWriter(element: ElementAddress): GateState {
  return parkInTurns(writersOffice, element);
}

/** Ends the turn: the next unlock hands over to the successor. Returns RACED if it lost a race: call again. */
export function makeWriterDue(element: ElementAddress): typeof IDLE | typeof RACED {
  return makeDueAt(writersOffice, element);
}

/**
 * Checks once. Returns TAKEN if the agent reads, and SHUT if the lock was freed. In both cases the element is free.
 * Returns WAITING otherwise.
 *
 * @takes The permit that was handed over: the reader is counted inside already
 * @leaves `ENTRY_HELD` + 1 of the readers' line; `GATE` FREE
 * @death `restoreReader`
 */
export function pollReader(element: ElementAddress, entry: EntryAddress): Poll {
  return pollAt(readersOffice, element, entry);
}

/**
 * Cancels a wait. Returns the results of `cancelAt`. If the waiter was removed from the count, `leaveLine` takes it out
 * of the line.
 *
 * @step `cancelReaderWait`, `cancelWriterWait`
 * @takes One waiting reader or writer less in `OFFICE`; after the last writer, waiting readers become readers (`GRANT`
 *   + their number). Or the lock, if a grant came first
 * @leaves `LEAVING` 1 first; it is no longer counted, but still in line. Or `ENTRY_HELD` + 1 of that line
 * @death Cancelled, without a second removal from the count; or `restoreReader`, `restoreWriter`; walk
 */
export function cancelReaderWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: i32): Cancel {
  return cancelAt(readersOffice, agent, element, entry, dead);
}

/**
 * Removes a dead reader as many times as it reads.
 *
 * @takes The read locks of a dead agent: as `unlockReader`, for all of them at once
 * @leaves `ENTRY_HELD` 0 first; the rest as `unlockReader`, in the **dead** agent's record
 * @death Called again; walk; notify
 */
export function restoreReader(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(readersOffice, agent, entry);
}

export function cancelWriterWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: i32): Cancel {
  return cancelCompetingAt(writersOffice, agent, element, entry, dead);
}

/**
 * Removes a dead writer. The next writer gets a notice, unless the dead one never knew that it was inside.
 *
 * @takes The write lock of a dead agent: `HEALTH` ORPHANED unless it never saw the grant, then as `handOverWriter` at
 *   the end of a turn
 * @leaves As `handOverWriter`, in the **dead** agent's record
 * @death Called again; walk; notify
 */
export function restoreWriter(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(writersOffice, agent, entry);
}
