// Steps of agents that wait at a read-write lock, and of agents that died there. States and invariants are in rw-lock.ts.

import {
  asLine,
  BLOCK_LINE,
  cancelAt,
  cancelDeadAt,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  cas64,
  credit,
  ENTRY_HELD,
  ENTRY_SINCE,
  get64,
  load64,
  minus,
  NEVER_KNEW,
  OFFICE,
  orphan,
  pollAt,
  put64,
  RACED,
  restoreAt,
  shifted,
  TAKEN,
  wide,
  type BoxOffice,
  type RecordedOffice,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Poll,
  type Uncount,
  type Admission,
} from '@sluice/core/kernel';
import { leaveReaders, leaveWriter } from './rw-lock.ts';
import { WAITING_AT, WRITERS_AT, readersOf, waitingOf, writersOf, noticeOf, status, admitReaders } from './word.ts';

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
    leaveReaders(lock, agent, 1);
    return left === TAKEN ? CANCELLED : CANCELLED_LEFT_BEHIND;
  }

  giveBack(lock: LineAddress, agent: AgentAddress, entry: EntryAddress, held: i32): i32 {
    put64(entry + ENTRY_HELD, wide(0));
    leaveReaders(lock, agent, held);
    return held;
  }
}

/** Its line is the second of the block. The box office is in the first. */
class WritersOffice implements BoxOffice, RecordedOffice {
  admit(_line: LineAddress, _id: i32, entry: EntryAddress): void {
    credit(entry, wide(1));
  }

  /** The readers that waited for this writer alone enter. */
  cancel(line: LineAddress, agent: AgentAddress): Uncount {
    const lock = asLine(line - BLOCK_LINE);
    const office = load64(lock + OFFICE);
    const readers = readersOf(office);
    const writers = writersOf(office);
    // No reader is inside, so one writer is inside or on its way in. If there is no other writer, it is this one.
    if (readers === 0 && writers === 1) return TAKEN;
    const waiting = waitingOf(office);
    if (writers > 1) return cas64(lock + OFFICE, office, minus(office, shifted(1, WRITERS_AT))) === office ? CANCELLED : RACED;
    if (cas64(lock + OFFICE, office, status(readers + waiting, 0, noticeOf(office))) !== office) return RACED;
    if (waiting > 0) admitReaders(lock, agent, waiting);
    return CANCELLED;
  }

  noteUnseen(_line: LineAddress, _agent: AgentAddress, entry: EntryAddress, left: Admission): Cancel {
    if (entry !== 0) put64(entry + ENTRY_SINCE, wide(NEVER_KNEW));
    return left;
  }

  giveBack(line: LineAddress, agent: AgentAddress, entry: EntryAddress, held: i32): i32 {
    const lock = asLine(line - BLOCK_LINE);
    if (get64(entry + ENTRY_SINCE) !== wide(NEVER_KNEW)) orphan(lock);
    return leaveWriter(lock, agent, entry) === RACED ? RACED : held;
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

export function pollWriter(element: ElementAddress, entry: EntryAddress): Poll {
  return pollAt(writersOffice, element, entry);
}

export function cancelWriterWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  return cancelAt(writersOffice, agent, element, entry);
}

export function cancelDeadWriterWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  return cancelDeadAt(writersOffice, agent, element, entry);
}

/** A dead writer leaves, with a notice unless it never knew that it was inside. */
export function restoreWriter(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(writersOffice, agent, entry);
}
