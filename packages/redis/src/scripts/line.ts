// A line of waiters and its permits, in Lua: the one primitive that all others are made of.
//
// For a primitive named `name` (its kind, a colon, the name that the program gave it):
//
//   key                       value                                                               written by
//   HASH sl:{ns}:p:name       free    permits not held; below 0 after a resize                    join, grant, release, drop, resize
//                             cap     permits that exist                                          join, resize
//                             tail    the last ticket drawn                                       acquire
//                             users   sessions that have used it; at 0 all its keys are deleted   join, drop
//                             closed  1: every waiter and later caller is refused                 close
//                             sticky  1: holders keep idle permits until another session asks     join
//                             every   an interval in ms, or 0; starts: grants allowed in each     join
//                             from    logical time at which the interval began; used: its grants  grant
//                             signal  1: permits taken do not come back from a dead session       join
//   ZSET sl:{ns}:q:name       ticket -> 'session:sequence:permits', one for each waiter           acquire, grant, cancel, drop, close
//   HASH sl:{ns}:h:name       'session:sequence' -> 'permits:token', one for each grant           grant, release, drop
//   CHANNEL sl:{ns}:c:session 'g sequence token asked': granted · 'x sequence': closed           grant, close
//                             'r name': another session waits · 'p sequence ms': call poke then   ask, grant
//
// 1. free + the permits in h = cap, except for a signal.
// 2. Only the head of q is granted, and only when free covers its permits: strict FIFO, weighted. A waiter for many permits gathers them
//    at the head, and no later waiter passes it.
// 3. A grant is written to h before its message is sent. A message is a hint: if it is lost, the session finds the grant by asking.
// 4. A line with waiters and enough free permits for the head exists only while its interval is used up. Then the head's session was told
//    when to call `poke`, and each heartbeat of a waiter looks too.

export const LINE = `
local function keys(name) return base .. ':p:' .. name, base .. ':q:' .. name, base .. ':h:' .. name end

local function send(session, message) redis.call('SPUBLISH', base .. ':c:' .. session, message) end

local function belongs(entry, session) return string.sub(entry, 1, #session + 1) == session .. ':' end

-- Whether another session waits among the first eight. One that waits further back is found later: each call looks again.
local function asked(Q, session)
  for _, entry in ipairs(redis.call('ZRANGE', Q, 0, 7)) do
    if not belongs(entry, session) then return '1' end
  end
  return '0'
end

-- Tells the holders of idle permits that another session waits.
local function ask(name, H, session)
  local told = {}
  for _, entry in ipairs(redis.call('HKEYS', H)) do
    local holder = string.match(entry, '^[^:]+')
    if holder ~= session and not told[holder] then
      told[holder] = true
      send(holder, 'r ' .. name)
    end
  end
end

-- How many ms until the interval of the line has room; 0 if it has now.
local function pause(P, p)
  local every, starts = tonumber(p[2]) or 0, tonumber(p[3]) or 0
  if every == 0 then return 0 end
  local from, used = tonumber(p[4]) or 0, tonumber(p[5]) or 0
  if now - from >= every then
    redis.call('HSET', P, 'from', string.format('%.3f', now), 'used', 0)
    p[4], p[5] = now, 0
    return 0
  end
  if used < starts then return 0 end
  return math.max(1, math.ceil(from + every - now))
end

local STATE = { 'free', 'every', 'starts', 'from', 'used', 'sticky' }

-- Takes permits for one grant. \`p\` holds the fields of STATE.
local function take(P, H, p, session, seq, n)
  last = math.max(last + 1, us)
  dirty = true
  local tok = whole(last)
  redis.call('HSET', H, session .. ':' .. seq, n .. ':' .. tok)
  expire(H)
  if (tonumber(p[2]) or 0) > 0 then p[5] = redis.call('HINCRBY', P, 'used', 1) end
  return tok
end

-- Grants to the head of the line for as long as the permits last. Grants of the calling session go into \`out\`, the others are told.
-- If the interval stops the head, its session is told when to call again.
local function grant(name, me, out)
  local P, Q, H = keys(name)
  local p = redis.call('HMGET', P, unpack(STATE))
  local free, before = tonumber(p[1]) or 0, tonumber(p[1]) or 0
  while free > 0 do
    local head = redis.call('ZRANGE', Q, 0, 0)[1]
    if not head then break end
    local session, seq, n = string.match(head, '^([^:]+):(%d+):(%d+)$')
    if tonumber(n) > free then break end
    local due = pause(P, p)
    if due > 0 then
      send(session, 'p ' .. seq .. ' ' .. due)
      break
    end
    free = free - tonumber(n)
    redis.call('ZREM', Q, head)
    local tok = take(P, H, p, session, seq, n)
    local others = p[6] == '1' and asked(Q, session) or '0'
    if session == me then
      out[#out + 1] = seq
      out[#out + 1] = tok
      out[#out + 1] = others
    else
      send(session, 'g ' .. seq .. ' ' .. tok .. ' ' .. others)
    end
  end
  if free ~= before then redis.call('HSET', P, 'free', free) end
end
`;
