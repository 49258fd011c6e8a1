// Steps at the box office of a read-write lock, after Preshing's NonRecursiveRWLock. Its block has two lines: the box office and the
// readers' bouncer, then the writers' bouncer.
//
// OFFICE, one 64-bit word
//
//   bits 0-20   readers  inside, or on their way in
//   bits 21-41  waiting  readers that wait for a writer
//   bits 42-62  writers  inside, on its way in, or waiting
//   bit 63      NOTICE   HEALTH has a message: the fast paths do not check it
//
// Readers and writers together tell which agents are inside:
//
//   readers 0, writers 0   none
//   readers n, writers 0   readers; more may enter
//   readers n, writers k   readers, and k writers wait: a new reader waits behind them
//   readers 0, writers k   one writer, or on its way in; k - 1 wait
//
//   readers + 1    [lockReader, enqueueReader]  writers is 0
//   waiting + 1    [enqueueReader]              writers is not 0; then a ticket at the readers' bouncer
//   readers - n    [leaveReaders]               at 0 readers one permit for the next writer follows
//   writers + 1    [lockWriter, enqueueWriter]  unless none was inside, a ticket at the writers' bouncer follows
//   writers - 1    [unlockWriter, leaveWriter, downgrade]  waiting readers become readers, and with `downgrade` the caller, too; then their
//                                               permits, or else one for the next writer
//   waiting - 1    [cancel]                     a waiting reader cancels
//   writers - 1    [cancel]                     a waiting writer cancels; after the last one waiting readers become readers
//
// INVARIANTS
//
//   1. While readers is not 0, no writer is inside. While readers is 0 and writers is not, exactly one writer is inside or on its way in.
//   2. While writers is 0, waiting is 0. So a reader that finds no writer has no other agent before it.
//   3. Permits of a bouncer are only for agents that the word counts, as readers or as the first writer. So no permit is left over.
//
// A writer that leaves admits all waiting readers. If no reader waits, it admits the next writer. The last reader admits the next writer.
// So readers and writers take turns, and neither side starves.

import {
  add64,
  announce,
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  cancelAt,
  cancelDeadAt,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  cas64,
  CONSISTENT,
  credit,
  draw,
  ENTRY_HELD,
  ENTRY_SINCE,
  field21,
  FOREIGN,
  FULL,
  get64,
  GRANT,
  HEALTH,
  high32,
  IDLE,
  load32,
  load64,
  minus,
  NEVER_KNEW,
  OFFICE,
  orphan,
  plus,
  pollAt,
  put64,
  RACED,
  restoreAt,
  shifted,
  SHUT,
  TAKEN,
  WAITING,
  wide,
  type BoxOffice,
  type RecordedOffice,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type Enqueue,
  type EntryAddress,
  type HandOver,
  type LineAddress,
  type Poll,
  type Try,
  type Uncount,
  type Unlock,
  type Wake,
  type Admission,
} from '@sluice/core/kernel';

/** A field's width is 21 bits. */
const MOST: i32 = 0x1fffff;
const WAITING_AT: i32 = 21;
const WRITERS_AT: i32 = 42;
const NOTICE_AT: i32 = 63;

function readersOf(office: i64): i32 {
  return field21(office, 0);
}
function waitingOf(office: i64): i32 {
  return field21(office, WAITING_AT);
}
function writersOf(office: i64): i32 {
  return field21(office, WRITERS_AT);
}
function noticeOf(office: i64): i32 {
  return high32(office) < 0 ? 1 : 0;
}
/** No writer and no notice. */
function isForReaders(office: i64): boolean {
  return high32(office) >>> (WRITERS_AT - 32) === 0;
}
/** Waiting readers become readers when the writers are gone, if not before. So the sum of both must fit. */
function hasRoomToRead(office: i64): boolean {
  return readersOf(office) + waitingOf(office) < MOST;
}
function status(readers: i32, writers: i32, notice: i32): i64 {
  return plus(plus(wide(readers), shifted(writers, WRITERS_AT)), shifted(notice, NOTICE_AT));
}
function noticeToLeave(lock: LineAddress): i32 {
  return load32(lock + HEALTH) === CONSISTENT ? 0 : 1;
}
function admitReaders(lock: LineAddress, agent: AgentAddress, count: i32): Wake {
  return announce(lock, agent, add64(lock + GRANT, wide(count)), count);
}
function admitWriter(lock: LineAddress, agent: AgentAddress): Wake {
  const bouncer = asLine(lock + BLOCK_LINE);
  return announce(bouncer, agent, add64(bouncer + GRANT, wide(1)), 1);
}

/**
 * Enters to read if no writer is inside or waiting and there is no notice. WAITING: a writer is, or there is a notice. RACED: another
 * reader entered or left.
 */
export function lockReader(lock: LineAddress, tag: i32, entry: EntryAddress): Try {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(lock + OFFICE);
  if (!isForReaders(office) || readersOf(office) === MOST) return WAITING;
  if (cas64(lock + OFFICE, office, plus(office, wide(1))) !== office) return RACED;
  credit(entry, wide(1));
  return TAKEN;
}

/**
 * The contended path of a reader. FULL: more readers than can be counted. WAITING: it would have to wait, with `mayWait` 0. RACED: call
 * again. Else the agent's spare element, QUEUED. The agent must have a spare.
 */
