// The client with one thing wrong. Each must be caught by the schedules of the plan that it names.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const LOST = 'one permit, lost connections and messages';

export const MUTANTS: readonly Mutant[] = [
  { name: 'a grant found by asking is not taken', in: 'News.#answered', find: 'this.#session.granted(seq, answer, false)', replace: 'this.#entries.knows(seq)', caughtBy: LOST },
  { name: 'a wait that the server lost is not sent again', in: 'Entries.take', find: 'this.waits.get(seq)?.enqueue()', replace: 'this.waits.get(seq)', caughtBy: 'a failover that loses the last calls' },
  { name: 'a grant after the end of the lease is taken', in: 'Session.#look', find: 'this.#ended === undefined && this.#deadline.passed', replace: 'this.#ended !== undefined', caughtBy: 'pauses' },
  { name: 'a wait that was given up stays in line', in: 'Wait.#giveUp', find: 'if (wasInLine) this.#cancel();', replace: 'if (wasInLine) this.#due?.stop();', caughtBy: 'pauses' },
  { name: 'a wait that was given up before its answer stays in line', in: 'Wait.#answered', find: 'if (this.#state === LEFT) return this.#cancel();', replace: 'if (this.#state === LEFT) return;', caughtBy: 'answers that come after the caller gave up' },
  { name: 'a signal gives a grant back while the server forgets it', in: 'Entries.knows', find: 'this.settling.has(seq)', replace: 'this.settling.has(-seq)', caughtBy: 'a signal' },
  { name: 'a used permit of a rate is given back', in: 'Session.use', find: 'this.#entries.settling.add(seq)', replace: 'this.#entries.settling.delete(seq)', caughtBy: 'a rate, connections that break all the time' },
  { name: 'the head of a rate does not call when its permits are there', in: 'Wait.#enqueued', find: 'if (dueMs > 0) this.poke(dueMs);', replace: '', caughtBy: 'the head of a rate' },
  { name: 'the next head of a rate does not call when its permits are there', in: 'News.#receive', find: 'this.#entries.waits.get(Number(what))?.poke(Number(token))', replace: 'this.#entries.waits.get(Number(what))', caughtBy: 'the head of a rate' },
  { name: 'a head whose permits come too late stays', in: 'Wait.poke', find: 'this.#timing.now() + dueMs > this.#patience.ends', replace: 'this.#timing.now() > this.#patience.ends', caughtBy: 'a head whose permits come after its timeout' },
  { name: 'a booking that returned keeps its timer', in: 'RemoteReservation.#close', find: 'this.#timer?.stop();', replace: '', caughtBy: 'a booking that returns needs no timer' },
  { name: 'a booking fails to return when the lease ends', in: 'RemoteReservation.cancel', find: 'session.ended === undefined', replace: 'true', caughtBy: 'a booking that returns while the lease ends' },
  { name: 'a booking whose cancel is sent again was not returned', in: 'RemoteReservation.cancel', find: "answer === 'returned' || again", replace: "answer === 'returned'", caughtBy: 'a rate, connections that break all the time' },
  { name: 'a waiter of a once does not ask when it is told', in: 'News.#receive', find: 'this.#entries.waits.get(Number(what))?.enqueue()', replace: 'this.#entries.waits.get(Number(what))', caughtBy: 'a once that is done' },
  { name: 'an attempt that failed keeps the once', in: 'Attempts.run', find: 'await grant.release().catch(() => undefined);', replace: '', caughtBy: 'a once, lost connections and messages' },
  { name: 'an acquire is sent again for a caller that does not wait any more', in: 'Calls.call', file: 'redis/src/calls.ts', find: 'if (!wanted()) throw failure;', replace: '', caughtBy: 'a grant that is released before its call is sent again' },
  { name: 'a reconnect does not ask', in: 'News.broke', find: 'this.#heart.beat();', replace: 'this.#audit = true;', caughtBy: 'a connection for messages that breaks during a grant' },
  { name: 'a session asks only once after a break', in: 'News.#round', find: 'broke ? Math.min(ofOthers, this.#session.lease * AFTER_BREAK) : ofOthers', replace: 'ofOthers', caughtBy: 'a channel that is silent since a break' },
  { name: 'a heartbeat that is asked for takes the place of the second one after a break', in: 'Heart.#beat', file: 'redis/src/heart.ts', find: 'again ? next : Infinity', replace: 'Infinity', caughtBy: 'a channel that is silent since a break of a heartbeat' },
  { name: 'a silent channel is not made afresh', in: 'Channel.#doubt', find: 'this.open()', replace: 'Promise.resolve()', caughtBy: 'a channel that is silent without a sign' },
  { name: 'the timer of a lease that rings early is not set again', in: 'Deadline.#rang', find: 'this.#arm()', replace: 'this.#ring()', caughtBy: 'timers that ring early' },
  { name: 'what a failover brought back is kept', in: 'News.#round', find: 'if (broke) await this.#compare();', replace: '', caughtBy: 'a failover that loses the last calls' },
  { name: 'a front gives one grant to two callers', in: 'Front.#pass', find: 'this.#waiters.delete(next)', replace: 'this.#waiters.has(next)', caughtBy: 'local hand-overs' },
  { name: 'a front keeps idle grants that others asked for', in: 'Front.#giveIdle', find: 'grant.release().catch(() => undefined)', replace: 'grant.ask()', caughtBy: 'idle permits stay' },
  { name: 'what a server kept when it refused a release stays', in: 'Calls.call', file: 'redis/src/calls.ts', find: 'this.#listener.doubtful();', replace: 'this.#failure = undefined;', caughtBy: 'a server that cannot save' },
  { name: 'what a server kept when it refused a call that was sent again stays', in: 'Calls.call', file: 'redis/src/calls.ts', find: 'tries > 0 || ', replace: '', caughtBy: 'an acquire whose repetition is refused' },
];
