// The operations that a session calls, in Lua. Each is idempotent by (session, sequence): a call whose reply was lost is sent again, and
// answers what is so.
//
//   operation  arguments after session, generation           answers
//   attach     lease, label, format                          attached, or format F
//   beat       lease, (name, sequence, permits, holds)...     alive MS (until the next lease ends), then for each entry that
//                                                            changed: sequence, and a token, 'gone', 'asked' or 'lost'
//   acquire    name, sequence, permits, waits, cap, sticky,   granted TOKEN ASKED · waiting MS · busy FREE · closed · cap N
//              every, starts, signal
//   release    name, sequence, keeps                         released, or absent; then grants of this session
//   cancel     name, sequence, permits                       left; then grants of this session
//   poke       name                                          poked; then grants of this session
//   post       name, sequence, permits, and as acquire        posted FREE · closed · cap N; then grants of this session
//   resize     name, cap, and as acquire                      resized; then grants of this session
//   close      name, and as acquire                           closed
//   look       name                                          looked, free, cap, closed, counts, then waiters and holders
//   mine                                                     mine, then name, sequence, permits of each wait and grant of the session
//   detach                                                   detached
//
// Any operation but attach may answer gone or stale instead (sessions.ts).
//
// A script is compiled once, but its functions are made anew by each call, which costs more than the commands of a short one. So only the
// operation that is called is made, and a function that few calls need is made by them.

