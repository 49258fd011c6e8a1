// Places in line that this agent left and may take up again.
//
// Some lines have tombstones that cannot be merged. In the queued locks each waiter is linked to the next. In the lanes
// of a capacitor each tombstone has its own permit to come. In such a line an agent that waits again takes up a place
// that it left, if the line has not passed that place yet. So the line has at most as many tombstones of an agent as
// the agent had waits there at one time.

import { SEM, TAG } from '../kernel/layout.ts';
import { CANCELLED_LEFT_BEHIND, TAKEN } from '../kernel/states.ts';
import type { ElementAddress, LineAddress } from '../kernel/addresses.ts';
import { asLine } from '../kernel/addresses.ts';
import type { KindAgent, LineSteps } from './kind.ts';
import type { AgentContext } from './agent-context.ts';

interface LeftPlace {
  readonly element: ElementAddress;
  readonly line: LineAddress;
  readonly tag: number;
}

/** By the first line of the primitive. */
const places = new WeakMap<KindAgent, Map<LineAddress, LeftPlace[]>>();

/**
 * As a kind's `cancel`, and notes the place that stays behind. `homeOf`: the first line of the primitive that a line
 * belongs to.
 */
export function notingPlaces(
  context: KindAgent,
  cancel: LineSteps['cancel'],
  homeOf: (line: LineAddress) => LineAddress = itself,
): LineSteps['cancel'] {
  const { words } = context;
  const all = places.get(context) ?? new Map<LineAddress, LeftPlace[]>();
  places.set(context, all);
  return (agent, element, entry, dead) => {
    // A dead agent comes back to no place.
    if (dead !== 0) return cancel(agent, element, entry, dead);
    // Before the step: afterwards the element may be another agent's.
    const place = { element, line: asLine(words.get32(element + SEM)), tag: words.get32(element + TAG) };
    const home = homeOf(place.line);
    const left = cancel(agent, element, entry, dead);
    if (left !== CANCELLED_LEFT_BEHIND) return left;
    const known = all.get(home);
    if (known === undefined) all.set(home, [place]);
    else known.push(place);
    return left;
  };
}

function itself(line: LineAddress): LineAddress {
  return line;
}

/** Takes up a place that this agent left at the primitive: its element waits again. 0: there is none. */
export function rejoin(context: AgentContext, home: LineAddress): ElementAddress | 0 {
  const all = places.get(context);
  const known = all?.get(home);
  if (all === undefined || known === undefined) return 0;
  for (let place = known.pop(); place !== undefined; place = known.pop()) {
    const { element, line, tag } = place;
    if (context.kernel.rejoin(context.agent, element, line, tag) === TAKEN) return element;
  }
  all.delete(home);
  return 0;
}
