// Mutants of a broadcast whose publishers wait. Each must be caught by the case that it names.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const held = 'broadcast/src/kernel/held.ts';
const marks = 'broadcast/src/kernel/marks.ts';

export const WAIT_MUTANTS: readonly Mutant[] = [
  { name: 'a publisher does not compare with its limit', in: 'hasRoom', file: held, find: 'load64(marks + SUBSCRIBED) === subscribed && minus(limit, word) > wide(0)', replace: 'load64(marks + SUBSCRIBED) === subscribed', caughtBy: 'a publisher and a subscription' },
  { name: 'a publisher does not look whether a mark was taken', in: 'hasRoom', file: held, find: 'load64(marks + SUBSCRIBED) === subscribed && minus(limit, word) > wide(0)', replace: 'minus(limit, word) > wide(0)', caughtBy: 'a publisher and a subscription' },
  { name: 'a publisher loads the word again after the check', in: 'publishInRoom', file: held, find: 'publishAt(stream, agent, entry, word)', replace: 'publishAt(stream, agent, entry, load64(stream + GRANT))', caughtBy: 'two publishers of two values and a subscription' },
  { name: 'a publisher checks only before it takes a slot', in: 'publishInRoom', file: held, find: 'if ((turn === 0 && isTurnOut(stream)) || !hasRoom(marks, word, subscribed, limit)) { refusePublisher(stream, entry); return WAITING; }', replace: '', caughtBy: 'two publishers and a subscription' },
  { name: 'a publisher that finds no room keeps its slot', in: 'publishInRoom', file: held, find: 'refusePublisher(stream, entry); return WAITING;', replace: 'return WAITING;', caughtBy: 'two publishers and a subscription' },
  { name: 'the limit is one value too high', in: 'endBroadcastScan', file: held, find: 'plus(lowest, lapOf(stream))', replace: 'plus(plus(lowest, lapOf(stream)), wide(2))', caughtBy: 'a publisher and a subscription' },
  { name: 'the look takes the highest mark', in: 'scanBroadcastMark', file: held, find: 'minus(at, lowest) >= wide(0)', replace: 'minus(at, lowest) < wide(0)', caughtBy: 'a publisher and a subscription' },
  { name: 'the look passes over a subscription that is about to begin', in: 'scanBroadcastMark', file: held, find: 'if (!isEntering(at) && (isEntering(lowest) || minus(at, lowest) >= wide(0))) return AGAIN;', replace: 'if (isEntering(at) || minus(at, lowest) >= wide(0)) return AGAIN;', caughtBy: 'a subscription that comes and goes' },
  { name: 'the look loads SUBSCRIBED after the marks', in: 'endBroadcastScan', file: held, find: 'const lowest = get64(seen + SEEN_LIMIT);', replace: 'const lowest = get64(seen + SEEN_LIMIT); put64(seen + SEEN_SUBSCRIBED, load64(stream + 384));', caughtBy: 'a publisher and a subscription' },
  { name: 'a publisher sleeps without a look at the mark', in: 'enqueueInRoom', file: held, find: 'if (isEnded(word) || !holdsBack(stream, markAt(marks, n), word)) return TAKEN;', replace: 'if (isEnded(word)) return TAKEN;', caughtBy: 'a publisher and a subscription' },
  { name: 'a publisher does not say which mark it waits for', in: 'enqueueInRoom', file: held, find: 'store32(marks + WANTED, n + 1);', replace: '', caughtBy: 'a publisher and a subscription' },
  { name: 'a publisher looks at the mark before it says that it waits', in: 'enqueueInRoom', file: held, find: 'if (isEnded(word) || !holdsBack(stream, markAt(marks, n), word)) return TAKEN; if (mayWait === 0) return WAITING;', replace: 'if (isEnded(word)) return TAKEN; if (mayWait === 0) return WAITING; if (!holdsBack(stream, markAt(marks, n), word)) return TAKEN; store32(marks + WANTED, 0); store32(marks + WANTED, n + 1);', caughtBy: 'a publisher and a subscription' },
  { name: 'a publisher does not look whether the broadcast is closed', in: 'enqueueInRoom', file: held, find: 'isEnded(word) || !holdsBack(stream, markAt(marks, n), word)', replace: '!holdsBack(stream, markAt(marks, n), word)', caughtBy: 'a publisher that waits against the end' },
  { name: 'the ticket of a publisher is loaded after the mark', in: 'enqueueInRoom', file: held, find: 'queue(agent, room, tag, 1, ticket)', replace: 'queue(agent, room, tag, 1, load64(room + GRANT))', caughtBy: 'a publisher and a subscription' },
  { name: 'a subscription does not wake the publisher', in: 'callIfWanted', file: marks, find: 'callPublisher(stream, agent);', replace: '', caughtBy: 'a publisher and a subscription' },
  { name: 'a subscription wakes the publisher before it moves its mark', in: 'passGuarded', file: marks, find: 'return callIfWanted(stream, agent, marks, n) === NEEDS_WALK ? NEEDS_WALK : TAKEN;', replace: 'return TAKEN;', caughtBy: 'a publisher and a subscription' },
  { name: 'a subscription takes WANTED back after it has woken the publisher', in: 'callIfWanted', file: marks, find: 'if (cas32(marks + WANTED, n + 1, 0) !== n + 1) return IDLE; callPublisher(stream, agent);', replace: 'callPublisher(stream, agent); store32(marks + WANTED, 0);', caughtBy: 'a publisher of three values and a subscription, a ring of two' },
  { name: 'the wake-up of a publisher detaches no chain', in: 'callPublisher', file: marks, find: 'detach(agent, bucketOf(room, add64(room + GRANT, wide(1))));', replace: 'add64(room + GRANT, wide(1));', caughtBy: 'a publisher and a subscription' },
  { name: 'a subscription runs no walk', in: 'Mark.pass', file: 'broadcast/src/mark.ts', find: 'if (passed === NEEDS_WALK) context.finishWalk();', replace: '', caughtBy: 'a publisher and a subscription that is closed' },
  { name: 'a mark does not move', in: 'passGuarded', file: marks, find: 'store64(markAt(marks, n) + MARK_AT, next);', replace: '', caughtBy: 'a publisher and a subscription' },
  { name: 'a mark moves before the copy', in: 'Subscription.#take', find: 'const packed = this.#slots.read(slot);', replace: 'this.#mark?.pass(low, high); const packed = this.#slots.read(slot);', caughtBy: 'two publishers of three values and a subscription' },
  { name: 'a mark is taken without comparing', in: 'takeGuarded', file: marks, find: 'if (cas32(mark + MARK_OWNER, 0, get32(agent + OWNER)) !== 0) { put32(entry + ENTRY_HELD + 4, held); return OCCUPIED; }', replace: 'store32(mark + MARK_OWNER, get32(agent + OWNER));', caughtBy: 'a publisher and two subscriptions' },
  { name: 'a subscription does not say that it took a mark', in: 'takeGuarded', file: marks, find: 'add64(marks + SUBSCRIBED, wide(1));', replace: '', caughtBy: 'a publisher and a subscription' },
  { name: 'a subscription loads where it begins before it says so', in: 'takeGuarded', file: marks, find: 'add64(marks + SUBSCRIBED, wide(1)); const next = unread(load64(stream + GRANT), wide(0));', replace: 'const next = unread(load64(stream + GRANT), wide(0)); add64(marks + SUBSCRIBED, wide(1));', caughtBy: 'a publisher and a subscription' },
  { name: 'a subscription to the oldest begins at the oldest in the index', in: 'takeGuarded', file: marks, find: 'const kept = minus(lapOf(stream), wide(POSITION_STEP));', replace: 'const kept = lapOf(stream);', caughtBy: 'a publisher and a subscription' },
  { name: 'a subscription that has begun does not wake the publisher', in: 'takeGuarded', file: marks, find: 'return callIfWanted(stream, agent, marks, n) === NEEDS_WALK ? NEEDS_WALK : TAKEN;', replace: 'return TAKEN;', caughtBy: 'a subscription that begins beside a publisher' },
  { name: 'a subscription that is closed does not wake the publisher', in: 'freeGuarded', file: marks, find: 'const called = callIfWanted(stream, agent, marks, n);', replace: 'const called = 0 - 10;', caughtBy: 'a publisher and a subscription that is closed' },
  { name: 'a mark keeps its position when it is freed', in: 'clearMark', file: marks, find: 'store64(mark + MARK_AT, wide(ENTERING));', replace: '', caughtBy: 'a subscription that takes over a mark' },
  { name: 'close() of a subscription keeps the mark', in: 'Subscription.close', find: 'this.#mark?.free();', replace: '', caughtBy: 'a publisher and a subscription that is closed' },
  { name: 'close() does not wake the publisher with the turn', in: 'closeGuarded', file: held, find: 'add64(stream - ROOM_BEFORE + GRANT, wide(1));', replace: '', caughtBy: 'a publisher that waits against the end' },
  { name: 'close() tells no waiter', in: 'closeGuarded', file: held, find: 'put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);', replace: '', caughtBy: 'a publisher and a subscription, four buckets' },
  { name: 'a publisher keeps the turn', in: 'Publishers.publish', find: 'this.#giveTurnBack();', replace: '', caughtBy: 'two publishers and a subscription' },
];

