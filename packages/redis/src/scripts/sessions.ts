// Sessions and their leases, in Lua.
//
//   key                      value                                                      written by
//   ZSET sl:{ns}:S           session -> the logical time at which its lease ends        attach, beat, drop
//   HASH sl:{ns}:s:session   label  what reports show                                   attach
//                            posts  the sequence number of its last post                post
//                            kept   logical time at which keep last ran                 keep
//   SET  sl:{ns}:u:session   the names of the primitives that it has used               join, drop
//
// 1. One lease covers everything that a session holds and waits for. There is no other expiry.
// 2. Each call of any session, except a release by the fast path, drops up to four sessions whose leases have ended.
//    Their waits leave the lines, and their permits go to the next waiters. No particular process is responsible for
//    that.
// 3. A call of an older generation is refused. After a connection broke, it may still deliver a call that its session
//    has sent again or given up. An `acquire` after its `cancel` would leave an abandoned waiter in line.
// 4. While a session exists, each primitive that it has used exists, and has a field with the session's name.
// 5. Every key has a time to live of a week, which living sessions renew each day. The expiry frees no permit: after a
//    week without a call no session is alive. If all sessions died and no later call dropped them, it removes their
//    keys. After the last session has closed, it removes the clock.

export const SESSIONS = `
local DAY = 86400000

-- When the first lease of any session ends. Calls until then drop none.
local function findFirst()
  local ends = call('ZRANGE', S, 0, 0, 'WITHSCORES')[2]
  if ends then call('HSET', T, 'first', ends) end
  return ends
end

local function renew(session, lease)
  call('ZADD', S, string.format('%.3f', now + lease), session)
  return findFirst()
end

local function keep(session)
  local mine, used = base .. ':s:' .. session, base .. ':u:' .. session
  local kept = tonumber(call('HGET', mine, 'kept'))
  if kept and now - kept < DAY then return end
  call('HSET', mine, 'kept', whole(now))
  for _, key in ipairs({ T, S, mine, used }) do expire(key) end
  for _, name in ipairs(call('SMEMBERS', used)) do
    for _, key in ipairs({ keys(name) }) do expire(key) end
  end
end

-- Makes the function that ends a session.
local function dropper()
  -- A primitive exists while sessions use it. A signal and a latch also exist while they differ from how they were made.
  local function leave(name)
    local P, Q = keys(name)
    if call('HINCRBY', P, 'users', -1) <= 0 then
      local rate = rateOf(P, read(P))
      if rate and rate.stays() then return end
      if string.sub(name, 1, 2) == 'v:' then return sweepKey(name) end
      if call('HGET', P, 'done') then return expire(P) end
      local p = call('HMGET', P, 'signal', 'free', 'cap', 'count')
      local stays = p[4] or (p[1] == '1' and p[2])
      if not stays or stays == p[3] then return call('DEL', P, Q) end
    end
    grant(name, nil, nil, read(P))
    sweepKey(name)
  end

  return function(session)
    local U = base .. ':u:' .. session
    for _, name in ipairs(call('SMEMBERS', U)) do
      local P, Q = keys(name)
      local waits, held, rounds = 0, 0, roundsOf(name)
      if rounds then rounds.drop(session) end
      for _, entry in ipairs(call('ZRANGE', Q, 0, -1)) do
        if belongs(entry, session) then waits = waits + call('ZREM', Q, entry) end
      end
      grants(P, function(holder, _, n, _, field)
        if holder == session then
          call('HDEL', P, field)
          held = held + n
        end
      end)
      call('HDEL', P, session)
      if waits > 0 then call('HINCRBY', P, 'line', -waits) end
      if held > 0 and call('HGET', P, 'signal') ~= '1' then call('HINCRBY', P, 'free', held) end
      leave(name)
    end
    call('DEL', U, base .. ':s:' .. session)
    call('HDEL', T, session)
    call('ZREM', S, session)
    if session == ARGV[2] then generation = false end
    -- The clock stays: it is what makes tokens grow over a server clock that was put back. No lease is left that a jump could end, so the time until
    -- the next session counts in full.
    if call('EXISTS', S) == 0 then
      call('HSET', T, 'cap', 7 * DAY)
      expire(T)
    end
  end
end

local function reap()
  local dead = call('ZRANGEBYSCORE', S, '-inf', now, 'LIMIT', 0, 4)
  if dead[1] then
    goOnWhenFull()
    local drop = dropper()
    for _, session in ipairs(dead) do drop(session) end
  end
  findFirst()
end

-- Whether the session lives and the call comes from its newest connection; else what to answer.
local function current(session, gen, mayNotWrite)
  if not generation then return 'gone' end
  if tonumber(gen) < tonumber(generation) then return 'stale' end
  if gen ~= generation and not mayNotWrite then
    -- The call may be a repetition of one that was answered.
    goOnWhenFull()
    call('HSET', T, session, gen)
  end
  return nil
end

-- The session uses the primitive, which is made if it does not exist. Returns its permits and whether it is closed.
local function join(session, name, cap, rest)
  local P = keys(name)
  local p = call('HMGET', P, 'cap', 'closed', session, 'users')
  if p[3] then return p[1], p[2] end
  call('SADD', base .. ':u:' .. session, name)
  expire(base .. ':u:' .. session)
  local sticky, every, starts, signal = string.match(rest, '^(%d+) (%d+) (-?%d+) (%d+)$')
  -- A rate that no session uses may be made with other numbers. The time at which it is full stays.
  local unused = p[4] == '0' and starts == '0' and every ~= '0'
  if not p[1] or unused then
    if every == '0' and signal == '0' and not isOfKey(name) then call('HSET', P, 'plain', cap) end
    if sticky then call('HSET', P, 'line', 0, 'free', cap, 'cap', cap, 'sticky', sticky, 'every', every, 'starts', starts, 'signal', signal)
    -- Of a latch or a barrier, \`rest\` is the field that begins with \`cap\` (rounds.ts).
    else call('HSET', P, 'line', 0, 'round', 0, 'cap', cap, rest, cap) end
    p[1] = cap
  end
  call('HSET', P, session, 0)
  call('HINCRBY', P, 'users', 1)
  expire(P)
  return p[1], p[2]
end
`;
