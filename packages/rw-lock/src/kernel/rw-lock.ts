// Steps at the box office of a read-write lock, after Preshing's NonRecursiveRWLock. Its block has two lines: the box office and the
// readers' bouncer, then the writers' bouncer.
//
// OFFICE, one 64-bit word
//
//   bits 0-20   readers    inside, or on their way in
//   bits 21-41  waiting    readers that wait for a writer
//   bits 42-58  writers    inside, on its way in, or waiting
//   bit 59      FREE_FLAG  no writer is inside or on its way in; a successor competes, or comes after the readers inside
//   bit 60      SUCCESSOR  one writer, the longest that waits, got a permit and competes with the writers that run
//   bit 61      ASLEEP     the successor sleeps
//   bit 62      DUE        the turn is over: the lock goes to the successor
//   bit 63      NOTICE     HEALTH has a message: the fast paths do not check it
//
// Readers and writers together tell which agents are inside:
//
//   readers 0, writers 0              none
//   readers n, writers 0              readers; more may enter
//   readers n, writers k              readers, and k writers wait: a new reader waits behind them. With a successor also FREE_FLAG and DUE
//   readers 0, writers k              one writer, or on its way in; k - 1 wait
//   readers 0, writers k, FREE_FLAG   none. k writers wait, one of them the successor. With DUE the lock is on its way to the successor
//
//   readers + 1    [lockReader, enqueueReader]  writers is 0
//   waiting + 1    [enqueueReader]              writers is not 0; then a ticket at the readers' bouncer
//   readers - n    [leaveReaders]               at 0 readers the successor gets the lock and is woken if ASLEEP; or one permit for the next writer
//   writers + 1    [lockWriter, enqueueWriter]  unless none was inside, a ticket at the writers' bouncer follows
//   writers + 1, FREE_FLAG off  [lockWriter, enqueueWriter]  a writer enters in a turn
//   writers - 1    [unlockWriter, leaveWriter, downgrade]  waiting readers become readers, and with `downgrade` the caller, too; then their
//                                               permits, or else one for the next writer. A successor gets DUE, if readers enter
//   writers - 1, FREE_FLAG, SUCCESSOR  [leaveWriter]  'turns', and no reader waits: then one permit for the successor, unless there is one
//   writers - 1, FREE_FLAG   [unlockWriter]     the same, while the successor is awake
//   writers - 1, FREE_FLAG, DUE  [leaveWriter]  the end of a turn. Wakes the successor if it is ASLEEP
//   FREE_FLAG and SUCCESSOR off  [compete]      the successor enters
//   ASLEEP, DUE    [parkWriter, makeWriterDue]  the successor, only while other agents are inside
//   waiting - 1    [cancel]                     a waiting reader cancels
//   writers - 1    [uncount, resign]            a waiting writer cancels; after the last one waiting readers become readers
//
// A turn begins when a writer unlocks, other writers wait, no reader waits, and there is no successor. TURN says whose turn it is. That agent
// may lock the lock for writing whenever it is free. Another writer waits in line; it takes a free lock, and the turn with it, only if no pass
// happens between two looks. The turn ends when the successor has waited for half a millisecond, when its agent has used it up (core:
// turn.ts), or with the first unlock that finds a waiting reader.
//
// INVARIANTS
//
//   1. While readers is not 0, no writer is inside. While readers is 0, writers is not, and FREE_FLAG is off, exactly one writer is inside or
//      on its way in.
//   2. While writers is 0, waiting is 0. So a reader that finds no writer has no other agent before it.
//   3. Permits of a bouncer are only for agents that the word counts: as readers, as the first writer, or as the successor. So no permit is
//      left over. At most one permit of the writers' bouncer is under way.
//   4. FREE_FLAG, ASLEEP and DUE only with SUCCESSOR. With readers and SUCCESSOR also FREE_FLAG and DUE. So no writer passes the successor after
//      readers have entered, and each unlock of a writer that finds waiting readers admits them.
//   5. While readers is 0 and FREE_FLAG is on, the successor is awake, or is being woken: it sleeps only after it has set ASLEEP, which it does
//      only while other agents are inside. So a lock that is free with waiters is taken, by the successor if by no other agent.
//   6. With 'fifo' there is no SUCCESSOR.
//
// A writer that leaves admits all waiting readers. If no reader waits, it goes on with its turn, or admits the next writer. The last reader
// admits the next writer. So readers and writers take turns, and neither side starves:
//
//   - A reader waits for the readers inside, if any, and for one writer: the first unlock of a writer after its arrival admits it.
//   - A writer with w writers before it waits for at most w + 1 turns of half a millisecond, and after each of them for the readers that
//     waited at its end.

