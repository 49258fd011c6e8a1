// Mutants of the source. Each must be caught by the case that it names.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const file = 'broadcast/src/kernel/broadcast.ts';

export const MUTANTS: readonly Mutant[] = [
  { name: 'publish() leaves the chain where it is', in: 'publishAt', file, find: 'detach(agent, bucketOf(stream, word));', replace: '', caughtBy: 'two buckets, from the second value' },
  { name: 'publish() detaches the chain of another ticket', in: 'publishAt', file, find: 'bucketOf(stream, word)', replace: 'bucketOf(stream, plus(word, wide(POSITION_STEP)))', caughtBy: 'two buckets' },
  { name: 'publish() runs no walk', in: 'Broadcast.#publishNow', find: 'this.wake(published);', replace: '', caughtBy: 'two publishers and a sleeper' },
  { name: 'publish() writes the index without comparing', in: 'publishAt', file, find: 'cas64(index, before, pair((held >> SPARE_BITS) - 1, position)) !== before', replace: 'cas64(index, load64(index), pair((held >> SPARE_BITS) - 1, position)) === wide(7)', caughtBy: 'two publishers' },
  { name: 'publish() does not look which value the entry has', in: 'publishAt', file, find: 'if (high32(before) !== ((position - get32(stream + RING_MASK) - 1) | 0)) return RACED;', replace: '', caughtBy: 'two publishers of two values, a ring of one' },
  { name: 'publish() keeps the slot of the value that it replaced', in: 'publishAt', file, find: 'store32(spareOf(stream, held & (SPARES - 1)), low32(before) + 1);', replace: '', caughtBy: 'a value and its subscriber' },
  { name: 'publish() makes its own slot spare', in: 'publishAt', file, find: 'low32(before) + 1', replace: 'held >> SPARE_BITS', caughtBy: 'a value and its subscriber' },
  { name: 'publish() does not increase the word', in: 'publishAt', file, find: 'cas64(stream + GRANT, word, plus(word, wide(POSITION_STEP)))', replace: 'load64(stream + GRANT)', caughtBy: 'a value and its subscriber' },
  { name: 'publish() increases the word again after a helper', in: 'publishAt', file, find: 'cas64(stream + GRANT, word, plus(word, wide(POSITION_STEP)))', replace: 'add64(stream + GRANT, wide(POSITION_STEP))', caughtBy: 'two publishers' },
  { name: 'publish() does not look whether the broadcast is closed', in: 'publishInRing', file, find: 'if (isEnded(word)) return refusePublisher(stream, entry);', replace: '', caughtBy: 'a value against the end, and a subscriber' },
  { name: 'publish() does not see that the end came before its value', in: 'publishAt', file, find: 'if (found === plus(word, wide(STREAM_CLOSED))) return SHUT;', replace: '', caughtBy: 'a value against the end, and a subscriber' },
  { name: 'publish() that is refused runs no walk', in: 'Broadcast.#publishNow', find: 'this.context.finishWalk();', replace: '', caughtBy: 'two publishers against the end, and a sleeper' },
  { name: 'a publisher that is refused keeps its slot', in: 'refusePublisher', file, find: 'store32(spareOf(stream, held & (SPARES - 1)), held >> SPARE_BITS);', replace: '', caughtBy: 'a value against the end, and a subscriber' },
  { name: 'a helper increases the word without comparing', in: 'helpPublisher', file, find: 'cas64(stream + GRANT, word, plus(word, wide(POSITION_STEP)));', replace: 'add64(stream + GRANT, wide(POSITION_STEP));', caughtBy: 'two publishers' },
  { name: 'a publisher takes a slot without comparing', in: 'claimBroadcastSlot', file, find: 'if (cas32(spareOf(stream, place), spare, 0) !== spare) return RACED;', replace: 'store32(spareOf(stream, place), 0);', caughtBy: 'two publishers' },
  { name: 'a reader does not look at the entry after its copy', in: 'confirmBroadcastRead', file, find: 'add64(indexOf(stream, positionIn(at)), wide(0)) !== pair(slot, positionIn(at))', replace: 'false', caughtBy: 'two publishers and a reader of a value, a ring of one' },
  { name: 'close() leaves the chain where it is', in: 'closeBroadcast', file, find: 'detach(agent, bucketOf(stream, word));', replace: '', caughtBy: 'a value and its subscriber' },
  { name: 'close() does not compare the word', in: 'closeBroadcast', file, find: 'cas64(stream + GRANT, word, plus(word, wide(STREAM_CLOSED))) !== word', replace: 'cas64(stream + GRANT, load64(stream + GRANT), plus(word, wide(STREAM_CLOSED))) === wide(7)', caughtBy: 'a value against the end, and a subscriber' },
  { name: 'close() runs no walk', in: 'Broadcast.close', find: 'this.wake(orCorrupt(() => untilWon(() => step(this.#stream, this.#localState.tag, this.#agent))));', replace: 'untilWon(() => step(this.#stream, this.#localState.tag, this.#agent));', caughtBy: 'an end against an end, and a sleeper' },
  { name: 'a ticket is due at once', in: 'enqueueAtBroadcast', file, find: 'queue(agent, stream, tag, 1, word)', replace: 'queue(agent, stream, tag, 1, plus(word, wide(-1)))', caughtBy: 'an abort' },
  { name: 'a ticket is due at the next but one value', in: 'enqueueAtBroadcast', file, find: 'queue(agent, stream, tag, 1, word)', replace: 'queue(agent, stream, tag, 1, plus(word, wide(POSITION_STEP)))', caughtBy: 'an abort' },
  { name: 'a ticket comes from a second look at the word', in: 'enqueueAtBroadcast', file, find: 'queue(agent, stream, tag, 1, word)', replace: 'queue(agent, stream, tag, 1, load64(stream + GRANT))', caughtBy: 'an abort' },
  { name: 'a subscriber does not compare with its position', in: 'enqueueAtBroadcast', file, find: 'if (word !== pair(atLow, atHigh)) return TAKEN;', replace: '', caughtBy: 'a value and its subscriber' },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  { name: 'a claim is not recorded', in: 'claimBroadcastSlot', file, find: 'put32(entry + ENTRY_HELD, heldAs(spare, place));', replace: '', caughtBy: 'death of a publisher' },
  { name: 'a published slot stays recorded', in: 'publishAt', file, find: 'put32(entry + ENTRY_HELD, 0);', replace: '', caughtBy: 'death of a publisher' },
  { name: 'a slot that was refused stays recorded', in: 'refusePublisher', file, find: 'put32(entry + ENTRY_HELD, 0);', replace: '', caughtBy: 'death of a publisher that was refused' },
  { name: 'a dead publisher’s slot stays taken', in: 'restoreBroadcastSlot', file, find: 'if (held !== 0 && load32(stream + BLOCK_TAG) === get32(entry + ENTRY_TAG)) store32(spareOf(stream, held & (SPARES - 1)), held >> SPARE_BITS);', replace: '', caughtBy: 'death of a publisher' },
];

