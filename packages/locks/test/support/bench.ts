// One lock as three agents of this thread see it, which really wait.

import { Arena } from '@sluice/core';
import { openAs, secondAgent } from '../../../core/test/support/second-agent.ts';
import { turn } from '../../../core/test/support/turn.ts';
import type { AnyLock, LockKind } from './kinds.ts';

export interface Seen {
  readonly ours: AnyLock;
  readonly theirs: AnyLock;
  readonly thirds: AnyLock;
}

export class Bench {
  readonly arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
  readonly other = secondAgent(this.arena);
  readonly third = secondAgent(this.arena);

  create(kind: LockKind, name = 'bench'): Seen {
    const ours = kind.create({ arena: this.arena, name });
    const open = (agent: Arena): AnyLock => openAs(agent, ours.handle, (handle) => kind.from(handle));
    return { ours, theirs: open(this.other), thirds: open(this.third) };
  }
}

/** Who got the lock, in that order. */
export class Visits {
  readonly order: string[] = [];

  /** Waits for the lock, stays inside while `stay` does, and goes. */
  async visit(who: string, lock: AnyLock, stay: () => unknown = turn): Promise<void> {
    await lock.lockAsync();
    this.order.push(who);
    await stay();
    lock.unlock();
  }
}
