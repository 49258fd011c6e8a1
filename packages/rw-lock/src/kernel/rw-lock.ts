// Steps at the box office of a read-write lock, after Preshing's NonRecursiveRWLock. Its block has two lines: the box
// office and the readers' bouncer, then the writers' bouncer.
//
// OFFICE, one 64-bit word
//
//   bits 0-20   readers    inside, or on their way in
//   bits 21-41  waiting    readers that wait for a writer
//   bits 42-58  writers    inside, on its way in, or waiting
//   bit 59      FREE_FLAG  no writer is inside or on its way in; a successor competes, or comes after the readers
//                          inside
//   bit 60      SUCCESSOR  one writer, the longest that waits, got a permit and competes with the writers that run
//   bit 61      ASLEEP     the successor sleeps
//   bit 62      DUE        the turn is over: the lock goes to the successor
//   bit 63      NOTICE     HEALTH has a message: the fast paths do not check it
//
// The numbers of readers and writers tell which agents are inside:
//
//   readers 0, writers 0              none
//   readers n, writers 0              readers; more may enter
//   readers n, writers k              readers, and k writers wait: a new reader waits behind them. With a successor
//                                     also FREE_FLAG and DUE
//   readers 0, writers k              one writer, or on its way in; k - 1 wait
//   readers 0, writers k, FREE_FLAG   none. k writers wait, one of them the successor. With DUE the lock is on its way
//                                     to the successor
//
//   readers + 1                        [lockReader, enqueueReader]   writers is 0
//   waiting + 1                        [enqueueReader]               writers is not 0; then a ticket at the readers'
//                                                                    bouncer
//   readers - n                        [removeReaders]               at 0 readers the successor gets the lock, or the
//                                                                    next writer gets one permit
//   writers + 1                        [lockWriter, enqueueWriter]   then a ticket at the writers' bouncer, unless no
//                                                                    agent was inside
//   writers + 1, FREE_FLAG off         [lockWriter, enqueueWriter]   a writer enters in a turn
//   writers - 1                        [unlockOrHandOver,            waiting readers become readers, or the next writer
//                                      unlockWriter, downgradeWriter] gets one permit
//   writers - 1, FREE_FLAG, SUCCESSOR  [unlockOrHandOver]            'turns', and no reader waits: then one permit for
//                                                                    a successor, unless there is one already
//   writers - 1, FREE_FLAG             [unlockWriter]                'turns', no reader waits, and the successor is
//                                                                    awake
//   writers - 1, FREE_FLAG, DUE        [unlockOrHandOver]            the end of a turn
//   FREE_FLAG and SUCCESSOR off        [compete]                     the successor enters
//   ASLEEP, DUE                        [parkWriter, makeWriterDue]   the successor, only while other agents are inside
//   waiting - 1                        [uncount]                     a waiting reader cancels
//   writers - 1                        [uncount, resign]             a waiting writer cancels; after the last one
//                                                                    waiting readers become readers
//
// Readers that were waiting get one permit each at the readers' bouncer. With `downgradeWriter` the caller becomes a
// reader, too. If readers enter while there is a successor, it gets DUE. A step that gives the lock to a successor, or
// ends the turn before it, wakes the successor if it is ASLEEP.
//
// A turn begins when a writer unlocks, other writers wait, no reader waits, and there is no successor. TURN records the
// agent whose turn it is. That agent may lock the lock for writing whenever it is free. Another writer waits in line.
// It takes a free lock, and the turn with it, only if no pass happens between two looks and none has happened in the
// turn (core: `turnToTake`). The turn ends when the successor has waited for half a millisecond, when its agent has
// used it up (core: turn.ts), or with the first unlock that finds a waiting reader.
//
// INVARIANTS
//
//   1. While readers is not 0, no writer is inside. While readers is 0, writers is not 0, and FREE_FLAG is off, exactly
//      one writer is inside or on its way in.
//   2. While writers is 0, waiting is 0. So a reader that finds no writer overtakes no agent.
//   3. A bouncer releases permits only for agents that the word counts: as readers, as the first writer, or as the
//      successor. So no permit is left over. At most one permit of the writers' bouncer is under way.
//   4. FREE_FLAG, ASLEEP and DUE are set only with SUCCESSOR. While readers is not 0 and SUCCESSOR is set, FREE_FLAG
//      and DUE are set, too. So no writer passes the successor after readers have entered, and each unlock of a writer
//      that finds waiting readers admits them.
//   5. While readers is 0 and FREE_FLAG is on, the successor is awake, or is being woken, or sleeps for at most 0.05 ms
//      between two looks. It sleeps longer only after it has set ASLEEP, and it sets ASLEEP only while other agents are
//      inside. So a free lock with waiters is taken, by the successor if by no other agent.
//   6. With 'fifo' there is no SUCCESSOR.
//
// NO WAKE-UP IS LOST. `enqueueReader` and `enqueueWriter` count the waiter W in OFFICE by a compare-and-swap, then draw
// its ticket. The agent R that leaves changes the same word (`removeReaders`: an addition; `unlockOrHandOver`: a
// compare-and-swap), reads the count in the word before, and then adds to GRANT (`admitWriter`, `admitReaders`). If W
// did not compare the word, the last reader R could miss a writer W:
//
//   1. W reads OFFICE: one reader, no writer.
//   2. R leaves. The word before had no writer, so R releases no permit.
//   3. W adds itself to the writers, draws a ticket, and sleeps. OFFICE now says that one writer is inside, but none
//      is.
//
// With the comparison, W finds at step 3 that OFFICE has changed, and enters. A sleeping successor is found as at a
// mutex (core: kernel/successor-in-turns.ts). Only `removeReaders` reads SUCCESSOR_AT after it has changed OFFICE: its
// addition does not compare the word, and a successor may set ASLEEP while readers are inside. If R read SUCCESSOR_AT
// first (the mutant "the last reader reads the successor before it leaves"), the successor could write SUCCESSOR_AT and
// ASLEEP between the read and the addition. R would find ASLEEP, and wake no agent.
//
// A writer that leaves admits all waiting readers. If no reader waits, its turn goes on, or it admits the next writer.
// The last reader admits the next writer. So readers and writers alternate, and neither side starves:
//
//   - A reader waits for the readers inside, if any, and for one writer: the first unlock of a writer after its arrival
//     admits it.
//   - A writer with w writers before it waits for at most w + 1 turns of half a millisecond, and after each of them for
//     the readers that waited at its end.

