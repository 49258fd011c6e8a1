// How an agent leaves an arena while its thread lives on: what recovery does for a dead agent, done by the agent itself.
//
//   take its own record (RECLAIMER) · end its liveness token · recover itself · refuse all later use
//
// The record first: from then on no other agent recovers it, unless the thread is known to have ended (reclaim.ts). An agent that asked
// before that and gets no answer any more finds its claim on the record gone.

import { plural } from '../account/title.ts';
import { readName } from './name.ts';
import { MisuseError } from '../errors.ts';
import { AGENT_RECLAIMER, FLAG_TURNSTILE, FLAGS, GATE, HEADER_ELEMENT_POOL, LEASE } from '../kernel/layout.ts';
import { ABANDONED, DESERTED, FREE, SPENT, TAKEN, WATCHING } from '../kernel/states.ts';
import { isOwnedLock, lockOf } from '../lock-health.ts';
import { disarm } from './life.ts';
import { records } from './pool.ts';
import { Recovery } from './recovery.ts';
import type { Seat } from './seat.ts';
import { allHoldings, type HoldingRecord } from './standings.ts';

/** Gates of elements that no wait needs: kept for the next one, given up, or left behind at a location (@sluice/address-wait). */
const IDLE_GATES = new Set<number>([FREE, ABANDONED, SPENT, DESERTED, WATCHING]);

/** Gives back all that the calling agent has in the arena. Throws `MisuseError` while it holds or waits for something. */
export function leaveArena(seat: Seat): void {
  checkIdle(seat);
  takeOwnRecord(seat);
  seat.retire();
  disarm(seat);
  new Recovery(seat, seat.agent, seat.id, []).run();
  seat.refuseSteps();
}

function checkIdle(seat: Seat): void {
  const { words, id } = seat;
  for (const holding of allHoldings(words)) {
    if (holding.agent === id && !isOutside(seat, holding)) throw stillHolds(seat, holding);
  }
  for (const { record, owner } of records(words, HEADER_ELEMENT_POOL)) {
    if (owner === id && !IDLE_GATES.has(words.load32(record + GATE))) throw refusal(seat, 'still waits for something', 'await or abort its waits');
  }
}

/** A turnstile's agent keeps its turn for a while after it went out. */
function isOutside({ words }: Seat, { address }: HoldingRecord): boolean {
  return (words.get32(address + FLAGS) & FLAG_TURNSTILE) !== 0 && words.load32(address + LEASE) !== 0;
}

function stillHolds(seat: Seat, { address, permits }: HoldingRecord): MisuseError {
  const block = lockOf(seat.words, address);
  const count = isOwnedLock(seat.words, block) ? '' : `, ${plural(permits, 'permit')}`;
  return refusal(seat, `still holds '${readName(seat.words, block)}' (address ${block}${count})`, 'give it back');
}

function refusal({ id }: Seat, why: string, remedy: string): MisuseError {
  return new MisuseError(`Agent ${id} cannot leave the arena: it ${why}. Nothing was changed; ${remedy} first.`);
}

function takeOwnRecord({ words, kernel, agent, id }: Seat): void {
  let reclaimer: number;
  do {
    reclaimer = words.load32(agent + AGENT_RECLAIMER);
    if (reclaimer > 0) throw new MisuseError(`Agent ${id} cannot leave the arena: agent ${reclaimer} took it for dead and is recovering it.`);
  } while (kernel.takeOver(agent, id, reclaimer, id) !== TAKEN);
}
