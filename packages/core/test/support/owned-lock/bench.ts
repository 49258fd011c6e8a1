// One lock as seen by three agents of this thread. The agents really wait.

import { Arena } from '../../../src/index.ts';
import { openAs, secondAgent } from '../second-agent.ts';
import type { OwnedLockKind, TestedLock } from './kind.ts';

export interface Seen {
  readonly ours: TestedLock;
  readonly theirs: TestedLock;
  readonly thirds: TestedLock;
}

export class Bench {
  readonly arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
  readonly other = secondAgent(this.arena);
  readonly third = secondAgent(this.arena);

  create(kind: OwnedLockKind, name = 'bench'): Seen {
    const ours = kind.create({ arena: this.arena, name });
    const open = (agent: Arena): TestedLock => openAs(agent, ours.handle, (handle) => kind.from(handle));
    return { ours, theirs: open(this.other), thirds: open(this.third) };
  }
}