export const WAIT_DEATH_MUTANTS: readonly Mutant[] = [
  { name: 'a mark is not counted', in: 'takeGuarded', file: marks, find: 'put32(entry + ENTRY_HELD + 4, held + 1);', replace: '', caughtBy: 'death of a subscription' },
  { name: 'a dead agent keeps its marks', in: 'freeDeadGuarded', file: marks, find: 'if (load32(mark + MARK_OWNER) === get32(agent + OWNER)) clearMark(mark);', replace: '', caughtBy: 'death of a subscription' },
  { name: 'the recovery of a subscription does not wake the publisher', in: 'freeDeadGuarded', file: marks, find: 'callPublisher(stream, agent);', replace: '', caughtBy: 'death of a subscription' },
  { name: 'the recovery forgets the marks before it has freed them', in: 'freeDeadGuarded', file: marks, find: 'return AGAIN;', replace: 'put32(entry + ENTRY_HELD + 4, 0); return AGAIN;', caughtBy: 'death of a subscription' },
];

export const WAIT_ASYNC_MUTANTS: readonly Mutant[] = [
  { name: 'a newcomer does not get in line', in: 'isTurnOut', file: held, find: 'minus(load64(turn + GRANT), load64(turn + TICKET)) <= wide(0)', replace: 'false', caughtBy: 'an async call that begins while another one waits' },
  { name: 'an async call keeps the turn', in: 'Publishers.publishAsync', find: 'return this.#giveTurnBack();', replace: 'return;', caughtBy: 'async calls that publish, and a subscription' },
  { name: 'an async call that gives up keeps the turn', in: 'Publishers.publishAsync', find: 'if (state.hasTurn) this.#giveTurnBack();', replace: '', caughtBy: 'async calls that publish, of which one may be aborted' },
];
