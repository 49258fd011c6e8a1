// The fields of a read-write lock's word OFFICE, and permits for the agents that it counts (rw-lock.ts).

import {
  asLine,
  BLOCK_LINE,
  CONSISTENT,
  GRANT,
  HEALTH,
  type AgentAddress,
  type LineAddress,
  type Wake,
} from '@sluice/core/format';
import { add64, announce, field21, high32, load32, pair, plus, shifted, wide } from '@sluice/core/kernel';
import { ASLEEP, DUE, FREE_FLAG, MAX_READERS, MAX_WRITERS, SUCCESSOR } from './layout.ts';

export const WAITING_AT: i32 = 21;
export const WRITERS_AT: i32 = 42;
/** One writer, in the high half. */
export const WRITER: i32 = 1024; // 1 << (WRITERS_AT - 32)
/** A bit of the high half: HEALTH has a message. */
const NOTICE: i32 = 1 << 31;
/** All bits of the high half that are not a count. */
const FLAGS_ALL: i32 = FREE_FLAG | SUCCESSOR | ASLEEP | DUE | NOTICE;
const OF_SUCCESSOR: i32 = FREE_FLAG | SUCCESSOR | ASLEEP | DUE;

export function readersOf(office: i64): i32 {
  return field21(office, 0);
}
export function waitingOf(office: i64): i32 {
  return field21(office, WAITING_AT);
}
/** Returns the number of writers inside, on their way in, or waiting. */
export function writersOf(office: i64): i32 {
  return field21(office, WRITERS_AT) & MAX_WRITERS;
}
export function flagsOf(office: i64): i32 {
  return high32(office) & FLAGS_ALL;
}
/** Returns the bits that concern the successor. */
export function successorOf(office: i64): i32 {
  return high32(office) & OF_SUCCESSOR;
}
export function hasSuccessor(office: i64): boolean {
  return (high32(office) & SUCCESSOR) !== 0;
}
export function isAsleep(office: i64): boolean {
  return (high32(office) & ASLEEP) !== 0;
}
export function isDue(office: i64): boolean {
  return (high32(office) & DUE) !== 0;
}
/** Whether there is no writer and no notice. */
export function isForReaders(office: i64): boolean {
  return high32(office) >>> (WRITERS_AT - 32) === 0;
}
/**
 * Whether another reader can be counted. Waiting readers become readers at the latest when the writers are gone, so the
 * sum of both must fit.
 */
export function hasRoomToRead(office: i64): boolean {
  return readersOf(office) + waitingOf(office) < MAX_READERS;
}
/**
 * Whether a writer is inside, or on its way in with a permit. Otherwise the lock is free for writers, or readers are
 * inside.
 */
export function isWritten(office: i64): boolean {
  return readersOf(office) === 0 && writersOf(office) > 0 && (high32(office) & FREE_FLAG) === 0;
}
/** Whether a turn is under way: any writer may enter before the successor does. */
export function isInTurn(office: i64): boolean {
  return (high32(office) & (FREE_FLAG | DUE)) === FREE_FLAG;
}
/** Whether the lock is on its way to the successor. */
export function isHanded(office: i64): boolean {
  return readersOf(office) === 0 && (high32(office) & (FREE_FLAG | DUE)) === (FREE_FLAG | DUE);
}
/** Returns the word without waiting readers. `flags` go to the high half. */
export function status(readers: i32, writers: i32, flags: i32): i64 {
  return plus(plus(wide(readers), shifted(writers, WRITERS_AT)), pair(0, flags));
}
export function noticeOf(office: i64): i32 {
  return high32(office) & NOTICE;
}
export function noticeToLeave(lock: LineAddress): i32 {
  return load32(lock + HEALTH) === CONSISTENT ? 0 : NOTICE;
}
/**
 * Returns the flags to set when the writer inside admits readers. A successor, if there is one, gets the lock after
 * these readers.
 */
export function flagsForReaders(office: i64, notice: i32): i32 {
  return hasSuccessor(office) ? notice | FREE_FLAG | DUE | (high32(office) & (SUCCESSOR | ASLEEP)) : notice;
}
export function admitReaders(lock: LineAddress, agent: AgentAddress, count: i32): Wake {
  return announce(lock, agent, add64(lock + GRANT, wide(count)), count);
}
export function admitWriter(lock: LineAddress, agent: AgentAddress): Wake {
  const bouncer = asLine(lock + BLOCK_LINE);
  return announce(bouncer, agent, add64(bouncer + GRANT, wide(1)), 1);
}
