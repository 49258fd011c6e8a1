// Steps of the recovery of a dead agent. They work on the dead agent's own record, so another agent can continue if the
// recovering agent dies, too. ../recovery/recover-agent.ts defines their order.

import { announce } from './admit.ts';
import {
  BLOCK_TAG,
  RELEASED_FOR_OTHERS,
  ENTRY_HELD,
  ENTRY_LINE,
  ENTRY_TAG,
  FLAG_OWNED,
  FLAGS,
  GRANT,
  OWNER,
} from './layout.ts';
import { RACED, TAKEN, type TakeOutcome } from './states.ts';
import { add64, cas64, clamp, get32, get64, load32, load64, minus, pair, put64, toNumber, wide } from './words.ts';
import { clearHazard, setHazard } from './hazard.ts';
import { orphan } from './owner-word.ts';
import type { AgentAddress, EntryAddress, LineAddress } from './addresses.ts';
import { asLine } from './addresses.ts';

const MOST: i32 = 0x7fffffff;

/**
 * Changes which agent checks whether the agent `id` is dead (-id), or recovers it (id). 0 stands for no agent. Returns
 * RACED if the value was not `from`, or if another agent uses the record by now. One word holds both, and ids are never
 * reused.
 *
 * @takes The check of an agent, or the right to recover it
 * @leaves `AGENT_RECLAIMER` in its record: -id of the agent that checks, or id of the agent that found it dead
 * @death While it checks: the next agent takes its place. While it recovers: the agent that recovers the reclaimer gets
 *   that right and uses it
 */
export function takeOver(record: AgentAddress, id: i32, from: i32, to: i32): TakeOutcome {
  const held = pair(id, from);
  return cas64(record + OWNER, held, pair(id, to)) === held ? TAKEN : RACED;
}

/**
 * Returns the record of a recovered agent, all zero, to its pool.
 *
 * @takes A recovered agent's record, all zero, to the pool
 * @leaves `OWNER` and `AGENT_RECLAIMER` 0
 * @death Nothing
 */
export function dismiss(record: AgentAddress, id: i32, reclaimer: i32): TakeOutcome {
  const held = pair(id, reclaimer);
  return cas64(record + OWNER, held, wide(0)) === held ? TAKEN : RACED;
}

/**
 * Releases the permits that a ledger entry records for a dead agent, less those that other agents released for it
 * (RELEASED_FOR_OTHERS). Returns the number of permits, or RACED if it lost a race: call again. Run the walk
 * afterwards.
 *
 * @takes A dead agent's permits: first against `RELEASED_FOR_OTHERS`, then the rest to `GRANT`. For an owned lock,
 *   first `HEALTH` ORPHANED
 * @leaves `ENTRY_HELD` minus the permits that were given back; the chain or range as in `release`, in the **dead**
 *   agent's record
 * @death Called again; walk. An entry with 0 permits gives nothing
 */
export function restore(agent: AgentAddress, entry: EntryAddress): f64 {
  setHazard(agent, asLine(get32(entry + ENTRY_LINE)));
  const restored = restoreUnderHazard(agent, entry);
  clearHazard(agent);
  return restored;
}

function restoreUnderHazard(agent: AgentAddress, entry: EntryAddress): f64 {
  const line = asLine(get32(entry + ENTRY_LINE));
  const held = get64(entry + ENTRY_HELD);
  if (held === wide(0)) return 0;
  if (load32(line + BLOCK_TAG) !== get32(entry + ENTRY_TAG)) {
    put64(entry + ENTRY_HELD, wide(0));
    return 0;
  }
  const debt = load64(line + RELEASED_FOR_OTHERS);
  if (debt > wide(0)) return offset(line, entry, held, debt);
  if ((get32(line + FLAGS) & FLAG_OWNED) !== 0) orphan(line);
  put64(entry + ENTRY_HELD, wide(0));
  announce(line, agent, add64(line + GRANT, held), clamp(held, MOST));
  return toNumber(held);
}

/**
 * Offsets a dead agent's permits against permits that were released for others. The entry is written first: with
 * `jsEngine` an agent may die in between, and a lost permit is better than a duplicated one.
 */
export function offset(line: LineAddress, entry: EntryAddress, held: i64, debt: i64): typeof RACED {
  const left = minus(held, debt);
  if (left <= wide(0)) {
    put64(entry + ENTRY_HELD, wide(0));
    if (cas64(line + RELEASED_FOR_OTHERS, debt, minus(debt, held)) !== debt) put64(entry + ENTRY_HELD, held);
  } else {
    put64(entry + ENTRY_HELD, left);
    if (cas64(line + RELEASED_FOR_OTHERS, debt, wide(0)) !== debt) put64(entry + ENTRY_HELD, held);
  }
  return RACED;
}
