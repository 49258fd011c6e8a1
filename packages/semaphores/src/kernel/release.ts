// What a release does at the first line of every semaphore of this package. What follows differs from semaphore to
// semaphore.

import {
  add64,
  BLOCK_TAG,
  cas64,
  debit,
  get32,
  get64,
  giveMore,
  GRANT,
  LIMIT,
  load32,
  load64,
  minus,
  NOTED,
  OVER_BOUND,
  plus,
  RACED,
  SHUT,
  takeBack,
  TICKET,
  wide,
  type AgentAddress,
  type EntryAddress,
  type LineAddress,
  type NotifyAddress,
  type Release,
  type Wake,
} from '@sluice/core/kernel';

/** The end of a release: a word to notify, or as at the core's semaphore. */
export type Tell = Wake | NotifyAddress;
export type ReleaseOrTell = Release | NotifyAddress;

/** What differs from semaphore to semaphore. */
export interface Post {
  /**
   * GRANT was `before`, and `count` was added. IDLE: done. NEEDS_WALK: run the walk. Otherwise a word to notify; then
   * run the walk.
   */
  tell(sem: LineAddress, tag: i32, agent: AgentAddress, before: i64, count: i32): Tell;
}

/** Releases permits. SHUT, results as of `Post.tell`. OVER_BOUND, RACED: only with a bound. */
export function releaseBy<Way extends Post>(
  way: Way,
  sem: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  count: i32,
): ReleaseOrTell {
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  if (get32(sem + LIMIT) !== 0) return releaseBounded(way, sem, tag, agent, entry, count);
  const more = wide(count);
  if (!debit(entry, more)) giveMore(sem, entry, more, get64(entry), load64(sem + GRANT));
  return way.tell(sem, tag, agent, add64(sem + GRANT, more), count);
}

function releaseBounded<Way extends Post>(
  way: Way,
  sem: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  count: i32,
): ReleaseOrTell {
  const more = wide(count);
  const before = load64(sem + GRANT);
  if (plus(minus(before, load64(sem + TICKET)), more) > wide(get32(sem + LIMIT))) return OVER_BOUND;
  // Meaningful only if there is an entry.
  const own = get64(entry === 0 ? sem : entry);
  const theirs = debit(entry, more) ? NOTED : giveMore(sem, entry, more, own, before);
  if (cas64(sem + GRANT, before, plus(before, more)) !== before) {
    if (entry !== 0) takeBack(sem, entry, more, own, theirs);
    return RACED;
  }
  return way.tell(sem, tag, agent, before, count);
}
