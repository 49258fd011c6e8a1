// How much a run does. CI and the soak run at full depth. `npm test` leaves out the cases below, so that it ends in minutes.
//
// A model's case stands here if it takes 0.6 s or more of a core and no mutant names it. So a short run still kills every mutant. A case that is
// renamed runs at every depth until its name here follows.

/** Cases by the model that they belong to. */
const LONG_CASES: Readonly<Record<string, readonly string[]>> = {
  async: [
    'the first of two async waits wants two permits and may be aborted',
    'three async waits get three permits of one release',
    'two async waits of one agent, a blocking one',
  ],
  'async buffer': [
    'a close beside two values and async pops',
    'a loop that is left beside another agent',
    'an agent at both sides',
    'an async close beside a pop and a push that may be aborted',
    'an async close while async pushes wait',
    'async pops of two agents',
    'async pushes of two agents',
    'the second of two async pops may be aborted',
    'two async pushes of one agent',
  ],
  buffer: [
    'death of one that wants two units',
    'history of a producer and two consumers',
    'history of a producer and two consumers, more values',
    'history of both may give up',
    'history of close beside a push',
    'history of two producers and a consumer',
    'many at once beside others',
    'positions from 4294967295',
    'positions from 9223372036854775807',
    'room for 1, two and one',
    'a waiter for two units may give up',
  ],
  capacitor: [
    'B = 2, death of one of two',
    'lanes, death of the agent that admits and of its reclaimer',
    'lock, B = 1, death of one of two',
  ],
  composite: [
    'lightweight over chain: two may give up, and a release of two',
    'lightweight over semaphore: two may give up, and a release of two',
    'multilane of address: a drain of all lanes while as many come as it would take, and one more',
    'multilane of address: death of one that drains all lanes, and one may give up',
    'multilane of semaphore: a drain of all lanes while as many come as it would take, and one more',
    'multilane of semaphore: death of one that drains all lanes, and one may give up',
    'multilane of semaphore: three agents',
    'multilane of semaphore: two may give up, and a release of three',
  ],
  death: [
    'death of a reclaimer without an element',
    'death of one of three agents that may give up',
    'death of one of three agents, mixed weights',
    'death of one that holds against one that may give up',
    'death of one that may give up',
    'what a dead reclaimer had begun',
  ],
  event: [
    'a signal beside a wait of the same agent',
    'death of a waiter in line before another',
    'death of a waiter in line behind another',
    'two signals against two waits that may time out',
  ],
  'join and leave': [
    'an agent that gave up a wait leaves',
    'death of an agent that leaves',
    'death of an agent that leaves, and of its reclaimer',
  ],
  limit: [
    'death of one that makes it fewer',
    'death of one that runs beside another, with one too many',
    'death of one that runs beside one that makes it fewer',
    'death of one that sets and of one that runs',
  ],
  locks: [
    'lifo, two agents',
    'mcs, two agents',
    'reciprocating, one leaves twice',
    'reciprocating, three agents, all may time out',
    'reciprocating, two agents',
    'ticket, death of an owner and of the next owner',
    'tts, death beside one that may time out',
    'tts, death of an owner and of the next owner',
    'tts, three agents, all may time out',
  ],
  memory: [
    'a tombstone in the hand of another walker',
    'death of an agent that cuts a block',
    'death of an agent that joins, and of its reclaimer',
  ],
  mutex: [
    'death beside one that may give up',
    'death of one of three',
    'death of one that may give up',
    'death of one that takes over',
    'three agents, all may give up',
  ],
  'mutex pending': [
    'a finisher dies',
    'a finisher dies, one reclaimer more',
    'left to a waiter that may give up',
    'left to two waiters',
    'left to two waiters, one may give up',
    'two kinds',
  ],
  'rw-lock': [
    'a writer and a reader, both may time out',
    'death of a reader that may time out',
    'death of a waiting writer with a reader behind it',
    'death of a writer before one that may time out',
    'death of an async writer',
    'three that may time out',
  ],
  semaphore: [
    'all but the first of 1, 2, 3, 2 leave, and nothing is left of them',
    'one permit, one of two may give up',
    'three agents, all may give up',
  ],
};

/** Storms that differ from another storm in numbers only. */
const LONG_STORMS: readonly string[] = [
  'when 64 workers do everything, in four buckets',
  'when 64 workers do everything',
  '64 waiters, others among them leave are served in the order in which they came, permit by permit',
  'a capacitor never stays closed for the dead: the main thread recovers them, with few buckets',
  'a lock behind a capacitor is inherited: the main thread recovers the dead',
  'when the main thread recovers the dead, with few buckets',
  'no signal is lost or doubled when workers die (buckets: 4)',
  'while workers die at random: four workers',
  'while workers die at random: no queue at all',
];

const escaped = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const models = Object.entries(LONG_CASES).flatMap(([model, cases]) => cases.map((name) => escaped(`${model} model: ${name}`)));

/** Matches the names of all tests that a short run takes. */
export const SHORT_RUN = new RegExp(`^(?!(?:${models.join('|')}|.*(?:${LONG_STORMS.map(escaped).join('|')}))$)`);
