// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves nothing.
// Files are named from the core's src.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const CAPACITOR_MUTANTS: readonly Mutant[] = [
  {
    name: 'it opens when one is still inside',
    file: 'kernel/capacitor.ts',
    find: 'if (left === 0) return departLast(',
    replace: 'if (left <= 1) return departLast(',
    caughtBy: 'B = 2, two agents',
  },
  {
    name: 'it opens one departure too late',
    file: 'kernel/capacitor.ts',
    find: 'if (left === 0) return departLast(',
    replace: 'if (left < 0) return departLast(',
    caughtBy: 'B = 1, two agents',
  },
  {
    name: 'permits are given before the departures are counted anew',
    file: 'kernel/capacitor.ts',
    find:
      '  put32(capacitor + TALLY, platoon);\n' +
      '  if (hasLanes(capacitor)) {\n' +
      '    openLanes(capacitor, agent);\n' +
      '    return NEEDS_WALK;\n' +
      '  }\n' +
      '  const grant = add64(capacitor + GRANT, wide(platoon));\n',
    replace:
      '  if (hasLanes(capacitor)) {\n' +
      '    openLanes(capacitor, agent);\n' +
      '    return NEEDS_WALK;\n' +
      '  }\n' +
      '  const grant = add64(capacitor + GRANT, wide(platoon));\n' +
      '  add32(capacitor + TALLY, platoon);\n',
    caughtBy: 'B = 1, two agents',
  },
  {
    name: 'an opening is announced as one permit',
    file: 'kernel/capacitor.ts',
    find: 'announce(capacitor, agent, grant, platoon);',
    replace: 'announce(capacitor, agent, grant, 1);',
    caughtBy: 'two buckets, two wait',
  },
  {
    name: 'a departure is not noted',
    file: 'kernel/capacitor.ts',
    find: '  put64(entry, minus(inside, wide(1)));\n  return opened;\n',
    replace: '  return opened;\n',
    caughtBy: 'B = 1, two agents',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'nobody departs for the dead',
    file: 'kernel/recover.ts',
    find: '  departDead(capacitor, agent);\n  put64',
    replace: '  put64',
    caughtBy: 'B = 1, death of one of two',
  },
  {
    name: 'the last departure of the dead opens nothing',
    file: 'kernel/capacitor.ts',
    find: 'if (add32(capacitor + TALLY, -1) <= 1) open(capacitor, agent);',
    replace: 'add32(capacitor + TALLY, -1);',
    caughtBy: 'B = 1, death of one of two',
  },
  {
    name: 'that one departed for the dead is not noted',
    file: 'kernel/recover.ts',
    find: '  put64(entry + ENTRY_HELD, minus(held, wide(1)));\n  return held > wide(1) ? RACED : 1;',
    replace: '  return 1;',
    caughtBy: 'death of a reclaimer while another waits',
  },
  {
    name: 'a permit that a dead agent got in a lane goes on in the lane',
    file: 'kernel/recover.ts',
    find: 'if ((get32(sem + FLAGS) & FLAG_LANE) !== 0) departDead(get32(sem + HOME), agent);\n  else announce(',
    replace: 'announce(',
    caughtBy: 'lanes, death of a waiter',
  },
];

export const LANE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a ticket in a lane is rolled back',
    file: 'kernel/walk.ts',
    find: '  if (isLane(sem)) {\n    if (progress',
    replace:
      '  if (rollBack(element)) {\n    put32(agent + AGENT_IN_FLIGHT, 0);\n    discard(element);\n    return AGAIN;\n  }\n' +
      '  if (isLane(sem)) {\n    if (progress',
    caughtBy: 'lanes, the first of two leaves',
  },
  {
    name: 'the permit of a tombstone goes on in its lane',
    file: 'kernel/walk.ts',
    find: 'if (isLane(sem)) {',
    replace: 'if (sem === 0) {',
    caughtBy: 'lanes, the first of two leaves',
  },
  {
    name: 'the lanes of the next platoon begin where those of the last one did',
    file: 'kernel/lanes.ts',
    find: '    put32(capacitor + CREDITED, first + platoon);\n',
    replace: '',
    caughtBy: 'lanes, B = 3, two agents',
  },
  {
    name: 'who opens is not done before the last permits are there',
    file: 'kernel/lanes.ts',
    find:
      '    put32(capacitor + CREDITED, first + platoon);\n' +
      '  }\n' +
      '  // Of `platoon` permits from `first` on, those whose lane this is.\n' +
      '  const lanes = get32(capacitor + LANE_BITS);\n' +
      '  const share = ((platoon - 1 - ((left - first) & lastLane(capacitor))) >> lanes) + 1;\n' +
      '  const lane = laneAt(capacitor, left);\n' +
      '  const from = add64(lane + GRANT, wide(share));\n' +
      '  beginPost(agent, lane, from, load64(lane + TICKET), share);\n',
    replace:
      '  }\n' +
      '  // Of `platoon` permits from `first` on, those whose lane this is.\n' +
      '  const lanes = get32(capacitor + LANE_BITS);\n' +
      '  const share = ((platoon - 1 - ((left - first) & lastLane(capacitor))) >> lanes) + 1;\n' +
      '  const lane = laneAt(capacitor, left);\n' +
      '  const from = add64(lane + GRANT, wide(share));\n' +
      '  beginPost(agent, lane, from, load64(lane + TICKET), share);\n' +
      '  if (left === 0) put32(capacitor + CREDITED, first + platoon);\n',
    caughtBy: 'lanes, B = 3, one opens late',
  },
];
