// Mutants of the script and the client at latches and barriers: each changes one line.

import type { Mutant } from '../../../core/test/model/mutants.ts';
import type { BrokenScript } from './broken-scripts.ts';

const LOST = 'a barrier, lost connections and messages';
const GIVES_UP = 'a barrier whose parties time out or abort';
const BREAKS = 'a barrier, connections that break all the time';
const DEATHS = 'a barrier, deaths';
const LATCH = 'a latch, lost connections and messages';
const LATCH_BREAKS = 'a latch, connections that break all the time';
const LATCH_DEATHS = 'a latch, deaths';
const LATCH_PAUSES = 'a latch, pauses';
const ACTION = 'a connection that breaks during an action';

export const BROKEN_ROUNDS: readonly BrokenScript[] = [
  {
    name: 'an arrival that is sent again counts twice',
    find: 'if known then return known end\n  if p.count == 0',
    replace: 'if p.count == 0',
    plan: BREAKS,
  },
  {
    name: 'the end of a wait is not recorded',
    find: "call('HSET', P, session .. ':' .. seq, code .. ':' .. p.round)\n",
    replace: '',
    plan: LOST,
  },
  {
    name: 'an ended wait stays in line',
    find: "      call('ZREM', Q, entry)\n      call('HSET', P, session",
    replace: "      call('HSET', P, session",
    plan: LOST,
  },
  {
    name: 'a generation trips one party early',
    find: 'p.line >= p.parties end',
    replace: 'p.line >= p.parties - 1 end',
    plan: LOST,
  },
  {
    name: 'all parties are leaders',
    find: 'local code = i == 1 and first or rest',
    replace: 'local code = first',
    plan: LOST,
  },
  {
    name: 'no message reports the end of a generation',
    find: 'for _, session in ipairs(sessions) do send(session, told[session]) end',
    replace: '',
    plan: 'the last party wakes the others',
  },
  {
    name: 'the end of a generation does not advance the number',
    find: 'p.round + 1, 0, nil',
    replace: 'p.round, 0, nil',
    plan: LOST,
  },
  {
    name: 'a leaving waiter does not break the barrier',
    find: '    if arrived then\n',
    replace: '    if false then\n',
    plan: 'a party that times out',
  },
  {
    name: 'a late leaving waiter breaks the next generation',
    find: "if known and known[1] == 'ended' and known[2] ~= ACTS then",
    replace: 'if false then',
    plan: 'a party that times out after its generation has tripped',
  },
  {
    name: 'the server does not repeat the reply to a late leave',
    find: 'known[2] ~= ACTS then return known end',
    replace: 'known[2] ~= ACTS then R.forget(session, seq) return known end',
    plan: 'a party that times out after its generation has tripped, and does not hear that it is late',
  },
  {
    name: 'a broken barrier accepts arrivals',
    find: "    if p.broken then return { 'ended', p.broken, p.round - 1 } end\n",
    replace: '',
    plan: GIVES_UP,
  },
  {
    name: 'the death of a party does not break the barrier',
    find: '    if (leaves or owned > 0) and not p.broken then R.shatter(p, DIED) end\n',
    replace: '',
    plan: DEATHS,
  },
  {
    name: 'the parties of a dead session stay registered',
    find: 'p.parties = math.max(0, p.parties - owned)',
    replace: 'p.parties = p.parties',
    plan: DEATHS,
  },
  {
    name: 'arrivals of a dead session stay in line',
    find: "        call('ZREM', Q, entry)\n        p.line = call('HINCRBY', P, 'line', -1)\n",
    replace: '',
    plan: DEATHS,
  },
  {
    name: 'deregister() does not complete a generation',
    find: '    if not R.isComplete(p) then return end\n',
    replace: '    do return end\n',
    plan: 'a party that leaves',
  },
  {
    name: 'an arrival during an action joins its generation',
    find: 'r.finish(p, p.acting, LEADS, TRIPPED)',
    replace: 'r.finish(p, p.line, LEADS, TRIPPED)',
    plan: 'an arrival during an action',
  },
  {
    name: 'no action runs',
    find: "if acts == '1' then return R.begin(p, session, seq) end\n      R.finish",
    replace: 'R.finish',
    plan: ACTION,
  },
  {
    name: 'a generation trips although its action throws',
    find: "if threw == '1' then r.shatter(p, THREW)\n    else",
    replace: 'do',
    plan: 'an action that throws',
  },
  {
    name: 'a heartbeat does not find the end of a wait',
    find: "known[1] == 'ended' and known[2] .. ':' .. known[3] or known[1] == 'lost'",
    replace: "known[1] == 'lost'",
    plan: LOST,
  },
  {
    name: 'a heartbeat does not make the server forget ended waits',
    find: "if rounds and holds == '1' then rounds.forget(session, seq)",
    replace: "if rounds and holds == '1' then answer = nil",
    plan: LOST,
  },
  {
    name: 'an arrival does not make the server forget ended waits',
    find: '  for _, learned in ipairs({ ... }) do r.forget(session, learned) end\n',
    replace: '',
    plan: LOST,
  },
  {
    name: 'an arrival ignores a lost generation',
    find: '    r.recall(p, seen)\n    if p.broken',
    replace: '    if p.broken',
    plan: 'an arrival after a failover that lost a generation',
  },
  {
    name: 'the arrivals of the previous session stay in line',
    find: 'if rounds then rounds.drop(former) end',
    replace: '',
    plan: 'a party whose lease has ended arrives again',
  },
  {
    name: 'the server accepts calls of the previous session',
    find: "  if former then call('HDEL', T, former) end\n",
    replace: '',
    plan: 'an arrival of a session that its process has given up',
  },
  {
    name: 'a change that is sent again takes effect twice',
    find: "if tonumber(seq) > (tonumber(call('HGET', posts, 'posts')) or 0) then",
    replace: 'if true then',
    plan: LATCH_BREAKS,
  },
  {
    name: 'a change is not recorded',
    find: "    call('HSET', posts, 'posts', seq)\n",
    replace: '',
    plan: LATCH_BREAKS,
  },
  {
    name: 'a count of 0 admits no waiter',
    find: '    if count == 0 then R.finish(p, p.line, TRIPPED, TRIPPED) end\n',
    replace: '',
    plan: LATCH,
  },
  {
    name: 'a wait at count 0 is not recorded',
    find: "    call('HSET', (keys(name)), session .. ':' .. seq, TRIPPED .. ':' .. p.round)\n",
    replace: '',
    plan: 'a wait at count 0 whose reply is lost while the next round begins',
  },
  {
    name: 'the claims of a dead session are not counted down',
    find: '      if owned > 0 and p.count > 0 then R.count(p, session, -math.min(owned, p.count)) end\n',
    replace: '',
    plan: LATCH_DEATHS,
  },
  {
    name: 'done() does not count against a claim',
    find: '    if n < 0 and p.owned > 0 then R.own(p, session, count == 0 and 0 or math.max(0, p.owned + n)) end\n',
    replace: '',
    plan: 'a claim that was met',
  },
  {
    name: 'a claim on more than the count outlives its round',
    find: 'count == 0 and 0 or math.max(0, p.owned + n)',
    replace: 'math.max(0, p.owned + n)',
    plan: 'a claim on more than others have left',
  },
  {
    name: 'an unused barrier stays on the server',
    find: 'if not stays or stays == p[3] then',
    replace: 'if stays == p[3] then',
    plan: LOST,
  },
  {
    name: 'a latch is deleted with its last session',
    find: "local stays = p[4] or (p[1] == '1' and p[2])",
    replace: "local stays = p[1] == '1' and p[2]",
    plan: 'a latch that no session uses for a while',
  },
];

