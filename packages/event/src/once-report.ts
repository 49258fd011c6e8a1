// Reads the word of a once or a lazy for reports and messages.

import type { Waiter } from '@sluice/core';
import { GRANT, LIMIT } from '@sluice/core/format';
import { plural } from '@sluice/core/calls';
import { readName, type BlockRef } from '@sluice/core/internal';
import { withoutPermits, titleOfAgent, type LineReport } from '@sluice/core/report';
import { ONCE_CLOSED, ONCE_IDLE } from './kernel/layout.ts';

/** `idle`: no attempt runs, and none has succeeded. */
export type OnceState = 'idle' | 'running' | 'done' | 'closed';

export interface OnceReport {
  readonly kind: 'once';
  readonly name: string;
  readonly state: OnceState;
  /** The id of the agent that runs an initialiser, or 0 if there is none. */
  readonly runner: number;
  /** How messages name it, such as "agent 3 (thread 5, resizer)". Absent if there is none. */
  readonly runnerTitle?: string;
  /** The number of failed attempts: the initialiser threw, or its agent died. It wraps at 2^32. */
  readonly failures: number;
  /** The waiters. All of them check again when an attempt ends. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
}

export interface LazyReport extends Omit<OnceReport, 'kind'> {
  readonly kind: 'lazy';
  /** The name of its codec. */
  readonly codec: string;
  /** The maximum size of its value in bytes. */
  readonly capacity: number;
}

/** The fields of the word. */
export type OnceWord = Pick<OnceReport, 'state' | 'runner' | 'failures'>;

export function onceWordAt({ context: { words }, address }: BlockRef): OnceWord {
  const word = words.load64(address + GRANT);
  const low = Number(BigInt.asIntN(32, word));
  const state = stateOf(low);
  // The attempt that succeeded, and the close, each ended one attempt that did not fail.
  const ended = state === 'done' || state === 'closed' ? 1n : 0n;
  return { state, runner: state === 'running' ? low : 0, failures: Number(BigInt.asUintN(32, (word >> 32n) - ended)) };
}

function stateOf(low: number): OnceState {
  if (low === ONCE_IDLE) return 'idle';
  if (low === ONCE_CLOSED) return 'closed';
  return low > ONCE_IDLE ? 'running' : 'done';
}

/** Returns the agent that runs an initialiser, or an empty list. For messages. */
export function runnersAt(ref: BlockRef): readonly number[] {
  const { runner } = onceWordAt(ref);
  return runner === 0 ? [] : [runner];
}

/** Returns text for messages, such as 'idle, 2 attempts failed'. */
export function stateText(ref: BlockRef): string {
  const { state, failures } = onceWordAt(ref);
  return [
    ...(state === 'running' ? [] : [state]),
    ...(failures === 0 ? [] : [`${plural(failures, 'attempt')} failed`]),
  ].join(', ');
}

export function reportOnce(ref: BlockRef, { waiters }: LineReport): OnceReport {
  const { words } = ref.context;
  const word = onceWordAt(ref);
  return {
    kind: 'once',
    name: readName(words, ref.address),
    ...word,
    ...(word.runner !== 0 && { runnerTitle: titleOfAgent(words, word.runner) }),
    waiters: waiters.map(withoutPermits),
  };
}

export function reportLazy(ref: BlockRef, line: LineReport, codec: string): LazyReport {
  return {
    ...reportOnce(ref, line),
    kind: 'lazy',
    codec,
    capacity: ref.context.words.get32(ref.address + LIMIT),
  };
}
