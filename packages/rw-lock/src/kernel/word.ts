// The fields of a read-write lock's word OFFICE, and permits for the agents that it counts (rw-lock.ts).

import {
  add64,
  announce,
  asLine,
  BLOCK_LINE,
  CONSISTENT,
  field21,
  GRANT,
  HEALTH,
  high32,
  load32,
  plus,
  shifted,
  wide,
  type AgentAddress,
  type LineAddress,
  type Wake,
} from '@sluice/core/kernel';

/** A field's width is 21 bits. */
export const MOST: i32 = 0x1fffff;
export const WAITING_AT: i32 = 21;
export const WRITERS_AT: i32 = 42;
const NOTICE_AT: i32 = 63;

export function readersOf(office: i64): i32 {
  return field21(office, 0);
}
export function waitingOf(office: i64): i32 {
  return field21(office, WAITING_AT);
}
export function writersOf(office: i64): i32 {
  return field21(office, WRITERS_AT);
}
export function noticeOf(office: i64): i32 {
  return high32(office) < 0 ? 1 : 0;
}
/** No writer and no notice. */
export function isForReaders(office: i64): boolean {
  return high32(office) >>> (WRITERS_AT - 32) === 0;
}
/** Waiting readers become readers when the writers are gone, if not before. So the sum of both must fit. */
export function hasRoomToRead(office: i64): boolean {
  return readersOf(office) + waitingOf(office) < MOST;
}
export function status(readers: i32, writers: i32, notice: i32): i64 {
  return plus(plus(wide(readers), shifted(writers, WRITERS_AT)), shifted(notice, NOTICE_AT));
}
export function noticeToLeave(lock: LineAddress): i32 {
  return load32(lock + HEALTH) === CONSISTENT ? 0 : 1;
}
export function admitReaders(lock: LineAddress, agent: AgentAddress, count: i32): Wake {
  return announce(lock, agent, add64(lock + GRANT, wide(count)), count);
}
export function admitWriter(lock: LineAddress, agent: AgentAddress): Wake {
  const bouncer = asLine(lock + BLOCK_LINE);
  return announce(bouncer, agent, add64(bouncer + GRANT, wide(1)), 1);
}
