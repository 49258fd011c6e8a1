// @ts-check
// The tests that a short run leaves out (depth.mjs).

/**
 * Tests of one file. `begin`: how the full name of each begins; `names`: how it ends.
 * @typedef {{ file: string, begin?: string, names: readonly string[] }} LongTests
 */

/** Cases of models that take 0.4 s or more of a core, and that no mutant names. @type {readonly LongTests[]} */
const CASES = [
  {
    file: 'packages/core/test/async.model.ts', begin: 'async model: ',
    names: [
      'death of an agent whose first of two async waits may be aborted', 'death of an agent with two async waits',
      'the first of three async waits wants two permits, which come one by one', 'the first of two async waits wants two permits and may be aborted',
      'the second of three async waits may be aborted, and one permit comes', 'three async waits get three permits of one release',
      'two async waits of one agent, a blocking one',
    ],
  },
  {
    file: 'packages/bounded-buffer/test/async.model.ts', begin: 'async buffer model: ',
    names: [
      'a close beside a value and async pops', 'a close beside two values and async pops', 'a close while async pops wait',
      'a loop that is left beside another agent', 'an agent at both sides', 'an async close beside a pop and a push that may be aborted',
      'an async close while async pushes wait', 'an async pop may be aborted beside a blocking one', 'async pops of two agents',
      'async pushes of two agents', 'death of an agent with a turn', 'death of an agent with an async pop',
      'death of an agent with two async pops before another', 'many values at once', 'the second of two async pops may be aborted',
      'two async pushes of one agent',
    ],
  },
  {
    file: 'packages/bounded-buffer/test/bounded-buffer.model.ts', begin: 'buffer model: ',
    names: [
      'a producer may give up', 'a waiter for two units may give up', 'all of three may give up', 'both may give up', 'death of a consumer',
      'death of a consumer before another', 'death of a consumer beside one that may give up', 'death of a consumer that comes twice',
      'death of a producer and of a consumer', 'death of a producer before a close', 'death of a producer before another',
      'death of a producer that waits', 'death of one that wants two units', 'death of the closing agent', 'int32, beside many at once',
      'int32, death of a consumer', 'int32, death of a consumer before another', 'int32, death of a producer',
      'int32, death of a producer before another', 'int32, newcomers behind the line', 'int32, positions from 4294967295',
      'int32, room for 2, one and one', 'many at once', 'many at once beside others', 'of two consumers both may give up',
      'positions from 4294967295', 'positions from 9223372036854775807', 'room for 1, two and one',
    ],
  },
  {
    file: 'packages/barrier/test/barrier.model.ts', begin: 'barrier model: ',
    names: [
      'a reset beside the death of a sleeper', 'death of a party and of its reclaimer', 'death of a party that is claimed and waits', 'three parties',
      'two parties in two generations',
    ],
  },
  {
    file: 'packages/capacitor/test/capacitor.model.ts', begin: 'capacitor model: ',
    names: [
      'B = 2, both may give up', 'B = 2, death of one of two', 'counters from 9007199254740991', 'death of one that is inside twice',
      'lanes, death of the agent that admits and of its reclaimer', 'lanes, death of the agent that admits two', 'lock, B = 1, death of one of two',
      'the only one in line leaves, and one comes', 'turnstile, B = 1, three agents', 'turnstile, B = 2, comes back',
      'turnstile, a task in line behind its own agent, another may give up', 'turnstile, an abort',
      'turnstile, an agent is late in the turn of another', 'turnstile, comes back in the turn of another', 'turnstile, death inside or outside',
      'turnstile, one of two may give up twice', 'turnstile, two tasks inside',
    ],
  },
  {
    file: 'packages/semaphores/test/composite.model.ts', begin: 'composite model: ',
    names: [
      'lightweight over chain: two may give up, and a release of two', 'lightweight over semaphore: two may give up, and a release of two',
      'multilane of address: a drain of all lanes while as many come as it would take, and one more',
      'multilane of address: death of one that drains all lanes', 'multilane of address: death of one that drains all lanes, and one may give up',
      'multilane of address: no release, and two give up',
      'multilane of chain: a drain of all lanes while as many come as it would take, and one more',
      'multilane of chain: death of one that drains all lanes, and one may give up',
      'multilane of semaphore: a drain of all lanes while as many come as it would take, and one more',
      'multilane of semaphore: death of one that drains all lanes, and one may give up',
      'multilane of semaphore: one comes back while its number is taken back', 'multilane of semaphore: three agents',
      'multilane of semaphore: two come back', 'multilane of semaphore: two may give up, and a release of three',
    ],
  },
  {
    file: 'packages/core/test/death.model.ts', begin: 'death model: ',
    names: [
      'death of a lock’s owner and of its heir', 'death of a reclaimer without an element', 'death of an async waiter',
      'death of one of three agents that may give up', 'death of one of three agents, mixed weights', 'death of one of three agents, two buckets',
      'death of one that holds against one that may give up', 'death of one that may give up', 'death of one that wants both permits',
      'death while another wants both permits', 'death with a bounded semaphore', 'two reclaimers at once and a waiter',
      'what a dead reclaimer had begun',
    ],
  },
  {
    file: 'packages/auto-reset-event/test/auto-reset-event.model.ts', begin: 'event model: ',
    names: [
      'a signal beside a wait of the same agent', 'death of a waiter and of its reclaimer', 'death of a waiter in line before another',
      'death of a waiter in line behind another', 'death of a waiter that may time out', 'death with two waits',
      'one signaller, two waiters that may time out', 'two signallers, one waiter that may time out', 'two signallers, two waiters that may time out',
      'two signals against two waits that may time out', 'two signals, two waiters, one may time out',
    ],
  },
  {
    file: 'packages/semaphores/test/family.model.ts', begin: 'family model: ',
    names: [
      'MonitorSemaphore: the head of the line, a waiter for several, gives up',
      'TicketSemaphore: the head of the line, a waiter for several, gives up', 'WaitingArraySemaphore: one in the middle gives up',
      'WaitingArraySemaphore: the head of the line, a waiter for several, gives up',
    ],
  },
  {
    file: 'packages/core/test/gather.model.ts', begin: 'gather model: ',
    names: [
      'an agent dies while it merges, and the last waiter leaves', 'tombstones are merged against two releases, one bucket',
      'tombstones are merged while the semaphore is closed', 'tombstones of several permits are merged against a release',
      'two agents merge, and one releases',
    ],
  },
  {
    file: 'packages/core/test/leave.model.ts', begin: 'join and leave model: ',
    names: [
      'an agent that gave up a wait leaves', 'death of an agent that leaves', 'death of an agent that leaves, and of its reclaimer',
    ],
  },
  {
    file: 'packages/limit/test/limit.model.ts', begin: 'limit model: ',
    names: [
      'death of one that makes it fewer', 'death of one that runs beside another, with one too many',
      'death of one that runs beside one that makes it fewer', 'death of one that sets and of one that runs',
    ],
  },
  {
    file: 'packages/locks/test/locks.model.ts', begin: 'locks model: ',
    names: [
      'lifo, death beside one that may time out', 'lifo, three agents, all may time out', 'lifo, two agents',
      'mcs, both may time out, one of them twice', 'mcs, death beside one that may time out', 'mcs, death of an owner and of the next owner',
      'mcs, one of two may time out', 'mcs, three agents, all may time out', 'mcs, two agents', 'reciprocating, one leaves twice',
      'reciprocating, three agents, all may time out', 'reciprocating, two agents', 'ticket, death of an owner and of the next owner',
      'tts, death beside one that may time out', 'tts, death of a reclaimer', 'tts, death of a waiter that leaves and comes back',
      'tts, death of an owner and of the next owner', 'tts, one leaves and one enters', 'tts, three agents, all may time out',
    ],
  },
  {
    file: 'packages/core/test/reuse.model.ts', begin: 'memory model: ',
    names: [
      'a tombstone in the hand of another walker', 'death of an agent that cuts a block', 'death of an agent that joins, and of its reclaimer',
      'tombstones are merged while their semaphore is replaced',
    ],
  },
  {
    file: 'packages/mutex/test/mutex.model.ts', begin: 'mutex model: ',
    names: [
      'a task behind its own agent, another may give up', 'both of two leave and one enters', 'both of two may give up', 'counters from 4294967295',
      'counters from 9007199254740991', 'counters from 9223372036854775807', 'death beside one that may give up', 'death of an owner and of its heir',
      'death of one of three', 'death of one that may give up', 'death of one that takes over', 'one leaves and one enters',
      'three agents, all may give up', 'turns, a task behind its own agent, another may give up', 'turns, a turn of one pass, two agents',
      'turns, both may give up', 'turns, both of two leave', 'turns, both of two leave and one enters', 'turns, both of two may give up',
      'turns, death beside one that may give up', 'turns, death beside one that runs a body', 'turns, death of an async waiter',
      'turns, death of one of three', 'turns, death of one that may give up', 'turns, death of one that takes over',
      'turns, one of two may give up twice', 'turns, recursive, death of one of two', 'turns, the first of two leaves',
      'turns, three agents, one may abort', 'turns, three agents, one tries twice', 'turns, two buckets, the first of two leaves',
      'turns, two take over while another locks',
    ],
  },
  {
    file: 'packages/mutex/test/mutex-pending.model.ts', begin: 'mutex pending model: ',
    names: [
      'a finisher dies', 'a finisher dies, one reclaimer more', 'left to a waiter that may abort', 'left to a waiter that may give up',
      'left to two waiters', 'left to two waiters, one may give up', 'two kinds',
    ],
  },
  {
    file: 'packages/rw-lock/test/rw-lock.model.ts', begin: 'rw-lock model: ',
    names: [
      'a batch leaves while a writer and a reader come', 'a downgrade and a reader that may time out', 'a downgrade while they may time out',
      'a downgrade, a writer and a reader that may time out', 'a writer and a reader, both may time out', 'death of a reader that may time out',
      'death of a waiting writer with a reader behind it', 'death of a writer before one that may time out', 'death of an async reader',
      'death of an async writer', 'death of one that downgrades, before a reader', 'death of one that downgrades, before a writer',
      'three that may time out', 'turns, a batch leaves while a writer and a reader come', 'turns, a downgrade and a reader that may time out',
      'turns, a downgrade while they may time out', 'turns, a downgrade, a writer and a reader that may time out',
      'turns, a reader that may time out comes in a turn', 'turns, death of a reader in a turn', 'turns, death of a reader that may time out',
      'turns, death of a waiting writer with a reader behind it', 'turns, death of a writer before a reader and a writer',
      'turns, death of a writer before one that may time out', 'turns, death of an async reader',
      'turns, death of one of a batch while a writer waits', 'turns, death of one that downgrades, before a writer',
      'turns, death of one that reads twice', 'turns, three that may time out', 'turns, two writers, one may time out',
    ],
  },
  {
    file: 'packages/core/test/semaphore.model.ts', begin: 'semaphore model: ',
    names: [
      'a bounded semaphore', 'all but the first of 1, 2, 3, 2 leave, and nothing is left of them', 'both of two may leave',
      'counters from 2147483647', 'counters from 4294967295', 'counters from 9007199254740991', 'one permit, one of two may give up',
      'three agents, all may give up', 'three agents, mixed weights',
    ],
  },
  {
    file: 'packages/bounded-buffer/test/history.model.ts', begin: 'buffer model: ',
    names: [
      'history of a producer and two consumers', 'history of a producer and two consumers, more values', 'history of both may give up',
      'history of close beside a push', 'history of two producers and a consumer',
    ],
  },
  {
    file: 'packages/bounded-buffer/test/buffer-pending.model.ts', begin: 'buffer pending model: ',
    names: [
      'a consumer left to one that may give up',
    ],
  },
  {
    file: 'packages/bounded-buffer/test/select.model.ts', begin: 'selections model: ',
    names: [
      'a selection of one source', 'selections of both sides', 'selections of two takes, one after the other',
    ],
  },
  {
    file: 'packages/condition/test/condition.model.ts', begin: 'condition model: ',
    names: [
      'a notification against a wait that may time out', 'both of two sleepers are notified, both may time out',
      'one of two sleepers is notified, the first may time out', 'turns, a sleeper is notified while two agents pass the lock',
      'turns, both of two sleepers are notified, both may time out', 'turns, death of a sleeper and of its reclaimer',
      'turns, death of a sleeper before another', 'turns, one giver, two takers', 'turns, two notifiers, two sleepers',
      'writer, a notification against a wait that may time out', 'writer, death of a sleeper and of its reclaimer',
    ],
  },
  {
    file: 'packages/limit/test/interval.model.ts', begin: 'interval model: ',
    names: [
      'death of one that may leave', 'three try for two starts', 'two try while time passes',
    ],
  },
  {
    file: 'packages/rate-limit/test/rate-limit-async.model.ts', begin: 'async rate limit model: ',
    names: [
      'the first of two async calls may be aborted, one closes',
    ],
  },
  {
    file: 'packages/rate-limit/test/rate-limit.model.ts', begin: 'rate limit model: ',
    names: [
      'death of one that waits', 'death of two that wait', 'one that gives up for its weight, and one behind it', 'three wait with weights',
      'two wait in turn, one tries',
    ],
  },
  {
    file: 'packages/semaphores/test/levels.model.ts', begin: 'priority model: ',
    names: [
      'priority: death of one of two, each may give up', 'priority: one permit, two agents of one level',
      'priority: the permit of one that gave up, and another that comes',
      'priority: two releases at once, and the second is for a level that has aged', 'priority: two wait in one level, and one of them gives up',
      'priority: two wait, and one of them gives up', 'priority: two wait, and the lower one gives up',
      'priority: two wait, and two releases at once',
    ],
  },
  {
    file: 'packages/semaphores/test/resizable.model.ts', begin: 'resizable model: ',
    names: [
      'resizable: two that collect may give up',
    ],
  },
  {
    file: 'packages/address-wait/test/address-wait.model.ts', begin: 'address wait model: ',
    names: [
      'addressWaitUntil: death of the waker, and of the agent that recovers it', 'addressWaitUntil: they take turns',
    ],
  },
  {
    file: 'packages/barrier/test/latch.model.ts', begin: 'latch model: ',
    names: [
      'death of a waiter that may time out', 'death of an agent with a claim and of its reclaimer',
      'one leaves an open round while another comes and goes',
    ],
  },
];

