// Hands on the locks of a dead owner. Each kind says how (`releaseForDeadOwner`).

import { BLOCK_TAG, OFFICE_HIGH } from '../kernel/layout.ts';
import { FOREIGN, UNSEEN, type HandOver } from '../kernel/states.ts';
import { isElement } from '../agent/is-element.ts';
import { isOwnedLock } from '../memory/lock-health.ts';
import { blocks } from '../memory/blocks.ts';
import { noteLock, notePermits, type Losses } from './losses.ts';
import type { KindSteps } from '../agent/kind.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { ownedLines, ownerOfLine } from '../report/holders-and-waiters.ts';
import { retryWhileRaced } from '../memory/retry.ts';
import type { AgentAddress, BlockAddress, ElementAddress, LineAddress } from '../kernel/addresses.ts';

/** The part of a dead agent's recovery that this needs. */
export interface OwnerRecovery {
  readonly context: AgentContext;
  /** The dead agent's record. */
  readonly record: AgentAddress;
  readonly id: number;
  readonly losses: Losses;
  /** Sets the hazard word, then checks whether a line is there. */
  readonly guards: (line: number) => boolean;
  /** Whether only an agent with another kind can continue there. */
  readonly isForeign: (line: number, tag: number) => boolean;
  readonly kindOf: (line: number) => KindSteps | undefined;
  readonly finishWalk: () => void;
}

/** Hands on all locks that the dead agent owns. */
export function passOnLocks(recovery: OwnerRecovery): void {
  const { context, id } = recovery;
  for (const block of blocks(context.words)) {
    for (const line of ownedLines(context.words, block))
      if (ownerOfLine(context.words, line) === id) passOnLock(recovery, block, line);
  }
}

function passOnLock(recovery: OwnerRecovery, block: BlockAddress, line: LineAddress): void {
  const { context, record, id, losses } = recovery;
  const { words } = context;
  // Check again under the hazard word. No other agent frees a lock that the dead agent owns.
  if (!recovery.guards(line) || !ownedLines(words, block).includes(line) || ownerOfLine(words, line) !== id) return;
  if (recovery.isForeign(line, words.load32(line + BLOCK_TAG))) return;
  const unseen = (words.load32(line + OFFICE_HIGH) & UNSEEN) !== 0;
  const kind = recovery.kindOf(line);
  const passed: HandOver | ElementAddress = retryWhileRaced(() => kind?.releaseForDeadOwner?.(record, line) ?? FOREIGN);
  if (isElement(passed)) context.notify(passed);
  recovery.finishWalk();
  if (unseen) losses.ticketsWithdrawn += 1;
  else if (kind?.deadOwnerIn !== undefined || isOwnedLock(words, line))
    noteLock(words, losses, line, kind?.deadOwnerIn);
  else notePermits(words, losses, line, 1);
}
