// What would break if one line of the resizable semaphore were wrong.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const file = 'kernel/resizable.ts';
const waits = 'kernel/resizable-waits.ts';
const cancels = 'kernel/resizable-cancel.ts';
const watches = 'kernel/resizable-watch.ts';

export const RESIZABLE_MUTANTS: readonly Mutant[] = [
  { name: 'a permit is taken without a comparison', in: 'takeSized', file, find: 'cas64(office + BALANCE, word, minus(word, pair(0, count))) !== word', replace: 'add64(office + BALANCE, pair(0, -count)) === pair(7, 7)', caughtBy: 'resizable: one permit, and two agents that keep it' },
  { name: 'a waiter does not take the free permits into the line', in: 'enqueueSized', file, find: 'free > 0 ? free : 0', replace: '0', caughtBy: 'resizable: two permits, one wants both' },
  { name: 'what a waiter takes into the line is given to no waiter', in: 'enqueueSized', file, find: 'if (taken > 0) announce(home, agent, add64(home + GRANT, wide(taken)), taken);', replace: '', caughtBy: 'resizable: three permits, and each wants two' },
  { name: 'what a waiter takes into the line is not announced', in: 'enqueueSized', file, find: 'if (taken > 0) announce(home, agent, add64(home + GRANT, wide(taken)), taken);', replace: 'if (taken > 0) add64(home + GRANT, wide(taken));', caughtBy: 'resizable: two permits, three agents of different wishes' },
  { name: 'the line gets permits before the debt is paid', in: 'addToBalance', file, find: 'clamp(sum, low32(word))', replace: 'clamp(wide(count), low32(word))', caughtBy: 'resizable: the debt is paid before the waiter' },
  { name: 'a release leaves the permits of the waiters free', in: 'addToBalance', file, find: 'clamp(sum, low32(word))', replace: 'clamp(wide(0), low32(word))', caughtBy: 'resizable: a release by another agent' },
  { name: 'what the line is given is still lacking', in: 'addToBalance', file, find: 'low32(word) - given', replace: 'low32(word)', caughtBy: 'resizable: a release by another agent' },
  { name: 'the balance keeps what the line is given', in: 'addToBalance', file, find: 'minus(sum, wide(given))', replace: 'sum', caughtBy: 'resizable: a release by another agent' },
  { name: 'a release is not announced in the line', in: 'addToBalance', file, find: 'told = announce(home, agent, add64(home + GRANT, wide(given)), given)', replace: 'add64(home + GRANT, wide(given))', caughtBy: 'resizable: a release by another agent' },
  { name: 'a release that loses a race stays debited', in: 'releaseSized', file, find: 'if (given === RACED || given === OVERFLOW) takeBack(home, entry, more, own, theirs);', replace: '', caughtBy: 'resizable: what a dead agent held pays the debt' },
  { name: 'a resize that loses a race counts twice', in: 'resizeSized', file, find: 'if (given === RACED || given === OVERFLOW) add64(home + CAPACITY, minus(wide(0), by));', replace: '', caughtBy: 'resizable: two agents set the size while one holds' },
  { name: 'a size is set without a comparison', in: 'resizeSized', file, find: 'if (cas64(home + CAPACITY, before, after) !== before) return RACED;', replace: 'add64(home + CAPACITY, minus(after, load64(home + CAPACITY)));', caughtBy: 'resizable: two agents set the size' },
  { name: 'forgotten permits count as permits', in: 'forgetSized', file, find: 'add64(home + CAPACITY, wide(-count));', replace: '', caughtBy: 'resizable: forgotten permits' },
  { name: 'forgotten permits are still held', in: 'forgetSized', file, find: 'put64(entry + ENTRY_HELD, minus(get64(entry + ENTRY_HELD), wide(own)));', replace: '', caughtBy: 'resizable: death of the agent that forgets' },
  { name: 'permits that reach a waiter that is counted no more are lost', in: 'passOn', file: waits, find: 'add64(home + GRANT, wide(count))', replace: 'load64(home + GRANT)', caughtBy: 'resizable: the permit of one that gives up' },
  { name: 'permits that reach a waiter that is counted no more are announced to none', in: 'passOn', file: waits, find: 'if (count === 1) announce(home, agent, from, 1); else beginPost(agent, home, from, load64(home + TICKET), count);', replace: '', caughtBy: 'resizable: the permit of one that gives up' },
  { name: 'a cancel takes permits that came before', in: 'hasLost', file: waits, find: 'low32(minus(plus(get64(element + AT), wide(get32(element + COUNT))), word)) > 0', replace: 'true', caughtBy: 'resizable: a permit before the cancel is for the waiter' },
  { name: 'a waiter parks and does not look for a cancel', in: 'parkSized', file: waits, find: 'gate !== LINKED || isFreed(element) || !isCancelled(element)', replace: 'true', caughtBy: 'resizable: a waiter is cancelled' },
  { name: 'a waiter notes the cancels after it is counted', in: 'enqueueSized', file, find: 'put32(element + CANCELS_SEEN, seen);', replace: 'put32(element + CANCELS_SEEN, high32(load64(office + CANCELLED_AT)));', caughtBy: 'resizable: a waiter is cancelled' },
  { name: 'a cancel wakes no waiter', in: 'walkSized', file: cancels, find: 'rewake(agent, element)', replace: '0', caughtBy: 'resizable: a waiter is cancelled' },
  { name: 'a cancel visits one element', in: 'walkSized', file: cancels, find: 'isLast ? pair(get32(pool + POOL_NEXT), 0) : pair(pool, index + 1)', replace: 'wide(0)', caughtBy: 'resizable: two waiters are cancelled' },
  { name: 'the visits of a cancel are not in the record', in: 'cancelAllSized', file: cancels, find: 'put32(agent + AGENT_DUTY_KIND, KIND_SIZED);', replace: '', caughtBy: 'resizable: a waiter is cancelled' },
  { name: 'a cancel notes GRANT as it was at first', in: 'cancelAllSized', file: cancels, find: 'low32(load64(home + GRANT))', replace: '0', caughtBy: 'resizable: a permit before the cancel is for the waiter' },
  { name: 'an agent that waits for a free permit does not say so', in: 'watchSized', file: watches, find: 'if (mayWait !== 0) store32(office + WATCHED, 1);', replace: '', caughtBy: 'resizable: a free permit is seen and not taken' },
  { name: 'an agent says that it waits for a free permit after it has looked', in: 'watchSized', file: watches, find: 'if (mayWait !== 0) store32(office + WATCHED, 1); const round = load64(office + GRANT); if (high32(load64(office + BALANCE)) >= count) return TAKEN;', replace: 'const round = load64(office + GRANT); if (high32(load64(office + BALANCE)) >= count) return TAKEN; if (mayWait !== 0) store32(office + WATCHED, 1);', caughtBy: 'resizable: a free permit is seen and not taken' },
  { name: 'an agent reads the round after it has looked for a free permit', in: 'watchSized', file: watches, find: 'const round = load64(office + GRANT); if (high32(load64(office + BALANCE)) >= count) return TAKEN; return mayWait === 0 ? WAITING : queue(agent, office, tag, 1, round);', replace: 'if (high32(load64(office + BALANCE)) >= count) return TAKEN; const round = load64(office + GRANT); return mayWait === 0 ? WAITING : queue(agent, office, tag, 1, round);', caughtBy: 'resizable: a free permit is seen and not taken' },
  { name: 'a free permit is not shown', in: 'addToBalance', file, find: 'count > 0 && free > wide(0) && showFree(office, agent) === NEEDS_WALK', replace: 'false', caughtBy: 'resizable: a free permit is seen and not taken' },
  { name: 'a free permit is shown while there is a debt', in: 'addToBalance', file, find: 'count > 0 && free > wide(0) && showFree(office, agent) === NEEDS_WALK', replace: 'count > 0 && showFree(office, agent) === NEEDS_WALK', caughtBy: 'resizable: the debt is not seen' },
  { name: 'a wait for two free permits ends with one', in: 'Watch.isOver', find: 'this.#permits === 1 || this.#isFree', replace: 'true', caughtBy: 'resizable: two permits are seen' },
  { name: 'what a dead agent held is lost', in: 'SizedPermits.giveBack', file, find: 'addToBalance(home, agent, permits) !== RACED', replace: 'permits !== RACED', caughtBy: 'resizable: death of one of two' },
  { name: 'a recovery that loses a race loses the permits', in: 'SizedPermits.giveBack', file, find: 'put64(entry + ENTRY_HELD, held);', replace: '', caughtBy: 'resizable: what a dead agent held pays the debt' },
  { name: 'a waiter that gives up stays counted', in: 'uncount', file: waits, find: 'minus(word, wide(lacked))', replace: 'word', caughtBy: 'resizable: one may give up' },
  { name: 'a waiter that gives up takes off more than is lacking', in: 'uncount', file: waits, find: 'lacking < count ? lacking : count', replace: 'count', caughtBy: 'resizable: one that collects may give up' },
  { name: 'what a waiter lacked stays in the line when it takes its ticket', in: 'uncount', file: waits, find: 'if (lacked > 0) announce(home, agent, add64(home + GRANT, wide(lacked)), lacked);', replace: '', caughtBy: 'resizable: one that collects may give up' },
  { name: 'what a waiter lacked is passed over and not announced', in: 'uncount', file: waits, find: 'if (lacked > 0) announce(home, agent, add64(home + GRANT, wide(lacked)), lacked);', replace: 'if (lacked > 0) add64(home + GRANT, wide(lacked));', caughtBy: 'resizable: two that collect different numbers may give up' },
  { name: 'a waiter that gives up takes permits that it lacked', in: 'uncount', file: waits, find: 'count - lacked', replace: 'count', caughtBy: 'resizable: one that collects may give up' },
  { name: 'a waiter that gives up keeps what it collected', in: 'stepsOf', file: 'resizable-kind.ts', find: 'untilWon(() => releaseSized(home, tag, agent, entry, back))', replace: '0', caughtBy: 'resizable: one that collects may give up' },
  { name: 'what a waiter releases is posted over what it lacked', in: 'stepsOf', file: 'resizable-kind.ts', find: 'context.finishWalk();', replace: '', caughtBy: 'resizable: one that lacks several gives up what it collected' },
  { name: 'a cancelled waiter keeps permits that come later', in: 'pollSized', file: waits, find: 'if (hasLost(element)) return LATE;', replace: '', caughtBy: 'resizable: a permit after the cancel is not for a cancelled waiter' },
  { name: 'several permits that reach a waiter that is counted no more are announced as one', in: 'passOn', file: waits, find: 'beginPost(agent, home, from, load64(home + TICKET), count)', replace: 'announce(home, agent, from, 1)', caughtBy: 'resizable: two permits of one that gives up' },
  { name: 'a second cancel revokes the first', in: 'hasLost', file: waits, find: 'if (since !== 1) return true;', replace: '', caughtBy: 'resizable: a second cancel does not revoke the first' },
  { name: 'a cancel that meets a close leaves its visits in the record', in: 'ResizableSemaphore.cancelWaiters', find: 'context.finishWalk(); if (cancelled === SHUT) throw this.shut();', replace: 'if (cancelled === SHUT) throw this.shut(); context.finishWalk();', caughtBy: 'resizable: a cancel that loses a race and then meets a close' },
  { name: 'a waiter that has lost takes the permits that are there', in: 'leaveGuarded', file: waits, find: 'isDue(element, gate) && !late', replace: 'isDue(element, gate)', caughtBy: 'resizable: a permit after the cancel is not for a cancelled waiter' },
  { name: 'a waiter that has lost takes the permits that are under way', in: 'uncount', file: waits, find: 'lacked === 0 && !late', replace: 'lacked === 0', caughtBy: 'resizable: a permit after the cancel is not for a cancelled waiter' },
  {
    name: 'a cancelled waiter waits on',
    in: 'pollSized',
    file: waits,
    find: 'isCancelled(element) ? LATE : WAITING',
    replace: 'WAITING',
    also: { in: 'parkSized', file: waits, find: 'gate !== LINKED || isFreed(element) || !isCancelled(element)', replace: 'true' },
    caughtBy: 'resizable: a waiter is cancelled',
  },
];