export function enqueueReader(lock: LineAddress, tag: i32, agent: AgentAddress, entry: EntryAddress, mayWait: i32): Enqueue | typeof FULL {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(lock + OFFICE);
  if (!hasRoomToRead(office)) return FULL;
  if (writersOf(office) === 0) {
    if (cas64(lock + OFFICE, office, plus(office, wide(1))) !== office) return RACED;
    credit(entry, wide(1));
    return TAKEN;
  }
  if (mayWait === 0) return WAITING;
  if (cas64(lock + OFFICE, office, plus(office, shifted(1, WAITING_AT))) !== office) return RACED;
  return draw(lock, tag, agent);
}

/** A reader leaves. FOREIGN: this agent does not read. NEEDS_WALK: it was the last reader and a writer waits; run the walk. */
export function unlockReader(lock: LineAddress, tag: i32, agent: AgentAddress, entry: EntryAddress): Wake | typeof SHUT | typeof FOREIGN {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const held = get64(entry);
  if (held <= wide(0)) return FOREIGN;
  // Before the release: with `jsEngine` an agent may die in between.
  put64(entry, minus(held, wide(1)));
  return leaveReaders(lock, agent, 1);
}

/** Removes `count` readers. */
export function leaveReaders(lock: LineAddress, agent: AgentAddress, count: i32): Wake {
  const office = add64(lock + OFFICE, wide(-count));
  return readersOf(office) === count && writersOf(office) > 0 ? admitWriter(lock, agent) : IDLE;
}

/** Enters to write if no agent is inside or waiting and there is no notice. WAITING: otherwise. */
export function lockWriter(lock: LineAddress, tag: i32, entry: EntryAddress): Poll {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  if (cas64(lock + OFFICE, wide(0), shifted(1, WRITERS_AT)) !== wide(0)) return WAITING;
  credit(entry, wide(1));
  return TAKEN;
}

/**
 * The contended path of a writer. FULL: more writers than can be counted. WAITING: it would have to wait, with `mayWait` 0. RACED: call
 * again. Else the agent's spare element, QUEUED. The agent must have a spare.
 */
export function enqueueWriter(lock: LineAddress, tag: i32, agent: AgentAddress, entry: EntryAddress, mayWait: i32): Enqueue | typeof FULL {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(lock + OFFICE);
  const writers = writersOf(office);
  if (writers === MOST) return FULL;
  const free = writers === 0 && readersOf(office) === 0;
  if (!free && mayWait === 0) return WAITING;
  if (cas64(lock + OFFICE, office, plus(office, shifted(1, WRITERS_AT))) !== office) return RACED;
  if (!free) return draw(asLine(lock + BLOCK_LINE), tag, agent);
  credit(entry, wide(1));
  return TAKEN;
}

/**
 * The writer leaves if no agent waits and there is no notice. FOREIGN: this agent does not write. RACED: an agent waits, or there is a
 * notice.
 */
export function unlockWriter(lock: LineAddress, tag: i32, entry: EntryAddress): Unlock | typeof FOREIGN {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  if (get64(entry) <= wide(0)) return FOREIGN;
  put64(entry, wide(0));
  if (cas64(lock + OFFICE, shifted(1, WRITERS_AT), wide(0)) === shifted(1, WRITERS_AT)) return IDLE;
  put64(entry, wide(1));
  return RACED;
}

/** The contended way out of a writer. FOREIGN: this agent does not write. RACED: call again. NEEDS_WALK: other agents enter; run the walk. */
export function handOverWriter(lock: LineAddress, agent: AgentAddress, entry: EntryAddress): HandOver {
  return get64(entry) <= wide(0) ? FOREIGN : leaveWriter(lock, agent, entry);
}

/** The writer inside leaves; `entry` records that it writes. */
export function leaveWriter(lock: LineAddress, agent: AgentAddress, entry: EntryAddress): Wake | typeof RACED {
  const office = load64(lock + OFFICE);
  const waiting = waitingOf(office);
  const writers = writersOf(office);
  put64(entry, wide(0));
  if (cas64(lock + OFFICE, office, status(waiting, writers - 1, noticeToLeave(lock))) !== office) {
    put64(entry, wide(1));
    return RACED;
  }
  if (waiting > 0) return admitReaders(lock, agent, waiting);
  return writers > 1 ? admitWriter(lock, agent) : IDLE;
}

/** The writer inside becomes a reader, and waiting readers enter with it. FULL: more readers than can be counted. */
export function downgrade(lock: LineAddress, tag: i32, agent: AgentAddress, writer: EntryAddress, reader: EntryAddress): HandOver | typeof SHUT | typeof FULL {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  if (get64(writer) <= wide(0)) return FOREIGN;
  const office = load64(lock + OFFICE);
  const waiting = waitingOf(office);
  if (waiting === MOST) return FULL;
  put64(writer, wide(0));
  if (cas64(lock + OFFICE, office, status(waiting + 1, writersOf(office) - 1, noticeToLeave(lock))) !== office) {
    put64(writer, wide(1));
    return RACED;
  }
  credit(reader, wide(1));
  return waiting > 0 ? admitReaders(lock, agent, waiting) : IDLE;
}

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
