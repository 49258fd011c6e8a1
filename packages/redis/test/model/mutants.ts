// The client with one thing wrong. Each must be caught by the schedules of the plan that it names.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const LOST = 'one permit, lost connections and messages';

export const MUTANTS: readonly Mutant[] = [
  { name: 'a grant found by asking is not taken', in: 'Session.#answered', find: 'this.granted(seq, answer, false)', replace: 'this.#entries.knows(seq)', caughtBy: LOST },
  { name: 'a wait that the server lost is not sent again', in: 'Entries.take', find: 'this.waits.get(seq)?.enqueue()', replace: 'this.waits.get(seq)', caughtBy: 'a failover that loses the last calls' },
  { name: 'a grant after the end of the lease is taken', in: 'Deadline.passed', find: 'now >= this.#end || wall >= this.#wallEnd', replace: 'now < wall - wall', caughtBy: 'pauses' },
  { name: 'a wait that was given up stays in line', in: 'Wait.#giveUp', find: 'if (wasInLine) this.#cancel();', replace: 'if (wasInLine) this.#due?.stop();', caughtBy: 'pauses' },
  { name: 'a wait that was given up before its answer stays in line', in: 'Wait.#answered', find: 'if (this.#state === LEFT) return this.#cancel();', replace: 'if (this.#state === LEFT) return;', caughtBy: 'answers that come after the caller gave up' },
  { name: 'a grant on its way to a wait that was given up is kept', in: 'Session.abandon', find: "if (reply[0] === 'granted') this.#releaseUnknown(key, seq);", replace: "if (reply[0] === 'granted') this.#heart.beat();", caughtBy: 'pauses' },
  { name: 'what a failover brought back is kept', in: 'Session.#round', find: 'if (this.#audit) await this.#compare();', replace: '', caughtBy: 'a failover that loses the last calls' },
  { name: 'a front gives one grant to two callers', in: 'Front.#pass', find: 'this.#waiters.delete(next)', replace: 'this.#waiters.has(next)', caughtBy: 'local hand-overs' },
  { name: 'a front keeps idle grants that others asked for', in: 'Front.#giveIdle', find: 'grant.release().catch(() => undefined)', replace: 'grant.ask()', caughtBy: 'idle permits stay' },
];
