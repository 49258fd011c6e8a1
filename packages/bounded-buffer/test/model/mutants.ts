// Mutants of the buffer: each changes one line, and the case that it names must catch it. Files are named from the
// core's src.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a push publishes its value before it writes it',
    in: 'BoundedBuffer.tryPush',
    find: '{ store.write(at, packed); done = 1; } finally { producers.commit(done * units, done); }',
    replace: '{ } finally { done = 1; producers.commit(units, done); store.write(at, packed); }',
    caughtBy: 'room for 1: one producer, one consumer',
  },
  {
    name: 'a pop frees its room before it reads the value',
    in: 'ConsumerSide.one',
    find: '{ const packed = this.#store.read(at); this.#onTake?.(packed); used = this.#store.unitsOf(packed); count = 1; return packed; } finally { this.#side.commit(used, count); }',
    replace: '{ [used, count] = [1, 1]; this.#side.commit(used, count); return this.#store.read(at); } finally { }',
    caughtBy: 'room for 1: one producer, one consumer',
  },
  {
    name: 'an agent that leaves does not check for waiters on the other side',
    in: 'exitSide',
    find: 'freed !== RACED && !hasEnded && !isDue(otherOf(side))',
    replace: 'freed !== RACED && !hasEnded',
    caughtBy: 'room for 1: one producer, one consumer',
  },
  {
    name: 'an agent that leaves does not check for waiters on its own side',
    in: 'exitSide',
    find: 'freed !== RACED && !hasEnded && !isDue(otherOf(side)) && !isDue(side)',
    replace: 'freed !== RACED && !hasEnded && !isDue(otherOf(side))',
    caughtBy: 'values go to waiters in queue order',
  },
  {
    name: 'a waiter does not check for values that came before it slept',
    in: 'enqueueAtSide',
    find: 'beginServing(agent, side);',
    replace: '',
    caughtBy: 'room for 1: one producer, one consumer',
  },
  {
    name: 'newcomers overtake the head of the line',
    in: 'lookAtSide',
    find: 'if (isHead === 0 && load32(side + HAS_HEAD) !== 0 && !isClosed(side) && !takeBackHead(side)) return SHORT;',
    replace: '',
    caughtBy: 'room for 2: one producer, two consumers',
  },
  {
    name: 'a line has several heads at once',
    in: 'admitHead',
    find: 'store32(side + HAS_HEAD, 1);',
    replace: '',
    caughtBy: 'values go to waiters in queue order',
  },
  {
    name: 'a head that took its units does not admit the next one',
    in: 'commitSide',
    find: 'store32(side + HAS_HEAD, 0);',
    replace: '',
    caughtBy: 'room for 1: one producer, one consumer',
  },
  {
    name: 'a head that took its units stays the head',
    in: 'commitSide',
    find: 'put64(entry, minus(get64(entry), wide(isHead)));',
    replace: '',
    caughtBy: 'room for 1: one producer, one consumer',
  },
  {
    name: 'the head of the line is not woken for the units that it needs',
    in: 'serveSide',
    find: 'if (wakeNeeded(side, agent)) return true;',
    replace: '',
    caughtBy: 'a waiter needs two units from a single consumer',
  },
  {
    name: 'the head of the line does not check again after it wrote NEEDED',
    in: 'Side.redeem',
    find: 'this.lines.need(count); this.commit(0, 0);',
    replace: 'this.commit(0, 0); this.lines.need(count);',
    caughtBy: 'a waiter needs two units from a single consumer',
  },
  {
    name: 'the consumer that takes the last value of a closed buffer does not end the queue',
    in: 'exitSide',
    find: '!isProducers(side) && shutWhenEmpty(side, agent)',
    replace: 'false',
    caughtBy: 'close() right after two pushes serves the whole queue',
  },
  {
    name: 'a check left to the walk names no kind',
    in: 'beginServing',
    find: 'put32(agent + AGENT_DUTY_KIND, BUFFER_CODE);',
    replace: '',
    caughtBy: 'room for 1: one producer, one consumer',
  },
  {
    name: 'only waiting producers are served',
    in: 'serveSides',
    find: '!isGone && isProducers(side)',
    replace: 'false',
    caughtBy: 'room for 1: one producer, one consumer',
  },
  {
    name: 'an agent that does not get the lock does not give up the head of the line',
    in: 'SideLines.giveBack',
    find: 'outcome !== TAKEN',
    replace: 'outcome <= 0',
    caughtBy: 'the head of the line may time out',
  },
  {
    name: 'close() does not wait for a push in progress',
    in: 'Closing.close',
    find: 'this.#producers.lock.lock()',
    replace: 'true',
    caughtBy: 'close() races a push',
  },
  {
    name: 'close() wakes no waiter',
    in: 'shutSide',
    find: 'put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);',
    replace: '',
    caughtBy: 'close() while consumers wait',
  },
  {
    name: 'an int32 push publishes its value before it writes it',
    in: 'passInt32',
    find: 'if (isProducers(side)) put32(slot, value); const passed = get32(slot); move(side, 1, 1);',
    replace:
      'const passed = isProducers(side) ? value : get32(slot); move(side, 1, 1); if (isProducers(side)) put32(slot, value);',
    caughtBy: 'int32: every word watched',
  },
  {
    name: 'an int32 pop frees its room before it reads the value',
    in: 'passInt32',
    find: 'const passed = get32(slot); move(side, 1, 1);',
    replace: 'move(side, 1, 1); if (!isProducers(side)) exitSide(side, agent); const passed = get32(slot);',
    caughtBy: 'int32: non-blocking calls race, every word watched',
  },
  {
    name: 'the position of an int32 does not wrap',
    in: 'int32At',
    find: '(low32(get64(side + POSITION)) << 2) & (get32(block + RING_BYTES) - 1)',
    replace: 'low32(get64(side + POSITION)) << 2',
    caughtBy: 'int32: one producer, one consumer',
  },
  {
    name: 'an int32 push or pop wakes no agent',
    in: 'passInt32',
    find: 'exitSide(side, agent) === NEEDS_WALK ? unsigned(passed) + WALK : unsigned(passed)',
    replace: 'exitSide(side, agent) === NEEDS_WALK ? unsigned(passed) : unsigned(passed)',
    caughtBy: 'int32: room comes from a single consumer',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: "a dead agent's lock is passed on without a check for waiters",
    in: 'releaseSideForDeadOwner',
    find: 'exitSide(side, agent)',
    replace: 'freeSideLock(side, agent)',
    caughtBy: 'death of the agent that closes while a producer waits',
  },
];

export const PENDING_MUTANTS: readonly Mutant[] = [
  {
    name: 'a walk that needs the kind counts as finished',
    in: 'Recovery.#noteDuty',
    find: 'if (isDutyForeign(this.#context, this.#record)) this.#foreign.add(blockOfDuty(this.#context.words, this.#record));',
    replace: '',
    caughtBy: 'recovery of a producer is left to a consumer',
  },
  {
    name: 'the recovery takes the locks of sides for locks of the core',
    in: 'isForeign',
    find: 'code > LAST_BASE_KIND && context.kindWith(code) === undefined',
    replace: 'false',
    caughtBy: 'recovery of a producer is left to a consumer',
  },
  {
    name: 'an agent that loads the kind does not finish its walk',
    in: 'canAdvance',
    find: 'if (duty !== 0 && !isDutyForeign(context, record)) return true;',
    replace: 'if (duty !== 0) return false;',
    caughtBy: 'recovery of a producer is left to a consumer',
  },
];