export const ASYNC_MUTANTS: readonly Mutant[] = [
  { name: 'a call keeps the value of an earlier one', in: 'Calls.give', file: 'broadcast/src/calls.ts', find: 'this.#open)', replace: '[finder])', caughtBy: 'async calls that begin between a value and its wake-up' },
  { name: 'a call with a value waits for the next one', in: 'Subscription.#takeInTurn', find: 'if (call.outcome === undefined) this.#giveNext(call);', replace: 'this.#giveNext(call);', caughtBy: 'async calls that begin between a value and its wake-up' },
  { name: 'a call takes a value while an earlier one waits', in: 'Subscription.#takeLater', find: 'this.#calls.isEmpty ? this.#take() : NONE', replace: 'this.#take()', caughtBy: 'async calls that begin between a value and its wake-up' },
  { name: 'a call that finds no value ends', in: 'Subscription.#giveNext', find: 'if (packed === NONE) return;', replace: '', caughtBy: 'two async calls of one subscription' },
  { name: 'close() runs no walk', in: 'Broadcast.close', find: 'this.wake(orCorrupt(() => untilWon(() => step(this.#stream, this.#localState.tag, this.#agent))));', replace: 'untilWon(() => step(this.#stream, this.#localState.tag, this.#agent));', caughtBy: 'an async call and the end' },
];
