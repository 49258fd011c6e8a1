// Mutants of the source. Each must be caught by the case that it names.

import type { Mutant } from '../../../../core/test/model/mutants.ts';

const file = 'broadcast/src/watch/kernel/watch-cell.ts';
const ROUND = 'the version goes round during a get';

export const MUTANTS: readonly Mutant[] = [
  { name: 'set() leaves the chain where it is', in: 'publishGuarded', file, find: 'detach(agent, bucketOf(cell, word));', replace: '', caughtBy: 'a set and a follower' },
  { name: 'set() detaches the chain of another ticket', in: 'publishGuarded', file, find: 'bucketOf(cell, word)', replace: 'bucketOf(cell, next)', caughtBy: 'two buckets' },
  { name: 'set() runs no walk', in: 'WatchCell.set', find: 'if (published !== IDLE) this.wake(published);', replace: '', caughtBy: 'two writers and a sleeper' },
  { name: 'set() publishes without comparing the word', in: 'publishGuarded', file, find: 'cas64(cell + GRANT, word, next) !== word', replace: 'cas64(cell + GRANT, load64(cell + GRANT), next) === wide(7)', caughtBy: 'two writers' },
  { name: 'set() keeps the slot of the value before', in: 'publishGuarded', file, find: 'add32(cell + FREE_SLOTS, 1 << before);', replace: '', caughtBy: 'a set and a follower' },
  { name: 'set() frees its own slot', in: 'publishGuarded', file, find: '1 << before', replace: '1 << slot', caughtBy: 'a set and a follower' },
  { name: 'a writer takes a slot without comparing', in: 'claimWatchSlot', file, find: 'if (cas32(cell + FREE_SLOTS, free, free & ~bit) !== free) return RACED;', replace: 'cas32(cell + FREE_SLOTS, load32(cell + FREE_SLOTS), free & ~bit);', caughtBy: 'two writers' },
  { name: 'a writer does not count its claim', in: 'claimWatchSlot', file, find: 'add32(slotAt(cell, slot) + CLAIMS, 1);', replace: '', caughtBy: 'two sets and a reader' },
  { name: 'a reader does not compare the claims after its copy', in: 'WatchCell.#read', find: 'this.#confirm(this.#cell, low & SLOT_MASK) === claims', replace: 'true', caughtBy: 'two sets and a reader' },
  { name: 'a reader does not look whether the slot is still the newest', in: 'beginWatchRead', file, find: 'load64(cell + GRANT) === word ? claims : RACED', replace: 'claims', caughtBy: 'two sets and a reader' },
  { name: 'a ticket is due at once', in: 'enqueueAtWatch', file, find: 'queue(agent, cell, tag, 1, word)', replace: 'queue(agent, cell, tag, 1, plus(word, wide(-1)))', caughtBy: 'a set and a follower' },
  { name: 'a ticket is due at the next but one set', in: 'enqueueAtWatch', file, find: 'queue(agent, cell, tag, 1, word)', replace: 'queue(agent, cell, tag, 1, plus(word, wide(32)))', caughtBy: 'a set and a follower' },
  { name: 'a ticket comes from a second look at the word', in: 'enqueueAtWatch', file, find: 'queue(agent, cell, tag, 1, word)', replace: 'queue(agent, cell, tag, 1, load64(cell + GRANT))', caughtBy: 'a set and a follower' },
  { name: 'a waiter does not compare with what it saw', in: 'enqueueAtWatch', file, find: 'if (word !== pair(seenLow, seenHigh) || isClosed(word)) return TAKEN;', replace: '', caughtBy: 'a set and a follower' },
  { name: 'get() does not note what it got', in: 'WatchCell.get', find: 'return this.#note(low, high, packed);', replace: 'return this.#kept.first(low, high, packed);', caughtBy: 'a set and a follower' },
  { name: 'changed() does not note what it got', in: 'WatchCell.#getNewer', find: 'return this.#note(low, high, packed);', replace: 'return this.#kept.first(low, high, packed);', caughtBy: 'two sets and a follower' },
  { name: 'get() returns what it got before, whatever the version', in: 'WatchCell.get', find: 'words.load32(cell + GRANT) === kept.low', replace: 'kept.low !== -1', caughtBy: 'a get after a set' },
  {
    name: 'get() looks at the high half of the word first',
    in: 'WatchCell.get',
    find: 'words.load32(cell + GRANT) === kept.low',
    replace: 'words.load32(cell + GRANT + 4) === kept.high',
    also: { in: 'WatchCell.get', find: 'words.load32(cell + GRANT + 4) === kept.high', replace: 'words.load32(cell + GRANT) === kept.low' },
    caughtBy: ROUND,
  },
  { name: 'get() does not look at the high half of the word', in: 'WatchCell.get', find: 'words.load32(cell + GRANT + 4) === kept.high', replace: 'true', caughtBy: ROUND },
  { name: 'get() keeps a value under the version before', in: 'Kept.first', find: 'this.low = low;', replace: 'this.low = low + 17;', caughtBy: 'a get after a set' },
  { name: 'close() leaves the chain where it is', in: 'closeWatch', file, find: 'detach(agent, bucketOf(cell, word));', replace: '', caughtBy: 'a close and a follower' },
  { name: 'close() runs no walk', in: 'WatchCell.close', find: 'this.wake(orCorrupt(() => untilWon(() => closeWatch(this.#cell, this.#localState.tag, this.#agent))));', replace: 'untilWon(() => closeWatch(this.#cell, this.#localState.tag, this.#agent));', caughtBy: 'a close and a sleeper' },
  { name: 'close() does not compare the word', in: 'closeWatch', file, find: 'cas64(cell + GRANT, word, plus(word, wide(CELL_CLOSED))) !== word', replace: 'cas64(cell + GRANT, load64(cell + GRANT), plus(word, wide(CELL_CLOSED))) === wide(7)', caughtBy: 'a set against a close, and a follower' },
  { name: 'set() does not look whether the cell is closed', in: 'publishGuarded', file, find: 'if (isClosed(word)) return refuseWatchSlot(cell, entry, slot);', replace: '', caughtBy: 'a set against a close, and a follower' },
  { name: 'a set that is refused keeps its slot', in: 'refuseWatchSlot', file, find: 'add32(cell + FREE_SLOTS, 1 << slot);', replace: '', caughtBy: 'a set against a close, and a follower' },
  { name: 'a waiter does not see that the cell is closed', in: 'enqueueAtWatch', file, find: 'word !== pair(seenLow, seenHigh) || isClosed(word)', replace: 'word !== pair(seenLow, seenHigh)', caughtBy: 'a close and a follower' },
  { name: 'the closing passes for a value', in: 'WatchCell.#getNewer', find: '(low & CELL_CLOSED) !== 0', replace: 'false', caughtBy: 'a close and a follower' },
  { name: 'the last value is lost with the closing', in: 'WatchCell.#getNewer', find: 'low >>> VERSION_BITS === before >>> VERSION_BITS', replace: 'true', caughtBy: 'a set before a close, and a follower' },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  { name: 'a refused slot stays recorded', in: 'refuseWatchSlot', file, find: 'put64(entry + ENTRY_HELD, wide(0));', replace: '', caughtBy: 'death of a writer that was refused' },
  { name: 'a claim is not recorded', in: 'claimWatchSlot', file, find: 'put64(entry + ENTRY_HELD, wide(slot + 1));', replace: '', caughtBy: 'death of a writer' },
  { name: 'a published slot stays recorded', in: 'publishGuarded', file, find: 'put64(entry + ENTRY_HELD, wide(0));', replace: '', caughtBy: 'death of a writer' },
  { name: 'a dead writer’s slot stays taken', in: 'restoreWatchSlot', file, find: 'if (held !== 0 && load32(cell + BLOCK_TAG) === get32(entry + ENTRY_TAG)) add32(cell + FREE_SLOTS, 1 << (held - 1));', replace: '', caughtBy: 'death of a writer' },
];
