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
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  cas64,
  credit,
  draw,
  FOREIGN,
  FULL,
  get64,
  IDLE,
  load32,
  load64,
  minus,
  OFFICE,
  plus,
  put64,
  RACED,
  shifted,
  SHUT,
  TAKEN,
  WAITING,
  wide,
  type AgentAddress,
  type Enqueue,
  type EntryAddress,
  type HandOver,
  type LineAddress,
  type Poll,
  type Try,
  type Unlock,
  type Wake,
} from '@sluice/core/kernel';
import {
  MOST,
  WAITING_AT,
  WRITERS_AT,
  readersOf,
  waitingOf,
  writersOf,
  isForReaders,
  hasRoomToRead,
  status,
  noticeToLeave,
  admitReaders,
  admitWriter,
} from './word.ts';

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
