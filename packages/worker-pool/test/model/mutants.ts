// Mutants of the pool: each changes one line. The case that a mutant names must fail with it. A model that fails for no
// mutant proves nothing.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a worker claims a task in two operations',
    in: 'Claims.take',
    find: 'const seen = this.#words.cas32(this.#at(slot), claimOf(generation, QUEUED), claimOf(generation, BEGUN));',
    replace:
      'const seen = this.#words.load32(this.#at(slot)); this.#words.store32(this.#at(slot), claimOf(generation, BEGUN));',
    caughtBy: 'the pool withdraws one task while one worker takes',
  },
  {
    name: 'a worker runs every entry that it takes, whatever the claim is',
    in: 'Claims.take',
    find: 'seen === claimOf(generation, QUEUED) || seen === claimOf(generation, BEGUN)',
    replace: 'seen !== -1',
    caughtBy: 'the pool withdraws one task while one worker takes',
  },
  {
    name: 'the pool withdraws a task in two operations',
    in: 'Claims.withdraw',
    find: 'const seen = this.#words.cas32(this.#at(slot), claimOf(generation, QUEUED), claimOf(generation, WITHDRAWN));',
    replace:
      'const seen = this.#words.load32(this.#at(slot)); this.#words.store32(this.#at(slot), claimOf(generation, WITHDRAWN));',
    caughtBy: 'the pool withdraws one task while one worker takes',
  },
  {
    name: 'a claim does not name its generation',
    in: 'claimOf',
    find: '(generation << STATE_BITS) | state',
    replace: 'generation === -1 ? 0 : state',
    caughtBy: 'the pool withdraws one task while one worker takes',
  },
  {
    name: 'a worker skips the entry that a dead worker was taking',
    in: 'Claims.take',
    find: 'seen === claimOf(generation, QUEUED) || seen === claimOf(generation, BEGUN)',
    replace: 'seen === claimOf(generation, QUEUED)',
    caughtBy: 'a worker dies while it takes',
  },
];

export const EVENT_COUNT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a notification is not counted',
    in: 'PoolEventCount.notify',
    find: 'this.#words.add32(this.#address, 1);',
    replace: '',
    caughtBy: 'a worker sleeps while the pool queues a task',
  },
  {
    name: 'a sleep does not compare with the notifications that were read before the check',
    in: 'PoolEventCount.waitAsync',
    find: 'this.#parking.waitAsync(this.#address, seen)',
    replace: 'seen === -1 ? undefined : this.#parking.waitAsync(this.#address, this.#words.load32(this.#address))',
    caughtBy: 'a worker sleeps while the pool queues a task',
  },
  {
    name: 'a notification wakes no worker',
    in: 'PoolEventCount.notify',
    find: 'this.#words.add32(this.#address, 1);\n    this.#parking.notify(this.#address, 1);',
    replace: 'this.#words.add32(this.#address, 1);',
    caughtBy: 'a worker sleeps while the pool queues a task',
  },
  {
    name: 'a notification wakes a worker before it is counted',
    in: 'PoolEventCount.notify',
    find: 'this.#words.add32(this.#address, 1);\n    this.#parking.notify(this.#address, 1);',
    replace: 'this.#parking.notify(this.#address, 1);\n    this.#words.add32(this.#address, 1);',
    caughtBy: 'a worker sleeps while the pool queues a task',
  },
  {
    name: 'a resigning leader does not check for tasks',
    in: 'Leadership.resign',
    find: 'tasks.length > 0',
    replace: 'false',
    caughtBy: 'one of two workers is the leader while the pool queues two tasks',
  },
  {
    name: 'a leader checks for tasks before it resigns instead of after it',
    in: 'Leadership.resign',
    find: 'if (this.#words.cas32(this.#address, -worker, 0) !== -worker)',
    replace:
      'if (tasks.length === 0) { this.#words.cas32(this.#address, -worker, 0); this.#words.cas32(this.#address, worker, 0); return; } if (this.#words.cas32(this.#address, -worker, 0) !== -worker)',
    caughtBy: 'one of two workers is the leader while the pool queues two tasks',
  },
  {
    name: 'the pool does not notify while there is a leader',
    in: 'Leadership.announce',
    find: 'leader === 0 || tasks.length > 1',
    replace: 'tasks.length > 2',
    caughtBy: 'one of two workers is the leader while the pool queues two tasks',
  },
  {
    name: 'the pool sends no message to a leader that sleeps',
    in: 'Leadership.announce',
    find: 'return this.#wake(leader);',
    replace: 'return 0;',
    caughtBy: 'a leader sleeps until a message while the pool queues two tasks',
  },
  {
    name: 'a leader sleeps and does not say so',
    in: 'Leadership.fallAsleep',
    find: 'this.#words.cas32(this.#address, worker, -worker);',
    replace: '',
    caughtBy: 'a leader sleeps until a message while the pool queues two tasks',
  },
  {
    name: 'a leader that said that it sleeps stays the leader when it resigns',
    in: 'Leadership.resign',
    find: 'if (this.#words.cas32(this.#address, -worker, 0) !== -worker)',
    replace: '',
    caughtBy: 'a leader sleeps until a message while the pool queues two tasks',
  },
  {
    name: 'a close sends no message to a leader that sleeps',
    in: 'Leadership.wake',
    find: 'return this.#wake(this.#words.load32(this.#address));',
    replace: 'return 0;',
    caughtBy: 'the pool closes the buffer while a leader falls asleep',
  },
  {
    name: 'a leader that looks without a message does not know that it leads',
    in: 'Leadership.tryTake',
    find: ' || seen === -worker',
    replace: '',
    caughtBy: 'a sleeping leader looks without a message',
  },
];

export const WAKE_MESSAGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'the pool sleeps and does not say so',
    in: 'WakeMessage.setAsleep',
    find: 'this.#words.store32(this.#address, 1);',
    replace: '',
    caughtBy: 'two workers put three results in while the pool falls asleep',
  },
  {
    name: 'a worker sends no message although the pool sleeps',
    in: 'WakeMessage.claim',
    find: 'this.#words.cas32(this.#address, 1, 0) === 1',
    replace: 'this.#words.cas32(this.#address, 1, 0) === 0',
    caughtBy: 'two workers put three results in while the pool falls asleep',
  },
  {
    name: 'the pool clears the word and sleeps',
    in: 'WakeMessage.stayAwake',
    find: 'return this.claim();',
    replace: 'this.claim(); return false;',
    caughtBy: 'the pool stays awake twice while two workers put two results in',
  },
  {
    name: 'the pool says that it sleeps while it is to look by itself',
    in: 'WakeMessage.stayAwake',
    find: 'return this.claim();',
    replace: 'const isAwake = this.claim(); if (!isAwake) this.#words.store32(this.#address, 0); return !isAwake;',
    caughtBy: 'the pool stays awake twice while two workers put two results in',
  },
];