import {
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  NOT_SEEN,
  OFFICE,
  OVERFLOW,
  OWNER,
  RACED,
  SHUT,
  SUCCEEDS,
  TAKEN,
  TURN,
  TURN_TAKEN,
  WAITING,
  type AgentAddress,
  type Enqueue,
  type EntryAddress,
  type LineAddress,
  type Poll,
  type Try,
} from '@sluice/core/format';
import {
  cas64,
  credit,
  draw,
  get32,
  isTurnOf,
  load32,
  load64,
  pair,
  plus,
  put32,
  put64,
  shifted,
  turnOf,
  wide,
} from '@sluice/core/kernel';
import { FREE_FLAG, MAX_READERS, MAX_WRITERS } from './layout.ts';
import {
  WAITING_AT,
  WRITER,
  WRITERS_AT,
  hasRoomToRead,
  isForReaders,
  isInTurn,
  noticeOf,
  readersOf,
  writersOf,
} from './word.ts';

/**
 * Enters to read if no writer is inside or waiting and there is no notice. Otherwise returns WAITING. Returns RACED if
 * another reader entered or left.
 *
 * @step `lockReader`, `lockWriter`, `enqueueReader`, `enqueueWriter`
 * @takes A read or write lock: readers or writers + 1 in `OFFICE`; or a place: waiting or writers + 1, then a ticket
 * @leaves `ENTRY_HELD` + 1 of that line; or the ticket as in `acquire`
 * @death `restore`; or cancelled
 */
export function lockReader(lock: LineAddress, tag: i32, entry: EntryAddress): Try {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(lock + OFFICE);
  if (!isForReaders(office) || readersOf(office) === MAX_READERS) return WAITING;
  if (cas64(lock + OFFICE, office, plus(office, wide(1))) !== office) return RACED;
  credit(entry, wide(1));
  return TAKEN;
}

/**
 * Enqueues a reader on the contended path, and returns the agent's spare element, QUEUED. The agent must have a spare.
 * Returns WAITING if the reader would have to wait and `mayWait` is 0, OVERFLOW if there are more readers than can be
 * counted, and RACED if it lost a race: call again.
 */
export function enqueueReader(
  lock: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  mayWait: i32,
): Enqueue | typeof OVERFLOW {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(lock + OFFICE);
  if (!hasRoomToRead(office)) return OVERFLOW;
  if (writersOf(office) === 0) {
    if (cas64(lock + OFFICE, office, plus(office, wide(1))) !== office) return RACED;
    credit(entry, wide(1));
    return TAKEN;
  }
  if (mayWait === 0) return WAITING;
  // Lost wake-up, reader side: count the reader, then draw its ticket. Pairs with `handOverWriter`, which takes the
  // count and then adds it to GRANT: a reader that was counted finds the permit, whenever it draws.
  if (cas64(lock + OFFICE, office, plus(office, shifted(1, WAITING_AT))) !== office) return RACED;
  return draw(lock, tag, agent);
}

/**
 * Enters to write if no agent is inside, there is no notice, and either no agent waits or it is this agent's turn.
 * Otherwise returns WAITING.
 */
export function lockWriter(lock: LineAddress, tag: i32, id: i32, entry: EntryAddress): Poll {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = cas64(lock + OFFICE, wide(0), shifted(1, WRITERS_AT));
  if (office !== wide(0) && !lockInTurn(lock, office, id)) return WAITING;
  credit(entry, wide(1));
  return TAKEN;
}

function lockInTurn(lock: LineAddress, office: i64, id: i32): boolean {
  if (!isInTurn(office) || noticeOf(office) !== 0 || writersOf(office) === MAX_WRITERS) return false;
  return (
    isTurnOf(load32(lock + TURN), id) &&
    cas64(lock + OFFICE, office, plus(office, pair(0, WRITER - FREE_FLAG))) === office
  );
}

/**
 * Enqueues a writer on the contended path, and returns the agent's spare element, QUEUED. The agent must have a spare.
 * In another agent's turn the writer enters only if no pass has happened since the caller read `seen` from TURN, or if
 * `mayWait` is 0. Returns WAITING if the writer would have to wait and `mayWait` is 0, OVERFLOW if there are more
 * writers than can be counted, and RACED if it lost a race: call again.
 */
export function enqueueWriter(
  lock: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  mayWait: i32,
  seen: i32,
): Enqueue | typeof OVERFLOW {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(lock + OFFICE);
  const writers = writersOf(office);
  if (writers === MAX_WRITERS) return OVERFLOW;
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
  // Lost wake-up, writer side: count the writer, then draw its ticket. Pairs with `removeReaders` and `handOverWriter`,
  // which read the count and then add a permit to GRANT: a writer that was counted finds it, whenever it draws.
  if (cas64(lock + OFFICE, office, plus(office, shifted(1, WRITERS_AT))) !== office) return RACED;
  const element = draw(asLine(lock + BLOCK_LINE), tag, agent);
  put64(element + SUCCEEDS, wide(0));
  return element;
}
