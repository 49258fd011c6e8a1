// Mutants of a lock manager's requests: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const STOLEN = 'a lock is stolen';
const HOLDER_WAITS = 'a lock is stolen while a request of its holder waits';
const AT_ONCE = 'a lock is stolen while a request of its holder waits, and another wants it only at once';
const LATER = 'a lock is stolen while a request of its holder waits, and another comes later';

export const LOCKS_MUTANTS: readonly Mutant[] = [
  {
    name: 'an exclusive request takes one permit',
    in: 'permitsOf',
    find: "mode === 'exclusive' ? ALL : 1",
    replace: '1',
    caughtBy: 'two agents request a lock',
  },
  {
    name: 'a request that wants the lock only at once waits',
    in: 'OpenRequest.begin',
    find: 'if (ifAvailable) this.#line = lines.tryTake(this.#request, this);',
    replace: 'if (ifAvailable) return this.#enter();',
    caughtBy: 'a request that wants the lock only at once while its agent holds it',
  },
  {
    name: 'a request that wants the lock only at once overtakes one that has not moved yet',
    in: 'OpenRequest.begin',
    find: 'lines.tryTake(this.#request, this)',
    replace: 'lines.tryTake(this.#request, { mayDraw: () => true })',
    caughtBy: AT_ONCE,
  },
  {
    name: 'a request of an agent overtakes one that has not moved yet',
    in: 'LockLines.#ifNext',
    find: 'drawer.mayDraw()',
    replace: 'true',
    caughtBy: LATER,
  },
  {
    name: 'a request looks for earlier ones that have not moved before it owns the mutex of the table',
    in: 'OpenRequest.#enter',
    find: 'lines.draw(this.#request, this, this.#granted, this.#refused)',
    replace:
      '((may) => lines.draw(this.#request, { mayDraw: () => may }, this.#granted, this.#refused))(this.mayDraw())',
    caughtBy: LATER,
  },
  {
    name: 'a request that waits for an earlier one is not told that it has left',
    in: 'WaitingRequests.remove',
    find: 'tell(place);',
    replace: '',
    caughtBy: LATER,
  },
  {
    name: 'a request keeps its place after it has the lock',
    in: 'OpenRequest.#hold',
    find: 'this.#leavePlace();',
    replace: '',
    caughtBy: 'two agents request a lock',
  },
  {
    name: 'a request whose wait was ended by a steal fails',
    in: 'OpenRequest.#leave',
    find: "if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;",
    replace: 'throw failure;',
    caughtBy: HOLDER_WAITS,
  },
  {
    name: 'a request that was aborted never settles',
    in: 'OpenRequest.#leave',
    find: "if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;",
    replace: "if (!hasCode(failure, 'SLUICE_CLOSED')) return;",
    caughtBy: 'a request may be aborted',
  },
  {
    name: 'a request that leaves a line does not free it',
    in: 'OpenRequest.#leave',
    find: 'if (this.#line !== undefined) lines.leave(this.#line, this.#request.name);',
    replace: '',
    caughtBy: 'a request may be aborted',
  },
  {
    name: 'a request whose lock was stolen resolves',
    in: 'OpenRequest.#end',
    find: 'if (!this.#parts.keys.isThere(line)) this.onStolen();',
    replace: '',
    caughtBy: STOLEN,
  },
  {
    name: 'a request releases its lock only if it was not stolen',
    in: 'OpenRequest.#end',
    find: 'this.#parts.lines.release(line, name, mode);',
    replace: 'if (this.#parts.keys.isThere(line)) this.#parts.lines.release(line, name, mode);',
    caughtBy: STOLEN,
  },
  {
    name: 'a steal does not end the old line',
    in: 'LockLines.steal',
    find: 'endLine(this.#keys.blocks.refOf(entry));',
    replace: '',
    caughtBy: HOLDER_WAITS,
  },
  {
    name: 'a thief does not take the new lock',
    in: 'LockLines.steal',
    find: 'taken.semaphore.tryAcquire(ALL);',
    replace: '',
    caughtBy: STOLEN,
  },
  {
    name: 'a steal does not free an old line that is unused by then',
    in: 'LockLines.steal',
    find: 'this.#tidy(old, name);',
    replace: '',
    caughtBy: 'a lock that stays is stolen',
  },
  {
    name: 'a release without the mutex does not free a line that was replaced meanwhile',
    in: 'LockLines.release',
    find: 'if (!table.stays(line.entry)) this.leave(line, name);',
    replace: '',
    caughtBy: 'a lock that stays is stolen',
  },
  {
    name: 'a line that another agent has freed is freed again',
    in: 'LockLines.#tidy',
    find: 'if (this.#tagOf(entry) !== tag) return;',
    replace: '',
    caughtBy: 'a lock that stays is stolen',
  },
  {
    name: 'a line is freed while agents use it',
    in: 'LockLines.#tidy',
    find: 'else if (this.#keys.blocks.isFree(entry, true)) this.#keys.blocks.free(entry);',
    replace: 'else this.#keys.blocks.free(entry);',
    caughtBy: 'a lock is stolen while a request of another agent waits',
  },
  {
    name: 'the end of a line is not announced to its holders',
    in: 'endLine',
    find: 'ref.context.parking.notify(ref.address + BLOCK_TAG);',
    replace: '',
    caughtBy: 'the holder learns of the theft while it holds the lock',
  },
  {
    name: 'a holder that comes after the end of its line is not told',
    in: 'watch',
    file: 'web-locks/request-queue.ts',
    find: 'holding.onStolen()',
    replace: 'undefined',
    caughtBy: 'the holder learns of the theft while it holds the lock',
  },
  {
    name: 'a line that was watched once is not watched again',
    in: 'watch',
    file: 'web-locks/request-queue.ts',
    find: 'line.isWatched = false',
    replace: '',
    caughtBy: 'the holder learns of the theft while it holds the lock',
  },
];

export const LOCKS_DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'a line that was replaced before its thief died is not ended',
    in: 'LINES',
    file: 'request-queue.ts',
    find: 'abandon: endLine',
    replace: 'abandon: () => undefined',
    caughtBy: 'a thief may die while a request waits',
  },
];
