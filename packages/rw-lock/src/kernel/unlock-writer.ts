// Steps by which a writer leaves a read-write lock: within its turn, at the end of its turn, or as a reader. States and
// invariants are in rw-lock.ts.

import {
  asElement,
  BLOCK_TAG,
  FLAG_TURNS,
  FLAGS,
  FOREIGN,
  IDLE,
  OFFICE,
  OVERFLOW,
  RACED,
  SHUT,
  SUCCESSOR_AT,
  TURN,
  type AgentAddress,
  type ElementAddress,
  type EntryAddress,
  type HandOver,
  type LineAddress,
  type Unlock,
  type Wake,
} from '@sluice/core/format';
import {
  cas64,
  credit,
  get32,
  get64,
  load32,
  load64,
  pair,
  plus,
  put32,
  put64,
  shifted,
  wide,
  hasPassesLeft,
} from '@sluice/core/kernel';
import { DUE, FREE_FLAG, MAX_READERS, SUCCESSOR } from './layout.ts';
import {
  WRITER,
  WRITERS_AT,
  admitReaders,
  admitWriter,
  flagsForReaders,
  flagsOf,
  hasSuccessor,
  isDue,
  noticeToLeave,
  status,
  waitingOf,
  writersOf,
} from './word.ts';
import { wakeSuccessor } from './unlock-reader.ts';

/**
 * The writer leaves if there is no notice, and either no agent waits or its turn continues with the successor awake.
 * Returns FOREIGN if this agent does not write. Returns RACED if an agent has to be admitted or woken, or if there is a
 * notice.
 *
 * @step `unlockWriter`, `handOverWriter`
 * @takes The write lock. It becomes free, also for the rest of a turn. Or all waiting readers get it (they become
 *   readers in the same CAS; `GRANT` + their number). Or the next writer gets it (`GRANT` + 1), or the successor, which
 *   is woken
 * @leaves `ENTRY_HELD` 0 first, or 1 again if the CAS lost; the chain or range as in `release`; `AGENT_NOTIFY`
 * @death Walk; notify
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
  if (!hasPassesLeft(turn)) return false;
  put32(lock + TURN, turn - 1);
  return cas64(lock + OFFICE, office, plus(office, pair(0, FREE_FLAG - WRITER))) === office;
}

/**
 * Unlocks a writer on the contended path. Waiting readers enter. If there are none, the lock stays free for the rest of
 * a turn, or goes to the writer that has waited longest. `ends` is not 0 at the end of a turn.
 *
 * Returns FOREIGN if this agent does not write, RACED if it lost a race: call again, and NEEDS_WALK if other agents
 * enter: run the walk. Returns an element if that is a successor's, which must be notified.
 */
export function handOverWriter(
  lock: LineAddress,
  agent: AgentAddress,
  entry: EntryAddress,
  ends: i32,
): HandOver | ElementAddress {
  if (get64(entry) <= wide(0)) return FOREIGN;
  return unlockOrHandOver(lock, agent, entry, ends === 0 ? get32(lock + FLAGS) & FLAG_TURNS : 0);
}

/** The writer inside leaves; `entry` records it. `continues` is 0 at the end of a turn. */
export function unlockOrHandOver(
  lock: LineAddress,
  agent: AgentAddress,
  entry: EntryAddress,
  continues: i32,
): Wake | typeof RACED | ElementAddress {
  const office = load64(lock + OFFICE);
  const waiting = waitingOf(office);
  const writers = writersOf(office) - 1;
  const notice = noticeToLeave(lock);
  put64(entry, wide(0));
  if (waiting > 0) {
    if (cas64(lock + OFFICE, office, status(waiting, writers, flagsForReaders(office, notice))) === office)
      return admitReaders(lock, agent, waiting);
  } else if (hasSuccessor(office)) {
    // Lost wake-up, owner side: read this before the compare-and-swap. Afterwards the successor may be another writer,
    // and the owner of this element has at most one spurious wake-up. Pairs with `parkInTurns`, which writes
    // SUCCESSOR_AT before ASLEEP.
    const element = asElement(load32(lock + SUCCESSOR_AT));
    const flags = continues === 0 || isDue(office) ? FREE_FLAG | SUCCESSOR | DUE : FREE_FLAG | SUCCESSOR;
    if (cas64(lock + OFFICE, office, status(0, writers, notice | flags)) === office)
      return wakeSuccessor(agent, office, element);
  } else {
    const flags = continues === 0 || writers === 0 ? notice : notice | FREE_FLAG | SUCCESSOR;
    if (cas64(lock + OFFICE, office, status(0, writers, flags)) === office)
      return writers === 0 ? IDLE : admitWriter(lock, agent);
  }
  put64(entry, wide(1));
  return RACED;
}

/**
 * The writer inside becomes a reader, and waiting readers enter with it. Returns OVERFLOW if there are more readers
 * than can be counted.
 *
 * @takes As `handOverWriter`, with this agent as one of the readers
 * @leaves `ENTRY_HELD` of both lines
 * @death `restore`; walk
 */
export function downgradeWriter(
  lock: LineAddress,
  tag: i32,
  agent: AgentAddress,
  writer: EntryAddress,
  reader: EntryAddress,
): HandOver | typeof SHUT | typeof OVERFLOW {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  if (get64(writer) <= wide(0)) return FOREIGN;
  const office = load64(lock + OFFICE);
  const waiting = waitingOf(office);
  if (waiting === MAX_READERS) return OVERFLOW;
  put64(writer, wide(0));
  if (
    cas64(
      lock + OFFICE,
      office,
      status(waiting + 1, writersOf(office) - 1, flagsForReaders(office, noticeToLeave(lock))),
    ) !== office
  ) {
    put64(writer, wide(1));
    return RACED;
  }
  credit(reader, wide(1));
  return waiting > 0 ? admitReaders(lock, agent, waiting) : IDLE;
}
