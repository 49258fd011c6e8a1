// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves nothing.
// Files are named from the core's src.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const KERNEL = 'kernel/buffer.ts';
const BUFFER = '../../bounded-buffer/src/bounded-buffer.ts';
const TAKING = '../../bounded-buffer/src/taking.ts';
const SIDE = '../../bounded-buffer/src/side.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a value is in before it is written',
    file: BUFFER,
    find:
      '      this.#store.write(at - FIRST_POSITION, packed);\n' +
      '      done = 1;\n' +
      '    } finally {\n' +
      '      this.#producers.commit(done * units, done);\n',
    replace:
      '    } finally {\n' +
      '      done = 1;\n' +
      '      this.#producers.commit(units, done);\n' +
      '      this.#store.write(at - FIRST_POSITION, packed);\n',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'a value is out before it is read',
    file: TAKING,
    find:
      '      const packed = this.#store.read(at - FIRST_POSITION);\n' +
      '      this.#onTake?.(packed);\n' +
      '      used = this.#store.unitsOf(packed);\n' +
      '      count = 1;\n' +
      '      return packed;\n' +
      '    } finally {\n' +
      '      this.#side.commit(used, count);\n',
    replace:
      '      [used, count] = [1, 1];\n' +
      '      this.#side.commit(used, count);\n' +
      '      return this.#store.read(at - FIRST_POSITION);\n' +
      '    } finally {\n',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'who leaves does not look who waits on the other side',
    file: KERNEL,
    find: 'freed !== RACED && !hasEnded && !isDue(otherOf(side)) && !isDue(side)',
    replace: 'freed !== RACED && !hasEnded && !isDue(side)',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'who leaves does not look who waits on its own side',
    file: KERNEL,
    find: 'freed !== RACED && !hasEnded && !isDue(otherOf(side)) && !isDue(side)',
    replace: 'freed !== RACED && !hasEnded && !isDue(otherOf(side))',
    caughtBy: 'a consumer may give up',
  },
  {
    name: 'who stands in line does not look what came meanwhile',
    file: KERNEL,
    find: '  beginServing(agent, side);\n  const drawn = ',
    replace: '  const drawn = ',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'newcomers pass the agent that has the turn',
    file: KERNEL,
    find: '  if (turn === 0 && load32(side + TURN) !== 0 && !isClosed(side) && !recall(side)) return SHORT;\n',
    replace: '',
    caughtBy: 'room for 2, one and two',
  },
  {
    name: 'several agents have the turn at once',
    file: KERNEL,
    find: '  store32(side + TURN, 1);\n',
    replace: '',
    caughtBy: 'values follow the line',
  },
  {
    name: 'a turn that was used is not given on',
    file: KERNEL,
    find: '    store32(side + TURN, 0);\n    put64(entry',
    replace: '    put64(entry',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'a turn that was used is still held',
    file: KERNEL,
    find: '    put64(entry, minus(get64(entry), wide(turn)));\n',
    replace: '',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'the agent with the turn is not told of the units that it sleeps for',
    file: KERNEL,
    find: '  if (wakeNeeded(side, agent)) return true;\n',
    replace: '',
    caughtBy: 'two units from a single consumer',
  },
  {
    name: 'the agent with the turn does not look again once it has written what it needs',
    file: SIDE,
    find: '    this.#context.words.store32(this.#semaphore + NEEDED, count);\n    this.commit(0, 0);\n',
    replace: '    this.commit(0, 0);\n    this.#context.words.store32(this.#semaphore + NEEDED, count);\n',
    caughtBy: 'two units from a single consumer',
  },
  {
    name: 'the consumer that takes the last value does not end the line',
    file: KERNEL,
    find: '  const hasEnded = !isProducers(side) && shutWhenEmpty(side, agent);\n',
    replace: '  const hasEnded = false;\n',
    caughtBy: 'close behind a push, and the line is served to its end',
  },
  {
    name: 'only producers are looked after',
    file: KERNEL,
    find: '!gone && isProducers(side) ? otherOf(side) : 0',
    replace: '0',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'a turn is not given back by an agent that does not get the lock',
    file: SIDE,
    find: '    if (outcome !== TAKEN) return;\n    const { words } = this.#context;\n    if (',
    replace: '    if (outcome <= TAKEN) return;\n    const { words } = this.#context;\n    if (',
    caughtBy: 'the agent with the turn may give up',
  },
  {
    name: 'it is closed while a value is put in',
    file: SIDE,
    find: 'const entered = this.#door.enter(0) === TAKEN || this.#door.enter(Infinity) === TAKEN;',
    replace: 'const entered = true;',
    caughtBy: 'close beside a push',
  },
  {
    name: 'who closes tells nobody',
    file: KERNEL,
    find: '  put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);\n',
    replace: '',
    caughtBy: 'close while consumers wait',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'nobody looks who waits when the lock of a dead agent is passed on',
    file: 'kernel/recover.ts',
    find: 'if ((flags & FLAG_SIDE) !== 0) return leaveForDead(lock, agent);',
    replace: 'if ((flags & FLAG_SIDE) !== 0) return passTts(lock, agent, id);',
    caughtBy: 'death of who closes while a producer waits',
  },
];