export const OPERATIONS = `
local operation

if ARGV[1] == 'attach' then operation = function(session, gen, lease, label, format)
  local known = redis.call('HGET', T, 'format')
  if known and known ~= format then return { 'format', known } end
  -- An old connection may deliver it once more.
  local newest = redis.call('HGET', base .. ':s:' .. session, 'gen')
  if newest and tonumber(newest) > tonumber(gen) then return { 'attached' } end
  local half = tonumber(lease) / 2
  if redis.call('EXISTS', S) == 1 then half = math.min(half, cap) end
  redis.call('HSET', T, 'format', format, 'cap', half)
  redis.call('HSET', base .. ':s:' .. session, 'label', label, 'gen', gen)
  redis.call('ZADD', S, string.format('%.3f', now + lease), session)
  keep(session)
  return { 'attached' }
end end

if ARGV[1] == 'beat' then operation = function(session, gen, lease, ...)
  redis.call('ZADD', S, string.format('%.3f', now + lease), session)
  keep(session)
  local entries, out, seen = { ... }, { 'alive', 0 }, {}
  for i = 1, #entries, 4 do
    local name, seq, n, holds = entries[i], entries[i + 1], entries[i + 2], entries[i + 3]
    local P, Q, H = keys(name)
    if holds == '0' and not seen[name] then
      seen[name] = true
      if (tonumber(redis.call('HGET', P, 'every')) or 0) > 0 then grant(name, nil, nil) end
    end
    local held = redis.call('HGET', H, session .. ':' .. seq)
    local answer
    if holds == '1' then
      if not held then answer = 'gone'
      elseif redis.call('HGET', P, 'sticky') == '1' and asked(Q, session) == '1' then answer = 'asked' end
    elseif held then answer = string.match(held, '%d+$')
    elseif not redis.call('ZSCORE', Q, session .. ':' .. seq .. ':' .. n) then answer = 'lost' end
    if answer then
      out[#out + 1] = seq
      out[#out + 1] = answer
    end
  end
  local first = redis.call('ZRANGE', S, 0, 0, 'WITHSCORES')
  out[2] = math.max(0, math.ceil(tonumber(first[2]) - now))
  return out
end end

if ARGV[1] == 'acquire' then operation = function(session, gen, name, seq, n, waits, ...)
  local P, Q, H = keys(name)
  local held = redis.call('HGET', H, session .. ':' .. seq)
  if held then return { 'granted', string.match(held, '%d+$'), asked(Q, session) } end
  local entry = session .. ':' .. seq .. ':' .. n
  if redis.call('ZSCORE', Q, entry) then return { 'waiting', 0 } end
  local options = { ... }
  local exists, closed = join(session, name, options)
  if exists ~= options[1] then return { 'cap', exists } end
  if closed then return { 'closed' } end
  local p = redis.call('HMGET', P, unpack(STATE))
  local free, due = tonumber(p[1]), 0
  if free >= tonumber(n) and redis.call('EXISTS', Q) == 0 then
    due = pause(P, p)
    if due == 0 then
      redis.call('HSET', P, 'free', free - n)
      return { 'granted', take(P, H, p, session, seq, n), '0' }
    end
  end
  if waits == '0' then return { 'busy', free } end
  redis.call('ZADD', Q, redis.call('HINCRBY', P, 'tail', 1), entry)
  expire(Q)
  if p[6] == '1' then ask(name, H, session) end
  return { 'waiting', due }
end end

if ARGV[1] == 'release' then operation = function(session, gen, name, seq, keeps)
  local P, _, H = keys(name)
  local held = redis.call('HGET', H, session .. ':' .. seq)
  if not held then return { 'absent' } end
  local n, tok = string.match(held, '^(%d+):(%d+)$')
  -- What stays, not what goes: a release that is sent again must not release twice.
  local gone = n - keeps
  if gone <= 0 then return { 'released' } end
  if keeps == '0' then redis.call('HDEL', H, session .. ':' .. seq)
  else redis.call('HSET', H, session .. ':' .. seq, keeps .. ':' .. tok) end
  if redis.call('HGET', P, 'signal') ~= '1' then redis.call('HINCRBY', P, 'free', gone) end
  local out = { 'released' }
  grant(name, session, out)
  return out
end end

if ARGV[1] == 'cancel' then operation = function(session, gen, name, seq, n)
  local P, Q, H = keys(name)
  local out, held = { 'left' }, redis.call('HGET', H, session .. ':' .. seq)
  if held then
    -- The grant came first, and no caller will have it. So its permits return, those of a signal too.
    redis.call('HDEL', H, session .. ':' .. seq)
    redis.call('HINCRBY', P, 'free', string.match(held, '^%d+'))
  elseif redis.call('ZREM', Q, session .. ':' .. seq .. ':' .. n) == 0 then return out end
  grant(name, session, out)
  return out
end end

if ARGV[1] == 'poke' then operation = function(session, gen, name)
  local out = { 'poked' }
  grant(name, session, out)
  return out
end end

if ARGV[1] == 'post' then operation = function(session, gen, name, seq, n, ...)
  local options = { ... }
  local exists, closed = join(session, name, options)
  if exists ~= options[1] then return { 'cap', exists } end
  if closed then return { 'closed' } end
  local P = keys(name)
  local posts = tonumber(redis.call('HGET', base .. ':s:' .. session, 'posts')) or 0
  if tonumber(seq) > posts then
    redis.call('HSET', base .. ':s:' .. session, 'posts', seq)
    redis.call('HINCRBY', P, 'free', n)
  end
  local out = { 'posted' }
  grant(name, session, out)
  return out
end end

if ARGV[1] == 'resize' then operation = function(session, gen, name, size, ...)
  local exists, closed = join(session, name, { ... })
  if closed then return { 'closed' } end
  local P = keys(name)
  redis.call('HSET', P, 'cap', size)
  redis.call('HINCRBY', P, 'free', size - exists)
  local out = { 'resized' }
  grant(name, session, out)
  return out
end end

if ARGV[1] == 'close' then operation = function(session, gen, name, ...)
  join(session, name, { ... })
  local P, Q, H = keys(name)
  redis.call('HSET', P, 'closed', 1)
  for _, entry in ipairs(redis.call('ZRANGE', Q, 0, -1)) do
    redis.call('ZREM', Q, entry)
    local waiter, seq = string.match(entry, '^([^:]+):(%d+)')
    send(waiter, 'x ' .. seq)
  end
  -- Holders of idle permits would serve their own callers from them.
  ask(name, H, nil)
  return { 'closed' }
end end

if ARGV[1] == 'look' then operation = function(session, gen, name)
  local P, Q, H = keys(name)
  local p = redis.call('HMGET', P, 'free', 'cap', 'closed')
  local waiters, held = redis.call('ZRANGE', Q, 0, -1), redis.call('HGETALL', H)
  local out = { 'looked', p[1] or '', p[2] or '', p[3] or '0', #waiters, #held / 2 }
  local function add(entry, n)
    local owner = string.match(entry, '^[^:]+')
    out[#out + 1] = owner
    out[#out + 1] = redis.call('HGET', base .. ':s:' .. owner, 'label') or ''
    out[#out + 1] = n
  end
  for _, entry in ipairs(waiters) do add(entry, string.match(entry, '%d+$')) end
  for i = 1, #held, 2 do
    add(held[i], string.match(held[i + 1], '^%d+'))
    out[#out + 1] = string.match(held[i + 1], '%d+$')
  end
  return out
end end

if ARGV[1] == 'mine' then operation = function(session)
  local out = { 'mine' }
  for _, name in ipairs(redis.call('SMEMBERS', base .. ':u:' .. session)) do
    local _, Q, H = keys(name)
    local function add(entry, n)
      if not belongs(entry, session) then return end
      out[#out + 1] = name
      out[#out + 1] = string.match(entry, ':(%d+)')
      out[#out + 1] = n
    end
    for _, entry in ipairs(redis.call('ZRANGE', Q, 0, -1)) do add(entry, string.match(entry, '%d+$')) end
    local held = redis.call('HGETALL', H)
    for i = 1, #held, 2 do add(held[i], string.match(held[i + 1], '^%d+')) end
  end
  return out
end end

if ARGV[1] == 'detach' then operation = function(session)
  dropper()(session)
  return { 'detached' }
end end

-- ARGV: operation, session, generation, arguments.
reap()
local refused = ARGV[1] ~= 'attach' and current(ARGV[2], ARGV[3])
local reply = refused and { refused } or operation(unpack(ARGV, 2))
if dirty then redis.call('HSET', T, 'tok', whole(last)) end
return reply
`;
