// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves nothing.
// Files are named from the core's src.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a worker looks at the claim and then writes it',
    in: 'Claims.take',
    find: 'const seen = this.#words.cas32(this.#at(slot), claimOf(offer, QUEUED), claimOf(offer, BEGUN));',
    replace: 'const seen = this.#words.load32(this.#at(slot)); this.#words.store32(this.#at(slot), claimOf(offer, BEGUN));',
    caughtBy: 'one task is withdrawn beside one worker',
  },
  {
    name: 'a worker runs what it takes, whatever the claim says',
    in: 'Claims.take',
    find: 'seen === claimOf(offer, QUEUED) || seen === claimOf(offer, BEGUN)',
    replace: 'seen !== -1',
    caughtBy: 'one task is withdrawn beside one worker',
  },
  {
    name: 'the pool withdraws without comparing',
    in: 'Claims.withdraw',
    find: 'const seen = this.#words.cas32(this.#at(slot), claimOf(offer, QUEUED), claimOf(offer, WITHDRAWN));',
    replace: 'const seen = this.#words.load32(this.#at(slot)); this.#words.store32(this.#at(slot), claimOf(offer, WITHDRAWN));',
    caughtBy: 'one task is withdrawn beside one worker',
  },
  {
    name: 'a claim does not name its offer',
    in: 'claimOf',
    find: '(offer << STATE_BITS) | state',
    replace: 'offer === -1 ? 0 : state',
    caughtBy: 'one task is withdrawn beside one worker',
  },
  {
    name: 'a worker leaves what one that died was taking',
    in: 'Claims.take',
    find: 'seen === claimOf(offer, QUEUED) || seen === claimOf(offer, BEGUN)',
    replace: 'seen === claimOf(offer, QUEUED)',
    caughtBy: 'a worker dies while it takes',
  },
];

export const BELL_MUTANTS: readonly Mutant[] = [
  {
    name: 'a ring is not counted',
    in: 'Bell.ring',
    find: 'this.#words.add32(this.#address, 1);',
    replace: '',
    caughtBy: 'a worker sleeps while the pool puts a task in',
  },
  {
    name: 'a sleep does not compare with the rings that were read before the look',
    in: 'Bell.sleep',
    find: 'this.#parking.waitAsync(this.#address, seen)',
    replace: 'seen === -1 ? undefined : this.#parking.waitAsync(this.#address, this.#words.load32(this.#address))',
    caughtBy: 'a worker sleeps while the pool puts a task in',
  },
  {
    name: 'a ring wakes no worker',
    in: 'Bell.ring',
    find: 'this.#words.add32(this.#address, 1);\n    this.#parking.notify(this.#address, 1);',
    replace: 'this.#words.add32(this.#address, 1);',
    caughtBy: 'a worker sleeps while the pool puts a task in',
  },
  {
    name: 'a ring notifies before it counts',
    in: 'Bell.ring',
    find: 'this.#words.add32(this.#address, 1);\n    this.#parking.notify(this.#address, 1);',
    replace: 'this.#parking.notify(this.#address, 1);\n    this.#words.add32(this.#address, 1);',
    caughtBy: 'a worker sleeps while the pool puts a task in',
  },
  {
    name: 'a worker that leaves the post does not look for tasks',
    in: 'Post.leave',
    find: 'tasks.length > 0',
    replace: 'false',
    caughtBy: 'one of two workers has the post while the pool puts two tasks in',
  },
  {
    name: 'a worker looks for tasks and then leaves the post',
    in: 'Post.leave',
    find: 'this.#words.cas32(this.#address, worker, 0);',
    replace: 'if (tasks.length === 0) { this.#words.cas32(this.#address, worker, 0); return; } this.#words.cas32(this.#address, worker, 0);',
    caughtBy: 'one of two workers has the post while the pool puts two tasks in',
  },
  {
    name: 'the pool does not ring while the post is taken',
    in: 'Post.announce',
    find: 'tasks.length > 1 || this.#words.load32(this.#address) === 0',
    replace: 'tasks.length > 2',
    caughtBy: 'one of two workers has the post while the pool puts two tasks in',
  },
];
