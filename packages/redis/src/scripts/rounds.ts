// The waits of a countdown latch and of a barrier, in Lua. They wait for the end of a round. One call ends all waits of
// a round.
//
// For a primitive named `name`: 'd:' for a latch or 'b:' for a barrier, then the name that the program gave it.
//
//   HASH sl:{ns}:p:name        the count or the parties, and what sessions own: the fields below
//   ZSET sl:{ns}:q:name        the waiters in the order of arrival: ticket -> 'session:sequence:acts'
//   CHANNEL sl:{ns}:c:session  the messages to a session
//
//   field             value                                                          written by
//   count             what is outstanding of a latch                                 join, count, drop
//   parties           of a barrier                                                   join, register, deregister, drop
//   cap               the count or the parties with which it was made                join
//   round             how many rounds have ended                                     finish, recall
//   line              waiters                                                        enter, finish, cancel, drop
//   tail              the last ticket drawn                                          enter, finish, cancel, drop
//   broken            why a barrier is broken: a code                                shatter, mend
//   acting            'n:session:sequence': the first n waiters are the round, and   begin, finish
//                     that call runs its action
//   users             as of a line (permit-line.ts)                                  join, drop
//   session:own       'n:round': so much of the count, or so many parties, are this  own
//                     session's; of a latch in that round only
//   session:sequence  'code:round': the wait has ended; its session forgets it once  finish, arrive, forget
//                     it knows
//
//   waiter            value                                                          written by
//   ticket            'session:sequence:acts'                                        enter, finish, cancel, drop
//
//   message                      meaning                                             sent by
//   'e round sequence:code ...'  these waits have ended with that round              finish, begin
//
// A code is one of `ENDING` (remote: engine/protocol.ts). The code 0 does not end a wait: its call has to run the
// action.
//
// 1. A wait is in the line, or has ended with a record, or is unknown. So a call whose reply was lost finds the state
//    of its wait.
// 2. A record is written before its message is sent. A message is a hint, as for a grant (permit-line.ts).
// 3. All waits of a round end in the same way: the round tripped, and one wait is the leader, or the round was broken
//    for one reason.
// 4. While a barrier is neither broken nor acting, fewer parties have arrived than it has, or it has none. A broken
//    barrier has no waiter.
// 5. Waiters behind the first n of a barrier that acts belong to the next round.
// 6. If a session has seen more rounds end than the server knows of, the server has lost calls. Then the barrier
//    breaks, because its parties may be in different rounds.

import { ENDING, MESSAGE } from '@sluice/remote/internal';

/** The codes, in the order of their names in the script. */
const CODES = [
  ENDING.acts,
  ENDING.tripped,
  ENDING.leads,
  ENDING.gaveUp,
  ENDING.died,
  ENDING.reset,
  ENDING.threw,
  ENDING.aborted,
  ENDING.lost,
].join(', ');