export const ROUNDS_MUTANTS: readonly Mutant[] = [
  {
    name: 'a wait ignores an end that it found by asking',
    in: 'Rounds.take',
    file: 'remote/src/session/rounds.ts',
    find: 'return this.ended(seq, code ?? 0, round ?? 0)',
    replace: 'return code === round',
    caughtBy: LOST,
  },
  {
    name: 'a wait does not send an arrival again that the server lost',
    in: 'Rounds.take',
    file: 'remote/src/session/rounds.ts',
    find: 'wait.enqueue()',
    replace: 'wait.line.timedOut(0)',
    caughtBy: 'a failover that lost an arrival',
  },
  {
    name: 'a session does not tell the server which ends it has learned',
    in: 'Rounds.listed',
    file: 'remote/src/session/rounds.ts',
    find: '[...waits, ...learned]',
    replace: 'waits',
    caughtBy: LOST,
  },
  {
    name: 'a session returns the wait whose action runs',
    in: 'Rounds.knows',
    file: 'remote/src/session/rounds.ts',
    find: ' || this.#acting.has(seq)',
    replace: '',
    caughtBy: ACTION,
  },
  {
    name: 'a session does not report the parties and claims that its predecessor lost',
    in: 'Rounds.checkOwned',
    file: 'remote/src/session/rounds.ts',
    find: '!this.#lost.delete(key)',
    replace: 'key !== title',
    caughtBy: LATCH_PAUSES,
  },
  {
    name: 'a leaving waiter of a barrier does not tell the server',
    in: 'RoundWait.#giveUp',
    file: 'remote/src/session/round-wait.ts',
    find: 'if (wasInLine) this.#ask();',
    replace: 'if (wasInLine) this.fail(reason);',
    caughtBy: 'a party that times out',
  },
  {
    name: 'a leaving waiter does not hear that its generation tripped',
    in: 'RoundWait.#ask',
    file: 'remote/src/session/round-wait.ts',
    find: "answer === 'ended'",
    replace: "answer === ''",
    caughtBy: 'a party that times out after its generation has tripped',
  },
  {
    name: 'a leaving waiter of a latch stays in line',
    in: 'RoundWait.#giveUp',
    file: 'remote/src/session/round-wait.ts',
    find: 'if (wasInLine) this.#abandon();',
    replace: '',
    caughtBy: LATCH,
  },
  {
    name: 'a waiter of a latch that leaves before its reply stays in line',
    in: 'RoundWait.#answered',
    file: 'remote/src/session/round-wait.ts',
    find: 'if (this.#state === LEFT) return this.#abandon();',
    replace: 'if (this.#state === LEFT) return;',
    caughtBy: LATCH_PAUSES,
  },
  {
    name: 'the action of a leaving waiter runs',
    in: 'Rounds.ended',
    file: 'remote/src/session/rounds.ts',
    find: 'if (wait.asked) return false;',
    replace: '',
    caughtBy: 'a party that times out before it hears that it must run its action',
  },
  {
    name: 'a claim outlives its round',
    in: 'Rounds.#end',
    file: 'remote/src/session/rounds.ts',
    find: '!line.isBarrier && ',
    replace: 'round < 0 && ',
    caughtBy: 'a claim on a round that others have ended',
  },
  {
    name: 'a session does not learn an end that its waiter of a latch did not wait for',
    in: 'Session.abandon',
    file: 'remote/src/session/session.ts',
    find: "reply[0] === 'ended'",
    replace: "reply[0] === ''",
    caughtBy: LATCH,
  },
  {
    name: 'an arrival does not send the last seen generation',
    in: 'RoundWait.enqueue',
    file: 'remote/src/session/round-wait.ts',
    find: 'rounds.seen(key)',
    replace: '0',
    caughtBy: 'an arrival after a failover that lost a generation',
  },
  {
    name: 'a session does not name its predecessor',
    in: 'Session.open',
    file: 'remote/src/session/session.ts',
    find: 'former?.id',
    replace: 'undefined',
    caughtBy: 'a party whose lease has ended arrives again',
  },
  {
    name: 'a session does not send the last seen generation after a break',
    in: 'Heartbeat.#compare',
    file: 'remote/src/session/heartbeat.ts',
    find: "await this.#session.call('recall', [key, round], false)",
    replace: 'this.#session.rounds.seen(`${key} ${round}`)',
    caughtBy: 'a break of a connection after a failover that lost a generation',
  },
  {
    name: 'changes do not wait for each other',
    in: 'Changes.make',
    file: 'remote/src/session/changes.ts',
    find: 'this.#last.then(',
    replace: 'Promise.resolve().then(',
    caughtBy: LATCH_BREAKS,
  },
];
