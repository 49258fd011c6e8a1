// How an agent leaves an arena while its thread lives on: the agent does for itself what recovery does for a dead
// agent.
//
//   take its own record (RECLAIMER) · end its liveness token · recover itself · refuse all later use
//
// The agent takes its record first. From then on no other agent recovers it, unless its thread is known to have ended
// (claim-dead-agent.ts). Another agent may have begun a probe before, and may get no answer. It then finds that it has
// lost its claim on the record.

import { plural } from '../api/wording.ts';
import { readName } from '../memory/name.ts';
import { MisuseError } from '../api/errors.ts';
import { AGENT_RECLAIMER, GATE, HEADER_ELEMENT_POOL } from '../kernel/layout.ts';
import { ABANDONED, LEFT_CHAIN, FREE, SPENT, TAKEN, WATCHING } from '../kernel/states.ts';
import { isOwnedLock } from '../memory/lock-health.ts';
import { blockOf } from '../memory/blocks.ts';
import { disarm } from '../agent/liveness-probe.ts';
import { records } from '../memory/records.ts';
import { Recovery } from './recover-agent.ts';
import { titleOfAgent } from '../report/agent-titles.ts';
import { kindOf } from '../report/kind-of.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { allHoldings, type HoldingRecord } from '../report/holders-and-waiters.ts';
import { retryOrThrow } from '../memory/retry.ts';

/**
 * Gates of elements that no wait needs. They are kept for the next wait, cancelled, or left behind at a location
 * (@sluice/address-wait).
 */
const IDLE_GATES = new Set<number>([FREE, ABANDONED, SPENT, LEFT_CHAIN, WATCHING]);

/**
 * Gives back everything that the calling agent has in the arena. Throws `MisuseError` while the agent holds or waits
 * for something.
 */
export function leaveArena(context: AgentContext): void {
  checkIdle(context);
  takeOwnRecord(context);
  context.retire();
  disarm(context);
  new Recovery(context, context.agent, context.id, []).run();
  context.refuseSteps();
}

function checkIdle(context: AgentContext): void {
  const { words, id } = context;
  for (const holding of allHoldings(context)) {
    if (holding.agent === id) throw stillHolds(context, holding);
  }
  for (const { record, owner } of records(words, HEADER_ELEMENT_POOL)) {
    if (owner === id && !IDLE_GATES.has(words.load32(record + GATE)))
      throw refusal(context, 'still waits for something', 'await or abort its waits');
  }
}

function stillHolds(context: AgentContext, { address, permits }: HoldingRecord): MisuseError {
  const block = blockOf(context.words, address);
  const count = isOwnedLock(context.words, block) ? '' : `, ${plural(permits, 'permit')}`;
  return refusal(
    context,
    `still holds ${kindOf(context, block)} '${readName(context.words, block)}' (address ${block}${count})`,
    'give it back',
  );
}

function refusal({ id }: AgentContext, why: string, remedy: string): MisuseError {
  return new MisuseError(
    `This agent (agent ${id}) cannot leave the arena: it ${why}. Nothing was changed; ${remedy} first.`,
  );
}

function takeOwnRecord({ words, kernel, agent, id }: AgentContext): void {
  let reclaimer: number;
  let tries = 0;
  do {
    retryOrThrow(++tries);
    reclaimer = words.load32(agent + AGENT_RECLAIMER);
    if (reclaimer > 0)
      throw new MisuseError(
        `This agent (agent ${id}) cannot leave the arena: ${titleOfAgent(words, reclaimer)} took it for dead and is recovering it.`,
      );
  } while (kernel.takeOver(agent, id, reclaimer, id) !== TAKEN);
}