export const ROUNDS = `
local ACTS, TRIPPED, LEADS, GAVE_UP, DIED, RESET, THREW, ABORTED, LOST = ${CODES}

-- Makes what a latch or a barrier does; nil for other primitives.
local function roundsOf(name)
  local kind = string.sub(name, 1, 2)
  if kind ~= 'd:' and kind ~= 'b:' then return nil end
  local isBarrier = kind == 'b:'
  local P, Q = keys(name)
  local R = {}

  -- Its state. \`owned\`: what is the given session's.
  function R.look(session)
    local f = call('HMGET', P, 'cap', 'count', 'parties', 'round', 'line', 'tail', 'broken', 'acting', session .. ':own')
    local n, actor = string.match(f[8] or '', '^(%d+):(.+)$')
    local owned, of = string.match(f[9] or '', '^(%d+):(%d+)$')
    local p = { cap = f[1], count = tonumber(f[2]), parties = tonumber(f[3]), round = tonumber(f[4]), line = tonumber(f[5]) or 0 }
    p.tail, p.broken, p.acting, p.actor = tonumber(f[6]) or 0, f[7], tonumber(n) or 0, actor
    p.owned = (isBarrier or of == f[4]) and tonumber(owned) or 0
    return p
  end

  -- Ends the round, and with it the first n waits: the first of them with the code \`first\`, the others with \`rest\`.
  function R.finish(p, n, first, rest)
    local told, sessions = {}, {}
    local entries = n > 0 and call('ZRANGE', Q, 0, n - 1) or {}
    for i, entry in ipairs(entries) do
      local session, seq = string.match(entry, '^([^:]+):(%d+):')
      local code = i == 1 and first or rest
      call('ZREM', Q, entry)
      call('HSET', P, session .. ':' .. seq, code .. ':' .. p.round)
      if not told[session] then
        sessions[#sessions + 1] = session
        told[session] = '${MESSAGE.ended} ' .. p.round
      end
      told[session] = told[session] .. ' ' .. seq .. ':' .. code
    end
    p.line, p.round, p.acting, p.actor = p.line - #entries, p.round + 1, 0, nil
    call('HDEL', P, 'acting')
    call('HSET', P, 'line', p.line, 'round', p.round)
    for _, session in ipairs(sessions) do send(session, told[session]) end
  end

  -- All parties have arrived, and this call has to run its action.
  function R.begin(p, session, seq)
    p.acting, p.actor = p.parties, session .. ':' .. seq
    call('HSET', P, 'acting', p.acting .. ':' .. p.actor)
    send(session, '${MESSAGE.ended} ' .. p.round .. ' ' .. seq .. ':' .. ACTS)
  end

  function R.isComplete(p) return not p.broken and p.acting == 0 and p.parties > 0 and p.line >= p.parties end

  -- Trips for as long as all parties have arrived. The last of them runs its action first, if it has one.
  function R.complete(p)
    while R.isComplete(p) do
      local last = call('ZRANGE', Q, p.parties - 1, p.parties - 1)[1]
      -- Only an eviction can take the line away.
      if not last then return call('HSET', P, 'line', 0) end
      local session, seq, acts = string.match(last, '^([^:]+):(%d+):(%d)$')
      if acts == '1' then return R.begin(p, session, seq) end
      R.finish(p, p.parties, LEADS, TRIPPED)
    end
  end

  -- Breaks the barrier for all waiters. Those for the next round arrive at a broken barrier.
  function R.shatter(p, code)
    p.broken = code
    call('HDEL', P, 'acting')
    call('HSET', P, 'broken', code)
    R.finish(p, p.line, code, code)
  end

  function R.recall(p, seen)
    if tonumber(seen) <= p.round then return end
    p.round = tonumber(seen)
    if p.broken then call('HSET', P, 'round', p.round) else R.shatter(p, LOST) end
  end

  -- What has become of a wait that was sent before.
  function R.known(p, session, seq, acts)
    local own = session .. ':' .. seq
    local code, round = string.match(call('HGET', P, own) or '', '^(%d+):(%d+)$')
    if code then return { 'ended', code, round } end
    if p.actor == own then return { 'ended', ACTS, p.round } end
    if call('ZSCORE', Q, own .. ':' .. acts) then return { 'waiting', p.round } end
  end

  function R.forget(session, seq) call('HDEL', P, session .. ':' .. seq) end

  function R.enter(p, session, seq, acts)
    p.line, p.tail = p.line + 1, p.tail + 1
    call('HSET', P, 'line', p.line, 'tail', p.tail)
    call('ZADD', Q, p.tail, session .. ':' .. seq .. ':' .. acts)
    if p.line == 1 then expire(Q) end
  end

  -- A wait that its caller gives up. If it has ended before, that stands. A party that has arrived breaks the barrier.
  function R.cancel(session, seq, acts)
    local p = R.look(session)
    local known = R.known(p, session, seq, acts)
    -- The record stays until the session has said that it knows: this reply may be lost, and the call be sent again.
    if known and known[1] == 'ended' and known[2] ~= ACTS then return known end
    if not known then return { 'left' } end
    local entry, arrived = session .. ':' .. seq .. ':' .. acts, isBarrier and p.acting == 0
    if p.acting > 0 then
      for _, each in ipairs(call('ZRANGE', Q, 0, p.acting - 1)) do arrived = arrived or each == entry end
    end
    if arrived then
      R.shatter(p, GAVE_UP)
      R.forget(session, seq)
    elseif call('ZREM', Q, entry) == 1 then
      call('HINCRBY', P, 'line', -1)
    end
    return { 'left' }
  end

  -- Sets what is the session's.
  function R.own(p, session, n)
    p.owned = n
    if n > 0 then call('HSET', P, session .. ':own', n .. ':' .. p.round) else call('HDEL', P, session .. ':own') end
  end

  -- The changes that a session makes (round-operations.ts). Each returns why it is refused, or nothing.

  function R.count(p, session, n)
    local count = p.count + n
    if count < 0 or count > 2147483647 then return { 'refused', p.count } end
    if n < 0 and p.owned > 0 then R.own(p, session, count == 0 and 0 or math.max(0, p.owned + n)) end
    p.count = count
    call('HSET', P, 'count', count)
    if count == 0 then R.finish(p, p.line, TRIPPED, TRIPPED) end
  end

  function R.claim(p, session, n)
    local whole = isBarrier and p.parties or p.count
    if p.owned + n > whole then return { 'refused', whole } end
    R.own(p, session, p.owned + n)
  end

  function R.register(p, session, n)
    if p.parties + n > 32767 then return { 'refused', p.parties } end
    p.parties = p.parties + n
    call('HSET', P, 'parties', p.parties)
    R.own(p, session, p.owned + n)
  end

  function R.deregister(p, session, n, seq, acts)
    local arrived = p.line - p.acting
    if p.parties - n < arrived then return { 'refused', p.parties, arrived } end
    if p.owned > 0 then R.own(p, session, math.max(0, p.owned - n)) end
    p.parties = p.parties - n
    call('HSET', P, 'parties', p.parties)
    if not R.isComplete(p) then return end
    if acts == '1' then return R.begin(p, session, seq) end
    R.finish(p, p.parties, LEADS, TRIPPED)
  end

  function R.abort(p)
    if not p.broken then R.shatter(p, ABORTED) end
  end

  function R.mend(p)
    call('HDEL', P, 'broken')
    p.broken = false
  end

  function R.reset(p)
    if p.broken then return R.mend(p) end
    if p.line == 0 then return end
    R.finish(p, p.acting > 0 and p.acting or p.line, RESET, RESET)
    R.complete(p)
  end

  -- The session has ended: it waits for nothing and owns nothing any more. Its parties leave, and its part of a count is counted down.
  function R.drop(session)
    local p = R.look(session)
    local leaves = p.actor and belongs(p.actor, session)
    for i, entry in ipairs(call('ZRANGE', Q, 0, -1)) do
      if belongs(entry, session) then
        call('ZREM', Q, entry)
        p.line = call('HINCRBY', P, 'line', -1)
        leaves = leaves or p.acting == 0 or i <= p.acting
      end
    end
    grants(P, function(waiter, _, _, _, field)
      if waiter == session then call('HDEL', P, field) end
    end)
    local owned = p.owned
    -- Also a claim of a round that has ended.
    R.own(p, session, 0)
    if not isBarrier then
      if owned > 0 and p.count > 0 then R.count(p, session, -math.min(owned, p.count)) end
      return
    end
    if owned > 0 then
      p.parties = math.max(0, p.parties - owned)
      call('HSET', P, 'parties', p.parties)
    end
    if (leaves or owned > 0) and not p.broken then R.shatter(p, DIED) end
  end

  return R
end
`;
