// Sessions and their leases, in Lua.
//
//   key                      value                                                      written by
//   ZSET sl:{ns}:S           session -> the logical time at which its lease ends        attach, beat, drop
//   HASH sl:{ns}:s:session   label  what reports show                                   attach
//                            gen    the newest connection that the session has used     attach, current
//                            posts  the sequence number of its last post                post
//                            kept   logical time at which keep last ran                 keep
//   SET  sl:{ns}:u:session   the names of the primitives that it has used               join, drop
//
// 1. One lease covers everything that a session holds and waits for. There is no other expiry.
// 2. Each call of any session drops up to four sessions whose leases have ended: their waits leave, their permits return, and the waiters
//    behind get them. No process is in charge of that.
// 3. A call of an older generation is refused. After a connection broke, the old one may still deliver a call that its session has sent
//    again, or has given up: an \`acquire\` after its \`cancel\` would leave an abandoned waiter in line.
// 4. While a session exists, a primitive that it has used exists.
// 5. Every key has a time to live of a week, which living sessions renew each day. It frees no permit, for after a week without a call no
//    session is alive. It removes what the last ones left if they all died, when no later call reaps them; and the clock after the last
//    session has closed.

export const SESSIONS = `
local DAY = 86400000

local function keep(session)
  local mine, used = base .. ':s:' .. session, base .. ':u:' .. session
  local kept = tonumber(redis.call('HGET', mine, 'kept'))
  if kept and now - kept < DAY then return end
  redis.call('HSET', mine, 'kept', whole(now))
  for _, key in ipairs({ T, S, mine, used }) do expire(key) end
  for _, name in ipairs(redis.call('SMEMBERS', used)) do
    for _, key in ipairs({ keys(name) }) do expire(key) end
  end
end

-- Makes the function that ends a session.
local function dropper()
  -- A primitive exists while sessions use it. A signal also exists while it differs from how it was made.
  local function leave(name)
    local P, Q, H = keys(name)
    if redis.call('HINCRBY', P, 'users', -1) <= 0 then
      local p = redis.call('HMGET', P, 'signal', 'free', 'cap')
      if p[1] ~= '1' or p[2] == p[3] then return redis.call('DEL', P, Q, H) end
    end
    grant(name, nil, nil)
  end

  return function(session)
    local U = base .. ':u:' .. session
    for _, name in ipairs(redis.call('SMEMBERS', U)) do
      local P, Q, H = keys(name)
      for _, entry in ipairs(redis.call('ZRANGE', Q, 0, -1)) do
        if belongs(entry, session) then redis.call('ZREM', Q, entry) end
      end
      local signal = redis.call('HGET', P, 'signal') == '1'
      local held = redis.call('HGETALL', H)
      for i = 1, #held, 2 do
        if belongs(held[i], session) then
          redis.call('HDEL', H, held[i])
          if not signal then redis.call('HINCRBY', P, 'free', string.match(held[i + 1], '^%d+')) end
        end
      end
      leave(name)
    end
    redis.call('DEL', U, base .. ':s:' .. session)
    redis.call('ZREM', S, session)
    -- The clock stays: it is what makes tokens grow over a server clock that was put back.
    if redis.call('EXISTS', S) == 0 then expire(T) end
  end
end

local function reap()
  local dead = redis.call('ZRANGEBYSCORE', S, '-inf', now, 'LIMIT', 0, 4)
  if not dead[1] then return end
  local drop = dropper()
  for _, session in ipairs(dead) do drop(session) end
end

-- Whether the session lives and the call comes from its newest connection; else what to answer.
local function current(session, gen)
  local known = redis.call('HGET', base .. ':s:' .. session, 'gen')
  if not known then return 'gone' end
  if tonumber(gen) < tonumber(known) then return 'stale' end
  if gen ~= known then redis.call('HSET', base .. ':s:' .. session, 'gen', gen) end
  return nil
end

-- The session uses the primitive, which is made if it does not exist. Returns its permits and whether it is closed.
local function join(session, name, options)
  local P = keys(name)
  if redis.call('SADD', base .. ':u:' .. session, name) == 1 then
    redis.call('HINCRBY', P, 'users', 1)
    expire(P)
    expire(base .. ':u:' .. session)
  end
  local p = redis.call('HMGET', P, 'cap', 'closed')
  if p[1] then return p[1], p[2] end
  redis.call('HSET', P, 'cap', options[1], 'free', options[1], 'sticky', options[2], 'every', options[3], 'starts', options[4], 'signal', options[5])
  return options[1], false
end
`;