import {
  add64,
  asElement,
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  cas64,
  credit,
  draw,
  FLAG_TURNS,
  FLAGS,
  FOREIGN,
  FULL,
  get32,
  get64,
  high32,
  IDLE,
  isTurnOf,
  load32,
  load64,
  minus,
  NOT_SEEN,
  OFFICE,
  OWNER,
  pair,
  PASSES_LEFT,
  plus,
  put32,
  put64,
  RACED,
  rewake,
  shifted,
  SHUT,
  SUCCEEDS,
  SUCCESSOR_AT,
  TAKEN,
  TURN,
  TURN_TAKEN,
  turnOf,
  WAITING,
  wide,
  type AgentAddress,
  type ElementAddress,
  type Enqueue,
  type EntryAddress,
  type HandOver,
  type LineAddress,
  type Poll,
  type Try,
  type Unlock,
  type Wake,
} from '@sluice/core/kernel';
import { ASLEEP, DUE, FREE_FLAG, MOST, MOST_WRITERS, SUCCESSOR } from './layout.ts';
import {
  WAITING_AT,
  WRITER,
  WRITERS_AT,
  admitReaders,
  admitWriter,
  flagsForReaders,
  flagsOf,
  hasRoomToRead,
  hasSuccessor,
  isForReaders,
  isInTurn,
  noticeOf,
  noticeToLeave,
  readersOf,
  status,
  waitingOf,
  writersOf,
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

/**
 * A reader leaves. FOREIGN: this agent does not read. NEEDS_WALK: it was the last reader and a writer waits; run the walk. Larger: the element
 * of a successor, which must be notified.
 */
export function unlockReader(
  lock: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
): Wake | typeof SHUT | typeof FOREIGN | ElementAddress {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const held = get64(entry);
  if (held <= wide(0)) return FOREIGN;
  // Before the release: with `jsEngine` an agent may die in between.
  put64(entry, minus(held, wide(1)));
  return leaveReaders(lock, tag, agent, 1);
}

/** Removes `count` readers. */
export function leaveReaders(lock: LineAddress, tag: i32, agent: AgentAddress, count: i32): Wake | ElementAddress {
  const office = add64(lock + OFFICE, wide(-count));
  if (readersOf(office) !== count || writersOf(office) === 0) return IDLE;
  if (!hasSuccessor(office)) return admitWriter(lock, agent);
  // After the addition: until then the successor may still lie down to sleep. If it has given up meanwhile, and the lock was freed, the word
  // may be another primitive's. The tag, read afterwards, tells.
  const element = asElement(load32(lock + SUCCESSOR_AT));
  return load32(lock + BLOCK_TAG) === tag ? wakeSuccessor(agent, office, element) : IDLE;
}

/** `office`: the word before the successor could enter. */
function wakeSuccessor(agent: AgentAddress, office: i64, element: ElementAddress): typeof IDLE | ElementAddress {
  if ((high32(office) & ASLEEP) === 0) return IDLE;
  const woken = rewake(agent, element);
  return woken === 0 ? IDLE : woken;
}

/** Enters to write if no agent is inside, there is no notice, and no agent waits or it is this agent's turn. WAITING: otherwise. */
export function lockWriter(lock: LineAddress, tag: i32, id: i32, entry: EntryAddress): Poll {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = cas64(lock + OFFICE, wide(0), shifted(1, WRITERS_AT));
  if (office !== wide(0) && !lockInTurn(lock, office, id)) return WAITING;
  credit(entry, wide(1));
  return TAKEN;
}

function lockInTurn(lock: LineAddress, office: i64, id: i32): boolean {
  if (!isInTurn(office) || noticeOf(office) !== 0 || writersOf(office) === MOST_WRITERS) return false;
  return isTurnOf(load32(lock + TURN), id) && cas64(lock + OFFICE, office, plus(office, pair(0, WRITER - FREE_FLAG))) === office;
}

/**
 * The contended path of a writer. In another agent's turn it enters only if no pass has happened since the caller read `seen` from TURN, or
 * with `mayWait` 0. FULL: more writers than can be counted. WAITING: it would have to wait, with `mayWait` 0. RACED: call again. Else the
 * agent's spare element, QUEUED. The agent must have a spare.
 */
export function enqueueWriter(
  lock: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  mayWait: i32,
  seen: i32,
): Enqueue | typeof FULL {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(lock + OFFICE);
  const writers = writersOf(office);
  if (writers === MOST_WRITERS) return FULL;
  if (writers === 0 && readersOf(office) === 0) {
    if (cas64(lock + OFFICE, office, plus(office, shifted(1, WRITERS_AT))) !== office) return RACED;
    credit(entry, wide(1));
    return TAKEN;
  }
  if (isInTurn(office)) {
    const id = get32(agent + OWNER);
    const turn = load32(lock + TURN);
    const isOwn = isTurnOf(turn, id);
    if (isOwn || mayWait === 0 || turn === seen) {
      if (cas64(lock + OFFICE, office, plus(office, pair(0, WRITER - FREE_FLAG))) !== office) return RACED;
      if (!isOwn) put32(lock + TURN, turnOf(id) | TURN_TAKEN);
      credit(entry, wide(1));
      return TAKEN;
    }
    if (seen === NOT_SEEN) return RACED;
  } else if (mayWait === 0) return WAITING;
  if (cas64(lock + OFFICE, office, plus(office, shifted(1, WRITERS_AT))) !== office) return RACED;
  const element = draw(asLine(lock + BLOCK_LINE), tag, agent);
  put64(element + SUCCEEDS, wide(0));
  return element;
}

/**
 * The writer leaves if no agent waits and there is no notice, or in its turn if the successor is awake. FOREIGN: this agent does not write.
 * RACED: an agent has to be admitted or woken, or there is a notice.
 */
export function unlockWriter(lock: LineAddress, tag: i32, entry: EntryAddress): Unlock | typeof FOREIGN {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  if (get64(entry) <= wide(0)) return FOREIGN;
  put64(entry, wide(0));
  const office = cas64(lock + OFFICE, shifted(1, WRITERS_AT), wide(0));
  if (office === shifted(1, WRITERS_AT) || leaveInTurn(lock, office)) return IDLE;
  put64(entry, wide(1));
  return RACED;
}

function leaveInTurn(lock: LineAddress, office: i64): boolean {
  if (flagsOf(office) !== SUCCESSOR || waitingOf(office) !== 0) return false;
  const turn = get32(lock + TURN);
  if ((turn & PASSES_LEFT) === 0) return false;
  put32(lock + TURN, turn - 1);
  return cas64(lock + OFFICE, office, plus(office, pair(0, FREE_FLAG - WRITER))) === office;
}

/**
 * The contended way out of a writer: waiting readers enter. Without any, the lock stays free for the rest of a turn, or goes to the writer that
 * has waited longest. FOREIGN: this agent does not write. RACED: call again. NEEDS_WALK: other agents enter; run the walk. Larger: the element
 * of a successor, which must be notified.
 */
export function handOverWriter(lock: LineAddress, agent: AgentAddress, entry: EntryAddress): HandOver | ElementAddress {
  if (get64(entry) <= wide(0)) return FOREIGN;
  return leaveWriter(lock, agent, entry, get32(lock + FLAGS) & FLAG_TURNS);
}

/** As `handOverWriter`, at the end of a turn. */
export function endWriterTurn(lock: LineAddress, agent: AgentAddress, entry: EntryAddress): HandOver | ElementAddress {
  return get64(entry) <= wide(0) ? FOREIGN : leaveWriter(lock, agent, entry, 0);
}

/** The writer inside leaves; `entry` records that it writes. `goesOn`: 0 at the end of a turn. */
export function leaveWriter(lock: LineAddress, agent: AgentAddress, entry: EntryAddress, goesOn: i32): Wake | typeof RACED | ElementAddress {
  const office = load64(lock + OFFICE);
  const waiting = waitingOf(office);
  const writers = writersOf(office) - 1;
  const notice = noticeToLeave(lock);
  put64(entry, wide(0));
  if (waiting > 0) {
    if (cas64(lock + OFFICE, office, status(waiting, writers, flagsForReaders(office, notice))) === office) return admitReaders(lock, agent, waiting);
  } else if (hasSuccessor(office)) {
    // Before the compare-and-swap: afterwards the successor may be another writer. Then this one's owner suffers at most a spurious wake-up.
    const element = asElement(load32(lock + SUCCESSOR_AT));
    const flags = goesOn === 0 || (high32(office) & DUE) !== 0 ? FREE_FLAG | SUCCESSOR | DUE : FREE_FLAG | SUCCESSOR;
    if (cas64(lock + OFFICE, office, status(0, writers, notice | flags)) === office) return wakeSuccessor(agent, office, element);
  } else {
    const flags = goesOn === 0 || writers === 0 ? notice : notice | FREE_FLAG | SUCCESSOR;
    if (cas64(lock + OFFICE, office, status(0, writers, flags)) === office) return writers === 0 ? IDLE : admitWriter(lock, agent);
  }
  put64(entry, wide(1));
  return RACED;
}

/** The writer inside becomes a reader, and waiting readers enter with it. FULL: more readers than can be counted. */
export function downgrade(lock: LineAddress, tag: i32, agent: AgentAddress, writer: EntryAddress, reader: EntryAddress): HandOver | typeof SHUT | typeof FULL {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  if (get64(writer) <= wide(0)) return FOREIGN;
  const office = load64(lock + OFFICE);
  const waiting = waitingOf(office);
  if (waiting === MOST) return FULL;
  put64(writer, wide(0));
  if (cas64(lock + OFFICE, office, status(waiting + 1, writersOf(office) - 1, flagsForReaders(office, noticeToLeave(lock)))) !== office) {
    put64(writer, wide(1));
    return RACED;
  }
  credit(reader, wide(1));
  return waiting > 0 ? admitReaders(lock, agent, waiting) : IDLE;
}
