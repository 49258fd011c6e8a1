// Random steps at capacitors, with lanes and without, and at a turnstile: agents arrive, depart, come back, wait,
// cancel, die and are recovered. While one agent is within a walk, the others continue.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { RACED } from '../../../core/src/kernel/states.ts';
import { low32 } from '../../../core/src/kernel/words.ts';
import { countLines, fixtureBytesUsed, type Line, type Plan } from '../../../core/test/support/block-fixture.ts';
import { AGENTS } from '../../../core/test/support/kernel-players.ts';
import { LinePlayers, OF_THE_CORE, type LineNames } from '../../../core/test/support/line-players.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { ARRIVED, CREDITED, FLAG_LANED, HOME, LANE_BITS, LANES_LEFT, TALLY } from '../../src/kernel/layout.ts';
import {
  CAPACITOR as CAPACITOR_KIND,
  LANE,
  LANED_CAPACITOR,
  TURNSTILE as TURNSTILE_KIND,
} from '../../src/gates/kinds.ts';

/** B of the capacitor, and of the one with lanes. It is not a multiple of the number of lanes. */
const PLATOON = 3;
const LANED_PLATOON = 5;
const BITS = 2;
const LANES = 1 << BITS;

function fillCapacitor(twins: Twins, line: number, ticket: bigint): void {
  twins.put64(line + L.GRANT, BigInt.asIntN(64, ticket + BigInt(PLATOON)));
  twins.put32(line + L.LIMIT, PLATOON);
  twins.put32(line + TALLY, PLATOON);
}

/** The counters of the lanes start at a multiple of the number of lanes, as those of a new capacitor do. */
function fillLaned(twins: Twins, line: number, ticket: bigint): void {
  const arrived = low32(ticket);
  twins.put32(line + ARRIVED, arrived);
  twins.put32(line + CREDITED, (arrived + LANED_PLATOON) | 0);
  twins.put32(line + LANE_BITS, BITS);
  twins.put32(line + LANES_LEFT, 0);
  twins.put32(line + L.LIMIT, LANED_PLATOON);
  twins.put32(line + TALLY, LANED_PLATOON);
}

function laneLine(lane: number): Line {
  const share = Math.floor((LANED_PLATOON - 1 - lane) / LANES) + 1;
  return {
    flags: L.FLAG_GATE | L.FLAG_OWN_CHAIN,
    fill: (twins, line, ticket, block) => {
      twins.put64(line + L.GRANT, BigInt.asIntN(64, ticket + BigInt(share)));
      twins.put32(line + HOME, block);
      twins.put32(line + L.BLOCK_KIND, LANE.code);
    },
  };
}

const PLANS: readonly Plan[] = [
  { kind: CAPACITOR_KIND.code, lines: [{ flags: L.FLAG_GATE, noted: true, fill: fillCapacitor }] },
  { kind: TURNSTILE_KIND.code, lines: [{ flags: (1 << L.OWNERS_AT) | L.FLAG_TURNS | L.FLAG_GATE }] },
  {
    kind: LANED_CAPACITOR.code,
    lines: [
      { flags: L.FLAG_GATE | FLAG_LANED, noted: true, fill: fillLaned },
      ...Array.from({ length: LANES }, (_, lane) => laneLine(lane)),
    ],
  },
];
const CAPACITOR = 0;
const TURNSTILE = 1;
const LANED = 2;
const AT_CAPACITOR: LineNames = { ...OF_THE_CORE, restore: 'departCapacitorForDead' };
const IN_LANE: LineNames = { ...AT_CAPACITOR, cancel: 'cancelLaneWait' };
const AT_TURNSTILE: LineNames = {
  park: 'parkTurnstile',
  poll: 'pollTurnstile',
  cancel: 'cancelTurnstileWait',
  restore: 'restore',
  releaseForDeadOwner: 'departTurnstileForDead',
};
const LIKE = new Map([
  ['pollTurnstile', 'poll'],
  ['cancelTurnstileWait', 'cancelWait'],
  ['departCapacitorForDead', 'restore'],
  ['leaveTurnstile', 'unlockMutex'],
  ['leaveInTurn', 'unlockMutex'],
  ['makeTurnDue', 'unlockMutex'],
  ['parkTurnstile', 'park'],
  ['departTurnstile', 'handOverMutex'],
  ['departTurnstileForDead', 'releaseForDeadOwner'],
  ['enqueueAtTurnstile', 'enqueueAtMutex'],
  ['walkLanes', 'walk'],
  ['isTurnstileUnused', 'isCapacitorEmpty'],
]);

/** The most bytes that the driver uses. */
export function gateBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, countLines(PLANS));
}

