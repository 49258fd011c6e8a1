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
    find: 'freed !== RACED && !isDue(otherOf(side)) && !isDue(side)',
    replace: 'freed !== RACED && !isDue(side)',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'who leaves does not look who waits on its own side',
    file: KERNEL,
    find: 'freed !== RACED && !isDue(otherOf(side)) && !isDue(side)',
    replace: 'freed !== RACED && !isDue(otherOf(side))',
    caughtBy: 'a consumer may give up',
  },
  {
    name: 'who stands in line does not look what came meanwhile',
    file: KERNEL,
    find: '  beginServing(agent, side);\n  return acquire(',
    replace: '  return acquire(',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'what is promised is not counted',
    file: KERNEL,
    find: '    put32(side + PROMISED_UNITS, get32(side + PROMISED_UNITS) + count);\n',
    replace: '',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'newcomers do not stand back',
    file: KERNEL,
    find:
      '  if (!isClosed(side) && !mayEnter(side, count)) return WAITING;\n' +
      '  if (lockTts(side, tag, id) !== TAKEN) return RACED;\n' +
      '  const seen = look(side, count);\n',
    replace:
      '  if (lockTts(side, tag, id) !== TAKEN) return RACED;\n' +
      '  const seen = unitsNow(side) >= count ? TAKEN : look(side, count);\n',
    caughtBy: 'room for 2, one and two',
  },
  {
    name: 'what was promised and is taken stays promised',
    file: KERNEL,
    find: '    put32(side + PROMISED_UNITS, get32(side + PROMISED_UNITS) - redeemed);\n',
    replace: '',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'what was promised and is taken is still held',
    file: KERNEL,
    find: '    put64(entry, minus(get64(entry), wide(redeemed)));\n',
    replace: '',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'units that are promised are there for newcomers',
    file: KERNEL,
    find: '  return isClosed(side) ? all : all - get32(side + PROMISED_UNITS);\n',
    replace: '  return all;\n',
    caughtBy: 'room for 2, one and two',
  },
  {
    name: 'only producers are looked after',
    file: KERNEL,
    find: '!gone && isProducers(side) ? otherOf(side) : 0',
    replace: '0',
    caughtBy: 'room for 1, one and one',
  },
  {
    name: 'what was promised is not given back by who does not get the lock',
    file: SIDE,
    find: '    if (outcome !== TAKEN) return;\n    const { words } = this.#seat;\n',
    replace: '    if (outcome <= TAKEN) return;\n    const { words } = this.#seat;\n',
    caughtBy: 'both may give up',
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
    name: 'what is promised to nobody any more stays promised',
    file: KERNEL,
    find: '  put32(side + PROMISED_UNITS, get32(side + PROMISED_UNITS) - low32(free));\n',
    replace: '',
    caughtBy: 'death of a consumer before the next one comes',
  },
  {
    name: 'nobody looks who waits when the lock of a dead agent is passed on',
    file: 'kernel/recover.ts',
    find: 'if ((flags & FLAG_SIDE) !== 0) return leaveForDead(lock, agent);',
    replace: 'if ((flags & FLAG_SIDE) !== 0) return passTts(lock, agent, id);',
    caughtBy: 'death of who closes while a producer waits',
  },
];
