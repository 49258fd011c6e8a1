// What is told of an order of locks that can lead to a deadlock.

import { plural } from '@sluice/core/calls';
import { placesText, type Place } from '../observe/call-place.ts';

/** One thread held a lock and asked for another one. */
export interface OrderStep {
  /** How reports name the thread, such as "agent 2 (thread 1)". */
  readonly thread: string;
  /** The class of the lock that it held, such as "lock 'accounts'", with the key or the address if it matters. */
  readonly held: string;
  /** The callers of the call that acquired it, the innermost first. Empty if they were not kept. */
  readonly heldAt: readonly Place[];
  /** The class of the lock that it asked for. */
  readonly asked: string;
  /** The callers of the call that asked for it, the innermost first. */
  readonly askedAt: readonly Place[];
}

/** An order of locks that can lead to a deadlock. */
export interface OrderViolation {
  /**
   * `'cycle'`: each thread held the lock for which the thread before it asked. `'nesting'`: a lock was acquired while
   * another one of its class was held, and the declared nesting does not allow that.
   */
  readonly kind: 'cycle' | 'nesting';
  /** The step of this thread comes first. Each `asked` is the next one's `held`, and the last one's the first one's. */
  readonly steps: readonly OrderStep[];
  /** The text of the warning. It may change with every version. */
  readonly text: string;
}

/** Returns what is told of a cycle. */
export function cycleOf(steps: readonly OrderStep[]): OrderViolation {
  const [first, ...others] = steps;
  const head =
    others.length === 0
      ? 'A lock order can lead to a deadlock.'
      : `${plural(others.length + 1, 'lock order')} together can lead to a deadlock, if the threads run this code at the same time.`;
  const lines = [
    head,
    ...(first === undefined ? [] : stepLines(first, 'asks for', 'holds')),
    ...others.flatMap((step) => stepLines(step, 'asked for', 'held')),
    'Acquire these locks in one order everywhere, or together, by holdAll or runAll.',
  ];
  return { kind: 'cycle', steps, text: lines.join('\n') };
}

/** Returns what is told of a nesting that is not declared. */
export function nestingOf(step: OrderStep): OrderViolation {
  const lines = [
    'A lock is acquired while another one of its class is held, against the declared nesting.',
    ...stepLines(step, 'asks for', 'holds'),
  ];
  return { kind: 'nesting', steps: [step], text: lines.join('\n') };
}

function stepLines({ thread, held, heldAt, asked, askedAt }: OrderStep, asks: string, holds: string): string[] {
  return [
    `  ${thread} ${asks} ${asked} while it ${holds} ${held}`,
    `    ${held}: acquired at ${stackText(heldAt, 'a place that was not kept')}`,
    `    ${asked}: asked for at ${stackText(askedAt, 'an unknown place')}`,
  ];
}

/** The most callers that a line names. */
const CALLERS = 3;

function stackText(stack: readonly Place[], otherwise: string): string {
  return stack.length === 0 ? otherwise : placesText(stack, CALLERS);
}