export class GateDriver extends LinePlayers {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap, ticket, PLANS);
  }

  /** Runs one random step of one random agent. */
  step(): void {
    const agent = this.random.below(AGENTS);
    if (this.walking[agent] === true) return this.walkOn(agent);
    const retired = this.offices.findIndex((office) => office.retired);
    if (retired >= 0 && this.random.chance(25)) return void this.replace(agent, retired);
    const kind = this.random.below(100);
    if (kind < 32) this.goOnWaiting(agent);
    else if (kind < 52) this.#capacitor(agent);
    else if (kind < 74) this.#laned(agent);
    else if (kind < 95) this.#turnstile(agent);
    else if (kind < 97) this.#recover(agent);
    else if (kind < 98)
      this.call(
        'wakeEarly',
        this.at(agent),
        this.line(this.random.pick([CAPACITOR, TURNSTILE])),
        this.random.between(1, 3),
      );
    else if (retired < 0) this.retire(agent, this.random.below(PLANS.length));
  }

  #capacitor(agent: number): void {
    const office = this.office(CAPACITOR);
    const { block } = office;
    const [tag, record, entry] = [this.tag(office), this.at(agent), this.entry(agent, CAPACITOR)];
    const kind = this.random.below(10);
    if (kind < 1) this.call('tryAcquire', block, tag, entry, 1);
    else if (kind < 4) this.visit(agent, CAPACITOR, 'acquire', block, tag, entry, 1, record);
    else if (kind < 9) this.leaves(agent, 'departCapacitor', block, tag, record, entry);
    else this.call('isCapacitorEmpty', block);
  }

  #laned(agent: number): void {
    const office = this.office(LANED);
    const { block } = office;
    const [tag, record, entry] = [this.tag(office), this.at(agent), this.entry(agent, LANED)];
    const kind = this.random.below(10);
    if (kind < 2) this.visit(agent, LANED, 'tryArriveInLane', block, tag, entry, record);
    else if (kind < 4 && this.comesBack(agent, LANED)) return;
    else if (kind < 5) this.visit(agent, LANED, 'arriveInLane', block, tag, entry, record);
    else if (kind < 9) this.leaves(agent, 'departCapacitor', block, tag, record, entry);
    else this.call('balance', this.line(LANED + this.random.between(1, LANES)));
  }

  #turnstile(agent: number): void {
    const office = this.office(TURNSTILE);
    const { block } = office;
    const [tag, record, id] = [this.tag(office), this.at(agent), agent + 1];
    const kind = this.random.below(11);
    if (kind < 1) this.call('enterTurnstile', block, tag, id);
    else if (kind < 2) this.call('enterInTurn', block, tag, id);
    else if (kind < 6) this.visit(agent, TURNSTILE, 'enqueueAtTurnstile', block, tag, record, this.mayWait());
    else if (kind < 7) this.call('isTurnstileUnused', block);
    else if (
      kind === 10 ||
      this.call(this.random.chance(50) ? 'leaveTurnstile' : 'leaveInTurn', block, tag, id) === RACED
    )
      this.#leaveContended(agent, block, record, id);
  }

  /** Acts as an owner that counts its passes, or as an impatient successor. */
  #leaveContended(agent: number, block: number, record: number, id: number): void {
    if (!this.offices.some((office) => office.block === block && office.retired))
      this.twins.put32(block + L.TURN, (id << L.TURN_OF) | this.random.below(3));
    this.leaves(agent, 'departTurnstile', block, record, id, this.random.chance(80) ? 0 : 1);
    for (const { at } of this.waits(this.random.below(AGENTS))) this.call('makeTurnDue', at);
  }

  protected override namesAt(line: number): LineNames {
    if (line === TURNSTILE) return AT_TURNSTILE;
    return line === CAPACITOR ? AT_CAPACITOR : IN_LANE;
  }

  protected override walkKind(agent: number): boolean {
    const record = this.at(agent);
    if (this.twins.words.get32(record + L.AGENT_DUTY_KIND) === 0) return false;
    this.call('walkLanes', record);
    return true;
  }

  protected override likeStep(step: string): string {
    return LIKE.get(step) ?? step;
  }

  /** Runs the recovery's steps on waits and holdings, although the agent is alive. */
  #recover(agent: number): void {
    if (this.random.chance(70)) {
      // No ledger entry of the capacitor records a grant in a lane: it departs at once.
      this.cancelAllDead(agent, (line) => (line === LANED ? 0 : this.entry(agent, line)));
      for (const line of [CAPACITOR, LANED]) this.restore(agent, line);
    }
    this.releaseForDeadOwner(agent, TURNSTILE);
  }
}
