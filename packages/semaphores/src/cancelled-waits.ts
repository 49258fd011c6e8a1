// Which waits of an agent a cancel has ended. The wait loops of the core know that a wait has ended without permits, and not why.

import type { AgentContext, ElementAddress } from '@sluice/core/internal';

const reasons = new WeakMap<AgentContext, Map<ElementAddress, number>>();

/** Notes that the wait with that element was cancelled. Its caller asks for the reason next. */
export function noteCancelled(context: AgentContext, element: ElementAddress, reason: number): void {
  const own = reasons.get(context) ?? new Map<ElementAddress, number>();
  reasons.set(context, own.set(element, reason));
}

/** The reason of the cancel that ended the wait with that element, once. `undefined`: it ended otherwise. */
export function takeReason(context: AgentContext, element: ElementAddress): number | undefined {
  const own = reasons.get(context);
  const reason = own?.get(element);
  own?.delete(element);
  return reason;
}
