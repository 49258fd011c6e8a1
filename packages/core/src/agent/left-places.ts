// Places in line that this agent left and may take up again.
//
// Some lines have tombstones that cannot be merged. In the queued locks each waiter is linked to the next. In the lanes
// of a capacitor each tombstone receives a permit of its own. If an agent waits again in such a line, it takes up a
// place that it left, unless the line has passed that place. So an agent has at most as many tombstones in the line as
// it had waits there at one time.

import { LINE, TAG } from '../kernel/layout.ts';
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

/** The places that each agent left, by the first line of the primitive. */
const places = new WeakMap<KindAgent, Map<LineAddress, LeftPlace[]>>();

/**
 * Returns a kind's `cancel` that also records each place that stays behind. `homeOf` returns the first line of the
 * primitive that a line belongs to.
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
    // A dead agent never takes up a place again.
    if (dead !== 0) return cancel(agent, element, entry, dead);
    // Read the place before the step: afterwards the element may belong to another agent.
    const place = { element, line: asLine(words.get32(element + LINE)), tag: words.get32(element + TAG) };
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

/**
 * Takes up a place that this agent left at the primitive. Returns its element, which waits again, or 0 if there is
 * none.
 */
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
