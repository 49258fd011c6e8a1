// A line of waiters and its permits, in Lua. All other primitives are made of lines.
//
// For a primitive named `name` (its kind, a colon, the name that the program gave it):
//
//   HASH sl:{ns}:p:name        the permits, the counts and the grants: the fields below
//   ZSET sl:{ns}:q:name        the waiters: ticket -> 'session:sequence:permits'
//   CHANNEL sl:{ns}:c:session  the messages to a session
//
//   field             value                                                       written by
//   free              permits not held; below 0 after a resize                    join, grants, releases, drop, resize
//   line              waiters                                                     acquire, grant, cancel, drop, close
//   tail              the last ticket drawn                                       acquire
//   cap               permits that exist                                          join, resize
//   plain             equal to cap; absent while a grant depends on more than     join, resize, close
//                     free permits: closed, with an interval, or a signal
//   users             sessions that have used it; at 0 all its keys are deleted   join, drop
//   closed            1: every waiter and later caller is refused                 close
//   sticky            1: holders keep idle permits until another session asks     join
//   every             an interval in ms, or 0                                     join
//   starts            grants allowed in each interval; below 0: in any time of    join
//                     that length
//   from              logical time at which the interval began                    grant
//   used              grants in that interval; with starts below 0: the place of  grant
//                     the next grant in a ring
//   @place            the logical time of a grant in that ring                    grant
//   signal            1: permits taken do not come back from a dead session       join
//   session           sequence of the session's newest acquire; with              join, acquire, releases, drop
//                     ':permits:token' if that acquire holds a grant
//   session:sequence  'permits:token', one for each other grant                   acquire, grant, release, drop
//
//   waiter            value                                                       written by
//   ticket            'session:sequence:permits'                                  acquire, grant, cancel, drop, close
//
//   message                     meaning                                           sent by
//   'g sequence token asked'    granted                                           grant
//   'x sequence'                closed                                            close
//   'r name'                    another session waits                             ask
//   'p sequence ms'             call `poke` then                                  grant
//   'd sequence'                acquire again                                     grant, and a once (once.ts)
//
// `MESSAGE` names their first words (remote: engine/protocol.ts).
//
// Some fields have another meaning for a rate (rate.ts), and a once has further fields (once.ts).
//
// 1. free + the permits of all grants = cap, except for a signal.
// 2. Only the head of q is granted, and only when free covers its permits: strict FIFO, weighted. A waiter for many
//    permits gathers them at the head, and no later waiter passes it.
// 3. A grant is written to p before its message is sent. A message is a hint: if it is lost, the session finds the
//    grant by asking.
// 4. If the free permits suffice for the head of the line, the head waits only because the interval is used up. Its
//    session then knows when to call `poke`, and each heartbeat of a waiter checks the line, too.
//
// No wake-up is lost. The server runs one script at a time. So `acquire` takes the permits, or it adds the waiter to q
// before any release looks at q (`grant`). Between the server and the session a message can be lost:
//
//   1. Session W sends `acquire`. The answer says that it is in line.
//   2. The connection of W's channel breaks.
//   3. Session R releases. `grant` writes W's grant to p, and sends 'g'. No subscriber gets it.
//   4. W waits for a message that never comes.
//
// The next heartbeat of W asks for each of its waits and finds the grant in p (3). After a break W asks twice, at once
// and a little later (remote: session/heartbeat.ts).

import { MESSAGE } from '@sluice/remote/internal';
import { RATE } from './rate.ts';