/** Tests that differ from another one of their file in numbers or in one option. @type {readonly LongTests[]} */
const VARIANTS = [
  {
    file: 'packages/auto-reset-event/test/death.stress.ts',
    names: [
      'no signal is lost or doubled when workers die (buckets: 4)',
    ],
  },
  {
    file: 'packages/capacitor/test/death.stress.ts',
    names: [
      'a capacitor never stays closed for the dead: the main thread recovers them, with few buckets',
      'a lock behind a capacitor is inherited: the main thread recovers the dead',
    ],
  },
  {
    file: 'packages/core/test/death.stress.ts',
    names: [
      'when the main thread recovers the dead, with few buckets',
    ],
  },
  {
    file: 'packages/core/test/order.stress.ts',
    names: [
      '64 waiters, others among them leave are served in the order in which they came, permit by permit',
    ],
  },
  {
    file: 'packages/locks/test/death.stress.ts',
    names: [
      'when the main thread recovers the dead, with few buckets',
    ],
  },
  {
    file: 'packages/mutex/test/death.stress.ts',
    names: [
      'when the main thread recovers the dead, with few buckets',
    ],
  },
  {
    file: 'packages/mutex/test/storm.stress.ts',
    names: [
      'when 64 workers do everything, in four buckets',
    ],
  },
  {
    file: 'packages/rw-lock/test/death.stress.ts',
    names: [
      'when the main thread recovers the dead, with few buckets',
    ],
  },
  {
    file: 'packages/rw-lock/test/storm.stress.ts',
    names: [
      'when 64 workers do everything',
    ],
  },
  {
    file: 'packages/worker-pool/test/storm.stress.ts',
    names: [
      'while workers die at random: four workers', 'while workers die at random: no queue at all',
    ],
  },
  {
    file: 'tools/bundlers/test/bundlers.test.ts',
    names: [
      'a server built with ncc runs tasks and closes', 'a server built with webpack as ESM runs tasks and closes',
      'a server built with esbuild as cjs runs the worker that workerUrl names', 'a server built as cjs without its worker file gets an error that says what to do',
    ],
  },
  {
    file: 'examples/capacitor-fairness/test/capacitor-fairness.test.ts',
    names: [
      'at a ticket lock no count is lost in any way', 'at a lifo lock no count is lost in any way', 'at a reciprocating lock no count is lost in any way',
    ],
  },
  {
    file: 'examples/dining-philosophers/test/dining-philosophers.test.ts',
    names: [
      'at the mutex table 2 philosophers eat as the rule says, without a pause and with some',
      'at the mutex table 5 philosophers eat as the rule says, without a pause and with some',
      'at the lock-reduced table 2 philosophers eat as the rule says, without a pause and with some',
      'at the lock-reduced table 5 philosophers eat as the rule says, without a pause and with some',
    ],
  },
];

export const LONG_TESTS = [...CASES, ...VARIANTS];
