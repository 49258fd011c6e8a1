// Mutants of the capacitor: each changes one line, and the case that it names must catch it. Files are named from the
// core's src.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const CAPACITOR_MUTANTS: readonly Mutant[] = [
  {
    name: 'the capacitor opens while an agent is inside',
    in: 'departCapacitor',
    find: 'left === 0',
    replace: 'left <= 1',
    caughtBy: 'B = 2, two agents',
  },
  {
    name: 'the capacitor opens one departure too late',
    in: 'departCapacitor',
    find: 'left === 0',
    replace: 'left < 0',
    caughtBy: 'B = 1, two agents',
  },
  {
    name: 'an opening gives the permits before it resets TALLY',
    in: 'open',
    file: 'kernel/capacitor.ts',
    find: 'put32(capacitor + TALLY, platoon); if (hasLanes(capacitor)) { openLanes(capacitor, agent); return NEEDS_WALK; } const grant = add64(capacitor + GRANT, wide(platoon));',
    replace:
      'if (hasLanes(capacitor)) { openLanes(capacitor, agent); return NEEDS_WALK; } const grant = add64(capacitor + GRANT, wide(platoon)); add32(capacitor + TALLY, platoon);',
    caughtBy: 'B = 1, two agents',
  },
  {
    name: 'an opening is announced as one permit',
    in: 'open',
    file: 'kernel/capacitor.ts',
    find: 'capacitor, agent, grant, platoon',
    replace: 'capacitor, agent, grant, 1',
    caughtBy: 'two buckets, two agents wait',
  },
  {
    name: 'a departure is not recorded',
    in: 'departLast',
    find: 'put64(entry, minus(inside, wide(1)));',
    replace: '',
    caughtBy: 'B = 1, two agents',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'the recovery does not depart for a dead agent',
    in: 'Platoon.giveBack',
    find: 'departDead(capacitor, agent);',
    replace: '',
    caughtBy: 'B = 1, death of one of two agents',
  },
  {
    name: 'the last departure for a dead agent does not open the capacitor',
    in: 'departDead',
    find: 'if (add32(capacitor + TALLY, -1) <= 1) open(capacitor, agent);',
    replace: 'add32(capacitor + TALLY, -1);',
    caughtBy: 'B = 1, death of one of two agents',
  },
  {
    name: 'a departure for a dead agent is not recorded',
    in: 'Platoon.giveBack',
    find: 'put64(entry + ENTRY_HELD, wide(held - 1)); return held > 1 ? RACED : 1;',
    replace: 'return 1;',
    caughtBy: 'death of an agent, then of its reclaimer, while another waits',
  },
  {
    name: 'a permit that a dead agent got in a lane goes to the next waiter of the lane',
    in: 'cancelLaneWait',
    find: 'departDead(asLine(get32(lane + HOME)), agent);',
    replace: '{ add64(lane + GRANT, wide(1)); detachOf(agent, lane, asChain(lane + OWN_CHAIN)); }',
    caughtBy: 'lanes, death of a waiter',
  },
];

export const LANE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a ticket in a lane is rolled back',
    in: 'keepsTicket',
    find: 'hasOwnChain(asLine(get32(element + LINE))) && get32(element + LEAVING) === 0',
    replace: 'false',
    caughtBy: 'lanes, an arrival may be aborted',
  },
  {
    name: 'a cancelled waiter gives its ticket in a lane up',
    in: 'drawInLane',
    find: 'put32(drawn + LEAVING, 0);',
    replace: 'put32(drawn + LEAVING, 1);',
    caughtBy: 'lanes, an arrival may be aborted',
  },
  {
    name: 'the permit of a tombstone goes to the next waiter of its lane',
    in: 'LaneChain.visitTombstone',
    find: 'discard(element); departDead(home, agent);',
    replace:
      'const lane = asLine(get32(element + LINE)); discard(element); add64(lane + GRANT, wide(1)); detachOf(agent, lane, asChain(lane + OWN_CHAIN));',
    caughtBy: 'lanes, the first of two waiters cancels',
  },
  {
    name: 'a tombstone departs before its permit is there',
    in: 'LaneChain.visitTombstone',
    find: 'if (progress(element) < wide(1)) { store32(element + GATE, ABANDONED); return putBack(laneChain, agent, area, element, 1); }',
    replace: '',
    caughtBy: 'lanes, the first of two waiters cancels',
  },
  {
    name: 'the walk ends before all lanes have their permits',
    in: 'walkLanes',
    find: 'left === 0',
    replace: '(get32(area + AGENT_IN_FLIGHT) | get32(area + AGENT_CHAIN)) === 0',
    caughtBy: 'the walk ends before it has visited all waiters of the last lane',
  },
  {
    name: 'the walk ends before all waiters of the last lane were visited',
    in: 'walkLanes',
    find: 'left === 0',
    replace: 'get32(agent + AGENT_DUTY) === 0',
    caughtBy: 'lanes, both of two waiters may time out',
  },
  {
    name: 'an opened lane does not wake its waiters',
    in: 'giveShare',
    find: 'detachOf(agent, lane, asChain(lane + OWN_CHAIN));',
    replace: '',
    caughtBy: 'lanes, two agents wait',
  },
  {
    name: "the permits of the next platoon begin in the lane of the last platoon's begin",
    in: 'giveShare',
    find: 'put32(capacitor + CREDITED, first + platoon);',
    replace: '',
    caughtBy: 'lanes, B = 3, two agents',
  },
  {
    name: 'the agent that opens ends its duty before the last permits are there',
    in: 'giveShare',
    find: 'if (left === 0) { store32(agent + AGENT_DUTY, 0); put32(capacitor + CREDITED, first + platoon); } const lanes = get32(capacitor + LANE_BITS); const share = ((platoon - 1 - ((left - first) & lastLane(capacitor))) >> lanes) + 1; const lane = laneAt(capacitor, left); add64(lane + GRANT, wide(share)); detachOf(agent, lane, asChain(lane + OWN_CHAIN));',
    replace:
      'if (left === 0) {\n    store32(agent + AGENT_DUTY, 0);\n  }\n  const lanes = get32(capacitor + LANE_BITS);\n  const share = ((platoon - 1 - ((left - first) & lastLane(capacitor))) >> lanes) + 1;\n  const lane = laneAt(capacitor, left);\n  add64(lane + GRANT, wide(share));\n  detachOf(agent, lane, asChain(lane + OWN_CHAIN));\n  if (left === 0) put32(capacitor + CREDITED, first + platoon);',
    caughtBy: 'lanes, B = 3, an agent opens the lanes late',
  },
  {
    name: 'a waiter comes back to its place while another agent has its tombstone in flight',
    in: 'rejoin',
    file: 'kernel/wait.ts',
    find: 'cas64(element + OWNER, left, pair(id, LINKED)) === left',
    replace:
      'cas64(element + OWNER, left, pair(id, LINKED)) === left || cas64(element + OWNER, pair(id, 6), pair(id, LINKED)) === pair(id, 6)',
    caughtBy: 'lanes, the only waiter cancels and comes back',
  },
];
