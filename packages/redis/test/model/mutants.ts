// The client with one thing wrong. Each must be caught by the schedules of the plan that it names.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const LOST = 'one permit, lost connections and messages';

export const MUTANTS: readonly Mutant[] = [
  { name: 'nothing is asked with a heartbeat', in: 'Session.#entries', find: 'if (inLine) yield [line.key, seq, permits, 0]', replace: 'if (inLine && permits < 0) yield [line.key, seq, permits, 0]', caughtBy: LOST },
  { name: 'a wait that the server lost is not sent again', in: 'Session.#answered', find: 'this.#waits.get(seq)?.enqueue()', replace: 'this.#waits.get(seq)', caughtBy: 'a failover that loses the last calls' },
  { name: 'a lost grant is not told', in: 'Session.#answered', find: "grant.lose(leaseLost(grant.line.title, 'the server has lost the grant'))", replace: '', caughtBy: 'a failover that loses the last calls' },
  { name: 'the deadline counts from the answer', in: 'Session.#extend', find: 'sent + own', replace: 'this.#options.timing.now() + own + this.#options.lease', caughtBy: 'pauses' },
  { name: 'a grant after the end of the lease is taken', in: 'Session.#look', find: 'now >= this.#deadline || wall >= this.#wallDeadline', replace: 'now < 0', caughtBy: 'pauses' },
  { name: 'an interrupted call keeps its generation', in: 'Session.call', find: 'this.#generation++', replace: 'this.#generation', caughtBy: LOST },
  { name: 'a wait that was given up stays in line', in: 'Wait.#giveUp', find: 'if (wasInLine) this.#cancel();', replace: 'if (wasInLine) this.#due?.stop();', caughtBy: LOST },
  { name: 'a wait that was given up before its answer stays in line', in: 'Wait.#answered', find: 'if (this.#state === LEFT) return this.#cancel();', replace: 'if (this.#state === LEFT) return;', caughtBy: LOST },
  { name: 'a grant on its way to a wait that was given up is kept', in: 'Session.abandon', find: "if (reply[0] === 'granted') this.#releaseUnknown(key, seq);", replace: "if (reply[0] === 'granted') this.ask();", caughtBy: LOST },
  { name: 'what a failover brought back is kept', in: 'Session.#beat', find: 'if (this.#audit) await this.#compare();', replace: '', caughtBy: 'a failover that loses the last calls' },
  { name: 'a front gives one grant to two callers', in: 'Front.#pass', find: 'this.#waiters.delete(next)', replace: 'this.#waiters.has(next)', caughtBy: 'local hand-overs' },
  { name: 'a front forgets its waiters after a release', in: 'Front.#pass', find: 'const released = grant.release();\n// After\nthis.#pump();', replace: 'const released = grant.release();', caughtBy: 'local hand-overs' },
  { name: 'a front keeps idle grants that others asked for', in: 'Front.#giveIdle', find: 'grant.release().catch(() => undefined)', replace: 'grant.ask()', caughtBy: 'idle permits stay' },
  { name: 'a front requests nothing for waiters that a failure left', in: 'Front.#ask', find: 'if (first !== undefined) this.#giveUp(first, failure)', replace: 'if (first === undefined) this.#giveUp(first as never, failure)', caughtBy: 'idle permits stay' },
];