export const LINE = `
local S = base .. ':S'
local granted = false

-- Sessions that live renew it each day (sessions.ts).
local function expire(key) call('EXPIRE', key, 604800) end

local function whole(x) return string.format('%.0f', x) end

local function keys(name) return base .. ':p:' .. name, base .. ':q:' .. name end

local function send(session, message) call('SPUBLISH', base .. ':c:' .. session, message) end

local function belongs(entry, session) return string.sub(entry, 1, #session + 1) == session .. ':' end

-- The fields on which a grant depends, then those that the caller names.
local FREE, WAITERS, EVERY, STARTS, FROM, USED, STICKY = 1, 2, 3, 4, 5, 6, 7
local function read(P, ...) return call('HMGET', P, 'free', 'line', 'every', 'starts', 'from', 'used', 'sticky', ...) end

-- The permits and the token of a grant. \`latest\`: the field of its session; \`own\`: the field of its own.
local function grantIn(latest, own, seq)
  if own then return string.match(own, '^(%d+):(%d+)$') end
  local newest, n, tok = string.match(latest or '', '^(%d+):(%d+):(%d+)$')
  if newest == seq then return n, tok end
end

${RATE}
-- Calls a function for each grant.
local function grants(P, each)
  local p = call('HGETALL', P)
  for i = 1, #p, 2 do
    local session, seq, n, tok = string.match(p[i] .. ':' .. p[i + 1], '^([^:]+):(%d+):(%d+):(%d+)$')
    if tok then each(session, seq, n, tok, p[i]) end
  end
end

-- The fields to write with an acquire. The grant that stood in the session's field moves to a field of its own.
local function noted(session, latest, seq)
  local newest, grant = string.match(latest, '^(%d+):?(.*)$')
  if tonumber(seq) <= tonumber(newest) then return end
  if grant == '' then return session, seq end
  return session, seq, session .. ':' .. newest, grant
end

-- A write that the call can do without. False: the server refuses writes at present, and the script has made none (operations.ts).
local function offer(...)
  local done = redis.pcall(...)
  local refusal = type(done) == 'table' and done.err
  if not refusal then return true end
  -- A replica may have missed something. The call must fail.
  if string.find(refusal, 'READONLY', 1, true) then call(...) end
  return false
end

-- Lets the script write although the server has no memory left (operations.ts).
local function goOnWhenFull() return offer('HDEL', T, '') end

-- Ends a grant.
local function forget(P, session, seq, own)
  call('HDEL', P, own and session .. ':' .. seq or session)
  if not own then call('HSET', P, session, seq) end
end

-- Whether another session waits among the first eight. One that waits further back is found later: each call looks again.
local function asked(Q, session)
  for _, entry in ipairs(call('ZRANGE', Q, 0, 7)) do
    if not belongs(entry, session) then return '1' end
  end
  return '0'
end

-- Tells the holders of idle permits that another session waits.
local function ask(name, session)
  local told = {}
  grants((keys(name)), function(holder)
    if holder ~= session and not told[holder] then
      told[holder] = true
      send(holder, '${MESSAGE.wanted} ' .. name)
    end
  end)
end

-- How many ms until the interval or the rate of the line has room for \`n\` permits; 0 if it has now.
local function pause(P, p, n)
  local every, starts = tonumber(p[EVERY]) or 0, tonumber(p[STARTS]) or 0
  if every == 0 then return 0 end
  if starts == 0 then return rateOf(P, p).charge(n) end
  if starts < 0 then
    local oldest = tonumber(call('HGET', P, '@' .. (p[USED] or 0)))
    return oldest and now - oldest < every and math.max(1, math.ceil(oldest + every - now)) or 0
  end
  local from, used = tonumber(p[FROM]) or 0, tonumber(p[USED]) or 0
  if now - from >= every then
    call('HSET', P, 'from', string.format('%.3f', now), 'used', 0)
    p[FROM], p[USED] = now, 0
    return 0
  end
  if used < starts then return 0 end
  return math.max(1, math.ceil(from + every - now))
end

-- Writes a grant with the permits and waiters that it leaves, and with the fields that the caller adds.
local function take(P, p, session, seq, n, ...)
  local rate = rateOf(P, p)
  if rate then return rate.take(session, seq, n, ...) end
  last = math.max(last + 1, us)
  granted = true
  local tok = whole(last)
  call('HSET', P, 'free', p[FREE], 'line', p[WAITERS], session .. ':' .. seq, n .. ':' .. tok, ...)
  local every, starts = tonumber(p[EVERY]) or 0, tonumber(p[STARTS]) or 0
  if every > 0 and starts > 0 then p[USED] = call('HINCRBY', P, 'used', 1) end
  if every > 0 and starts < 0 then
    local place = p[USED] or 0
    p[USED] = (place + 1) % -starts
    call('HSET', P, '@' .. place, string.format('%.3f', now), 'used', p[USED])
  end
  return tok
end

-- Grants to the head of the line for as long as the permits last. Grants of the calling session go into \`out\`, the others are told.
-- If the interval stops the head, its session is told when to call again. \`p\`: what \`read\` has read.
local function grant(name, me, out, p)
  local P, Q = keys(name)
  local free, waiters, rate = tonumber(p[FREE]) or 0, tonumber(p[WAITERS]) or 0, rateOf(P, p)
  while free > 0 and waiters > 0 do
    local head = call('ZRANGE', Q, 0, 0)[1]
    -- Only an eviction can take the line away.
    if not head then return call('HSET', P, 'line', 0) end
    local session, seq, n = string.match(head, '^([^:]+):(%d+):(%d+)$')
    if weight(n) > free then return end
    -- Of a once (once.ts): it waits for the end.
    if n == '0' then return end
    local far = rate and rate.far(n)
    local due = far and 0 or pause(P, p, n)
    if due > 0 then return send(session, '${MESSAGE.pokeLater} ' .. seq .. ' ' .. due) end
    free, waiters = free - (rate and 0 or n), waiters - 1
    p[FREE], p[WAITERS] = free, waiters
    call('ZREM', Q, head)
    local tok = not far and take(P, p, session, seq, n)
    if rate and tok then tok = rate.delay(tok) end
    local others = p[STICKY] == '1' and waiters > 0 and asked(Q, session) or '0'
    if not tok then
      -- It was not that far ahead when it came. Its session asks again, and is refused.
      call('HSET', P, 'line', waiters)
      send(session, '${MESSAGE.askAgain} ' .. seq)
    elseif session == me then
      out[#out + 1] = seq
      out[#out + 1] = tok
      out[#out + 1] = others
    else
      send(session, '${MESSAGE.granted} ' .. seq .. ' ' .. tok .. ' ' .. others)
    end
  end
end
`;
