// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves
// nothing. Files are named from the core's src.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a value is in before it is written',
    in: 'BoundedBuffer.tryPush',
    find: '{ store.write(at, packed); done = 1; } finally { producers.commit(done * units, done); }',
    replace: '{ } finally { done = 1; producers.commit(units, done); store.write(at, packed); }',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'a value is out before it is read',
    in: 'Taking.one',
    find: '{ const packed = this.#store.read(at); this.#onTake?.(packed); used = this.#store.unitsOf(packed); count = 1; return packed; } finally { this.#side.commit(used, count); }',
    replace: '{ [used, count] = [1, 1]; this.#side.commit(used, count); return this.#store.read(at); } finally { }',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'an agent that leaves does not look for waiters on the other side',
    in: 'exitSide',
    find: 'freed !== RACED && !hasEnded && !isDue(otherOf(side))',
    replace: 'freed !== RACED && !hasEnded',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'an agent that leaves does not look for waiters on its own side',
    in: 'exitSide',
    find: 'freed !== RACED && !hasEnded && !isDue(otherOf(side)) && !isDue(side)',
    replace: 'freed !== RACED && !hasEnded && !isDue(otherOf(side))',
    caughtBy: 'a consumer may give up',
  },
  {
    name: 'a waiter in line does not look for values that came meanwhile',
    in: 'enqueueAtSide',
    find: 'beginServing(agent, side);',
    replace: '',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'newcomers pass the agent that has the turn',
    in: 'look',
    find: 'if (turn === 0 && load32(side + TURN) !== 0 && !isClosed(side) && !recall(side)) return SHORT;',
    replace: '',
    caughtBy: 'room for 2, one and two',
  },
  {
    name: 'several agents have the turn at once',
    in: 'giveTurn',
    find: 'store32(side + TURN, 1);',
    replace: '',
    caughtBy: 'values follow the line',
  },
  {
    name: 'a turn that was used is not given on',
    in: 'commit',
    find: 'store32(side + TURN, 0);',
    replace: '',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'a turn that was used is still held',
    in: 'commit',
    find: 'put64(entry, minus(get64(entry), wide(turn)));',
    replace: '',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'the agent with the turn is not told of the units that it sleeps for',
    in: 'promise',
    find: 'if (wakeNeeded(side, agent)) return true;',
    replace: '',
    caughtBy: 'two units from a single consumer',
  },
  {
    name: 'the agent with the turn does not look again once it has written what it needs',
    in: 'Side.#redeem',
    find: 'this.lines.need(count); this.commit(0, 0);',
    replace: 'this.commit(0, 0); this.lines.need(count);',
    caughtBy: 'two units from a single consumer',
  },
  {
    name: 'the consumer that takes the last value does not end the line',
    in: 'exitSide',
    find: '!isProducers(side) && shutWhenEmpty(side, agent)',
    replace: 'false',
    caughtBy: 'close behind a push, and the line is served to its end',
  },
  {
    name: 'a check that is left to the walk names no kind',
    in: 'beginServing',
    find: 'put32(agent + AGENT_DUTY_KIND, BUFFER_CODE);',
    replace: '',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'only producers are looked after',
    in: 'serveSides',
    find: '!gone && isProducers(side)',
    replace: 'false',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'a turn is not given back by an agent that does not get the lock',
    in: 'SideLines.giveBack',
    find: 'outcome !== TAKEN',
    replace: 'outcome <= 0',
    caughtBy: 'the agent with the turn may give up',
  },
  {
    name: 'it is closed while a value is put in',
    in: 'Closing.close',
    find: 'this.#producers.lock.lock()',
    replace: 'true',
    caughtBy: 'close beside a push',
  },
  {
    name: 'a close tells no waiter',
    in: 'shutSide',
    find: 'put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);',
    replace: '',
    caughtBy: 'close while consumers wait',
  },
  {
    name: 'an int32 is in before it is written',
    in: 'passInt32',
    find: 'if (isProducers(side)) put32(slot, value); const passed = get32(slot); move(side, 1, 1);',
    replace:
      'const passed = isProducers(side) ? value : get32(slot); move(side, 1, 1); if (isProducers(side)) put32(slot, value);',
    caughtBy: 'int32, every word watched',
  },
  {
    name: 'an int32 is out before it is read',
    in: 'passInt32',
    find: 'const passed = get32(slot); move(side, 1, 1);',
    replace: 'move(side, 1, 1); if (!isProducers(side)) exitSide(side, agent); const passed = get32(slot);',
    caughtBy: 'int32, a look at every word',
  },
  {
    name: 'the place of an int32 does not wrap',
    in: 'int32At',
    find: '(low32(get64(side + POSITION)) << 2) & (get32(block + RING_BYTES) - 1)',
    replace: 'low32(get64(side + POSITION)) << 2',
    caughtBy: 'int32, one and one',
  },
  {
    name: 'an int32 that is passed wakes no agent',
    in: 'passInt32',
    find: 'exitSide(side, agent) === NEEDS_WALK ? unsigned(passed) + WALK : unsigned(passed)',
    replace: 'exitSide(side, agent) === NEEDS_WALK ? unsigned(passed) : unsigned(passed)',
    caughtBy: 'int32, room from a single consumer',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'no agent looks for waiters when the lock of a dead agent is passed on',
    in: 'releaseSideForDeadOwner',
    find: 'exitSide(side, agent)',
    replace: 'freeSideLock(side, agent)',
    caughtBy: 'death of the closing agent while a producer waits',
  },
];

export const PENDING_MUTANTS: readonly Mutant[] = [
  {
    name: 'a walk that needs the kind counts as finished',
    in: 'Recovery.#noteDuty',
    find: 'if (isDutyForeign(this.#context, this.#record)) this.#foreign.add(blockOfDuty(this.#context.words, this.#record));',
    replace: '',
    caughtBy: 'a producer left to a consumer',
  },
  {
    name: 'the locks of sides are taken for locks of the core',
    in: 'isForeign',
    find: 'code > LAST_BASE_KIND && context.kindWith(code) === undefined',
    replace: 'false',
    caughtBy: 'a producer left to a consumer',
  },
  {
    name: 'the kind is loaded, and its walk is not finished',
    in: 'canAdvance',
    find: 'if (duty !== 0 && !isDutyForeign(context, record)) return true;',
    replace: 'if (duty !== 0) return false;',
    caughtBy: 'a producer left to a consumer',
  },
];
