// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves
// nothing. Files are named from the core's src.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const CAPACITOR_MUTANTS: readonly Mutant[] = [
  {
    name: 'it opens when one is still inside',
    in: 'departCapacitor',
    find: 'left === 0',
    replace: 'left <= 1',
    caughtBy: 'B = 2, two agents',
  },
  {
    name: 'it opens one departure too late',
    in: 'departCapacitor',
    find: 'left === 0',
    replace: 'left < 0',
    caughtBy: 'B = 1, two agents',
  },
  {
    name: 'permits are given before the departures are counted anew',
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
    caughtBy: 'two buckets, two wait',
  },
  {
    name: 'a departure is not noted',
    in: 'departLast',
    find: 'put64(entry, minus(inside, wide(1)));',
    replace: '',
    caughtBy: 'B = 1, two agents',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'no agent departs for the dead',
    in: 'Platoon.giveBack',
    find: 'departDead(capacitor, agent);',
    replace: '',
    caughtBy: 'B = 1, death of one of two',
  },
  {
    name: 'the last departure of the dead opens nothing',
    in: 'departDead',
    find: 'if (add32(capacitor + TALLY, -1) <= 1) open(capacitor, agent);',
    replace: 'add32(capacitor + TALLY, -1);',
    caughtBy: 'B = 1, death of one of two',
  },
  {
    name: 'that one departed for the dead is not noted',
    in: 'Platoon.giveBack',
    find: 'put64(entry + ENTRY_HELD, wide(held - 1)); return held > 1 ? RACED : 1;',
    replace: 'return 1;',
    caughtBy: 'death of a reclaimer while another waits',
  },
  {
    name: 'a permit that a dead agent got in a lane goes on in the lane',
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
    find: 'hasOwnChain(asLine(get32(element + SEM))) && get32(element + LEAVING) === 0',
    replace: 'false',
    caughtBy: 'lanes, an abort',
  },
  {
    name: 'a waiter that once left a box office gives its ticket in a lane up',
    in: 'drawInLane',
    find: 'put32(drawn + LEAVING, 0);',
    replace: 'put32(drawn + LEAVING, 1);',
    caughtBy: 'lanes, an abort',
  },
  {
    name: 'the permit of a tombstone goes on in its lane',
    in: 'LaneChain.visitTombstone',
    find: 'discard(element); departDead(home, agent);',
    replace:
      'const lane = asLine(get32(element + SEM)); discard(element); add64(lane + GRANT, wide(1)); detachOf(agent, lane, asChain(lane + OWN_CHAIN));',
    caughtBy: 'lanes, the first of two leaves',
  },
  {
    name: 'a tombstone departs before its permit is there',
    in: 'LaneChain.visitTombstone',
    find: 'if (progress(element) < wide(1)) { store32(element + GATE, ABANDONED); return putBack(laneChain, agent, area, element, 1); }',
    replace: '',
    caughtBy: 'lanes, the first of two leaves',
  },
  {
    name: 'the walk ends before all lanes have their permits',
    in: 'walkLanes',
    find: 'left === 0',
    replace: '(get32(area + AGENT_IN_FLIGHT) | get32(area + AGENT_CHAIN)) === 0',
    caughtBy: 'lanes, B = 2, two agents',
  },
  {
    name: 'the walk ends before all waiters of the last lane were visited',
    in: 'walkLanes',
    find: 'left === 0',
    replace: 'get32(agent + AGENT_DUTY) === 0',
    caughtBy: 'lanes, both of two may give up',
  },
  {
    name: 'an opened lane does not tell its waiters',
    in: 'giveShare',
    find: 'detachOf(agent, lane, asChain(lane + OWN_CHAIN));',
    replace: '',
    caughtBy: 'lanes, two wait',
  },
  {
    name: 'the lanes of the next platoon begin where those of the last one did',
    in: 'giveShare',
    find: 'put32(capacitor + CREDITED, first + platoon);',
    replace: '',
    caughtBy: 'lanes, B = 3, two agents',
  },
  {
    name: 'the agent that opens is not done before the last permits are there',
    in: 'giveShare',
    find: 'if (left === 0) { store32(agent + AGENT_DUTY, 0); put32(capacitor + CREDITED, first + platoon); } const lanes = get32(capacitor + LANE_BITS); const share = ((platoon - 1 - ((left - first) & lastLane(capacitor))) >> lanes) + 1; const lane = laneAt(capacitor, left); add64(lane + GRANT, wide(share)); detachOf(agent, lane, asChain(lane + OWN_CHAIN));',
    replace:
      'if (left === 0) {\n    store32(agent + AGENT_DUTY, 0);\n  }\n  const lanes = get32(capacitor + LANE_BITS);\n  const share = ((platoon - 1 - ((left - first) & lastLane(capacitor))) >> lanes) + 1;\n  const lane = laneAt(capacitor, left);\n  add64(lane + GRANT, wide(share));\n  detachOf(agent, lane, asChain(lane + OWN_CHAIN));\n  if (left === 0) put32(capacitor + CREDITED, first + platoon);',
    caughtBy: 'lanes, B = 3, one opens late',
  },
  {
    name: 'a waiter comes back to its place while an agent has the tombstone in flight',
    in: 'rejoin',
    file: 'kernel/wait.ts',
    find: 'cas64(element + OWNER, left, pair(id, LINKED)) === left',
    replace:
      'cas64(element + OWNER, left, pair(id, LINKED)) === left || cas64(element + OWNER, pair(id, 6), pair(id, LINKED)) === pair(id, 6)',
    caughtBy: 'lanes, the only waiter leaves and comes back',
  },
];
