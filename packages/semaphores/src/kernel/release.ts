// Releases permits to a priority semaphore and to the semaphores of @sluice/classics. The release adds the permits to
// GRANT of the semaphore's first line. Then each kind of semaphore announces them to its waiters in its own way
// (`Post`).

import {
  BLOCK_TAG,
  GRANT,
  LIMIT,
  OVER_BOUND,
  RACED,
  SHUT,
  TICKET,
  type AgentAddress,
  type EntryAddress,
  type LineAddress,
  type NotifyAddress,
  type Release,
  type Wake,
} from '@sluice/core/format';
import {
  add64,
  cas64,
  debit,
  get32,
  get64,
  giveMore,
  load32,
  load64,
  minus,
  NOTED,
  plus,
  takeBack,
  wide,
} from '@sluice/core/kernel';

/** The result of a release: the address of a word to notify, or a result of the core's semaphore. */
export type Tell = Wake | NotifyAddress;
export type ReleaseOrTell = Release | NotifyAddress;

/** The part of a release that differs between the kinds of semaphore. */
export interface Post {
  /**
   * Announces `count` permits that the release has just added to GRANT. `before` is the value of GRANT before the
   * addition. Returns IDLE, or NEEDS_WALK if the caller must run the walk, or the address of a word to notify. After
   * such a notification the caller must also run the walk.
   */
  tell(line: LineAddress, tag: i32, agent: AgentAddress, before: i64, count: i32): Tell;
}

/**
 * Releases permits. Returns SHUT, or the results of `Post.tell`. OVER_BOUND and RACED are possible only with a bound.
 */
export function releaseBy<Way extends Post>(
  way: Way,
  line: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  count: i32,
): ReleaseOrTell {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  if (get32(line + LIMIT) !== 0) return releaseBounded(way, line, tag, agent, entry, count);
  const more = wide(count);
  if (!debit(entry, more)) giveMore(line, entry, more, get64(entry), load64(line + GRANT));
  return way.tell(line, tag, agent, add64(line + GRANT, more), count);
}

function releaseBounded<Way extends Post>(
  way: Way,
  line: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  count: i32,
): ReleaseOrTell {
  const more = wide(count);
  const before = load64(line + GRANT);
  if (plus(minus(before, load64(line + TICKET)), more) > wide(get32(line + LIMIT))) return OVER_BOUND;
  // This value is meaningful only if there is an entry.
  const own = get64(entry === 0 ? line : entry);
  const theirs = debit(entry, more) ? NOTED : giveMore(line, entry, more, own, before);
  if (cas64(line + GRANT, before, plus(before, more)) !== before) {
    if (entry !== 0) takeBack(line, entry, more, own, theirs);
    return RACED;
  }
  return way.tell(line, tag, agent, before, count);
}
