// The operations that a session calls, in Lua. Each is idempotent by (session, sequence): a call whose reply was lost
// is sent again, and answers with the current state.
//
//   operation  arguments after session, generation         answers
//   attach     lease, label, format, former                attached, or format F
//   beat       lease, (name, sequence, permits, holds)...  alive MS (until the next lease ends), then for each entry
//                                                          that changed: sequence, and a token, 'gone', 'asked' or
//                                                          'lost'
//   acquire    name, sequence, permits, waits, cap,        granted TOKEN ASKED · waiting MS · busy FREE · closed · cap
//              'sticky every starts signal'                N · far
//   release    name, sequence, keeps                       released, or absent; then grants of this session
//   cancel     name, sequence, permits                     left; then grants of this session
//   poke       name                                        poked; then grants of this session
//   post       name, sequence, permits, and as acquire     posted FREE · closed · cap N; then grants of this session
//   resize     name, cap, and as acquire                   resized; then grants of this session
//   close      name, and as acquire                        closed
//   look       name                                        looked, free, cap, closed, counts, then waiters and holders
//   sessions                                               sessions, the time in us, then for each session: its name,
//                                                          label, ms left of its lease, and the number and names of
//                                                          the primitives that it has used and that are not idle
//   mine                                                   mine, then name, sequence, permits of each wait and grant of
//                                                          the session
//   detach                                                 detached
//
// The operations of latches and barriers are in round-operations.ts. A rate has further operations, and its grants have
// a delay in place of a token (rate.ts). A keyed mutex has one further operation (keys.ts), a once has its own acquire
// (once.ts), and so have the values of a cache (values.ts). The rate of a key has two further operations
// (key-rates.ts).
//
// Any operation but attach may answer gone or stale instead (sessions.ts). An uncontended acquire or release does not
// reach this code (fast-paths.ts).
//
// A server without free memory refuses a script whose first write stores something (OOM). Then nothing has changed.
// Calls that take something are refused in this way. Calls that keep or free something, or only read, first delete a
// field that does not exist: `goOnWhenFull`.
//
// A server that cannot save (MISCONF), or has fewer replicas than it wants (NOREPLICAS), refuses every write of a
// script whose first write it is. No form of a script avoids that. So a call that needs a write fails, and has changed
// nothing. A call whose answer needs no write succeeds. In that case `look`, `sessions`, `keys`, `gauge`, `survey` and
// `peek` drop no session and record no generation, and a `busy`, or the `done` of a once, does not write the clock.
//
// A script is compiled once, but each call creates its functions anew. That costs more than the commands of a short
// call. So a call creates only its own operation, and a rarely used function is created only by the calls that use it.

import { MESSAGE } from '@sluice/remote/internal';
import { KEY_OPERATIONS } from './keys.ts';
import { KEY_RATE_OPERATIONS } from './key-rates.ts';
import { ONCE_OPERATIONS } from './once.ts';
import { RATE_OPERATIONS } from './rate.ts';
import { ROUND_OPERATIONS } from './round-operations.ts';
import { VALUE_OPERATIONS } from './values.ts';

export const OPERATIONS = `
local operation

if ARGV[1] == 'attach' then operation = function(session, gen, lease, label, format, former)
  -- An old connection may deliver it once more.
  if generation and tonumber(generation) > tonumber(gen) then return { 'attached' } end
  local half = tonumber(lease) / 2
  if call('EXISTS', S) == 1 then half = math.min(half, cap) end
  call('HSET', T, 'format', format, 'cap', half, session, gen)
  call('HSET', base .. ':s:' .. session, 'label', label)
  renew(session, lease)
  keep(session)
  -- Its process has given up the session before. What that one holds stays until its lease ends. But a new arrival must not count beside its old one.
  for _, name in ipairs(former and call('SMEMBERS', base .. ':u:' .. former) or {}) do
    local rounds = roundsOf(name)
    if rounds then rounds.drop(former) end
  end
  if former then call('HDEL', T, former) end
  return { 'attached' }
end end

if ARGV[1] == 'beat' then operation = function(session, gen, lease, ...)
  local ends = renew(session, lease)
  keep(session)
  local entries, out, seen = { ... }, { 'alive', math.max(0, math.ceil(tonumber(ends) - now)) }, {}
  for i = 1, #entries, 4 do
    local name, seq, n, holds = entries[i], entries[i + 1], entries[i + 2], entries[i + 3]
    local P, Q = keys(name)
    local rounds = roundsOf(name)
    if holds == '0' and not rounds and not seen[name] then
      seen[name] = true
      local p = read(P)
      if (tonumber(p[EVERY]) or 0) > 0 then grant(name, nil, nil, p) end
    end
    local p = call('HMGET', P, session, session .. ':' .. seq, 'sticky', 'line')
    local held, tok = grantIn(p[1], p[2], seq)
    local answer
    if rounds and holds == '1' then rounds.forget(session, seq)
    elseif rounds then
      local known = rounds.known(rounds.look(session), session, seq, n) or { 'lost' }
      answer = known[1] == 'ended' and known[2] .. ':' .. known[3] or known[1] == 'lost' and 'lost' or nil
    elseif holds == '1' then
      if not held then answer = 'gone'
      elseif p[3] == '1' and p[4] ~= '0' and asked(Q, session) == '1' then answer = 'asked' end
    elseif held then
      local p = read(P)
      local rate = rateOf(P, p)
      answer = rate and rate.delay(tok) or tok
    elseif not call('ZSCORE', Q, session .. ':' .. seq .. ':' .. n) then answer = 'lost' end
    if answer then
      out[#out + 1] = seq
      out[#out + 1] = answer
    end
  end
  return out
end end

if ARGV[1] == 'acquire' then operation = function(session, gen, name, seq, n, waits, size, rest)
  local LATEST, OWN, CAP, CLOSED, TAIL = 8, 9, 10, 11, 12
  local P, Q = keys(name)
  local function state() return read(P, session, session .. ':' .. seq, 'cap', 'closed', 'tail') end
  local p = state()
  local rate = rateOf(P, p)
  local held, tok = grantIn(p[LATEST], p[OWN], seq)
  if held then return { 'granted', rate and rate.delay(tok) or tok, asked(Q, session) } end
  local entry = session .. ':' .. seq .. ':' .. n
  local newest = string.match(p[LATEST] or '0', '^%d+')
  if seq - newest <= 0 and call('ZSCORE', Q, entry) then return { 'waiting', 0 } end
  if not p[CAP] and isKey(name) then
    -- As join and what follows, with fewer calls.
    local U = base .. ':u:' .. session
    call('SADD', U, name)
    expire(U)
    p[FREE], p[WAITERS] = 0, 0
    local granted = take(P, p, session, seq, n, 'cap', 1, 'sticky', 0, 'every', 0, 'starts', 0, 'signal', 0, 'users', 1, session, seq)
    expire(P)
    return { 'granted', granted, '0' }
  end
  if not p[LATEST] then
    join(session, name, size, rest)
    p = state()
    rate = rateOf(P, p)
  end
  if p[CAP] ~= size then return { 'cap', p[CAP], p[EVERY] } end
  if rate and rest ~= rate.made() then return { 'cap', p[CAP], p[EVERY] } end
  if p[CLOSED] then return { 'closed' } end
  local free, due, waiters = tonumber(p[FREE]), 0, p[WAITERS]
  if rate and rate.far(n) then return { 'far' } end
  if free >= weight(n) and (waiters == '0' or call('EXISTS', Q) == 0) then
    due = pause(P, p, n)
    if due == 0 then
      p[FREE], p[WAITERS] = free - (rate and 0 or n), 0
      local granted = take(P, p, session, seq, n, noted(session, p[LATEST], seq))
      return { 'granted', rate and rate.delay(granted) or granted, '0' }
    end
  end
  if waits == '0' then return { 'busy', free } end
  local ticket = (tonumber(p[TAIL]) or 0) + 1
  call('HSET', P, 'tail', ticket, 'line', waiters + 1, noted(session, p[LATEST], seq))
  call('ZADD', Q, ticket, entry)
  if waiters == '0' then expire(Q) end
  if p[STICKY] == '1' then ask(name, session) end
  return { 'waiting', due }
end end

if ARGV[1] == 'release' then operation = function(session, gen, name, seq, keeps)
  local LATEST, OWN, SIGNAL = 8, 9, 10
  local P = keys(name)
  local p = read(P, session, session .. ':' .. seq, 'signal')
  local n, tok = grantIn(p[LATEST], p[OWN], seq)
  if not n then return { 'absent' } end
  -- What stays, not what goes: a release that is sent again must not release twice.
  local back = n - keeps
  if back <= 0 then return { 'released' } end
  if isKey(name) and p[WAITERS] == '0' then
    removeKey(name)
    return { 'released' }
  end
  if keeps == '0' then forget(P, session, seq, p[OWN])
  elseif p[OWN] then call('HSET', P, session .. ':' .. seq, keeps .. ':' .. tok)
  else call('HSET', P, session, seq .. ':' .. keeps .. ':' .. tok) end
  if p[SIGNAL] ~= '1' then p[FREE] = call('HINCRBY', P, 'free', back) end
  local out = { 'released' }
  grant(name, session, out, p)
  sweepKey(name)
  return out
end end

if ARGV[1] == 'cancel' then operation = function(session, gen, name, seq, n)
  local rounds = roundsOf(name)
  if rounds then return rounds.cancel(session, seq, n) end
  local LATEST, OWN = 8, 9
  local P, Q = keys(name)
  local p = read(P, session, session .. ':' .. seq)
  local out, rate = { 'left' }, rateOf(P, p)
  local held, tok = grantIn(p[LATEST], p[OWN], seq)
  if held then
    -- The grant came first, and no caller will have it. So its permits return, those of a signal too.
    forget(P, session, seq, p[OWN])
    if rate then rate.back(held, tok)
    else p[FREE] = call('HINCRBY', P, 'free', held) end
  elseif call('ZREM', Q, session .. ':' .. seq .. ':' .. n) == 1 then
    p[WAITERS] = call('HINCRBY', P, 'line', -1)
  else return out end
  grant(name, session, out, p)
  sweepKey(name)
  return out
end end

if ARGV[1] == 'poke' then operation = function(session, gen, name)
  local out = { 'poked' }
  grant(name, session, out, read((keys(name))))
  return out
end end

${RATE_OPERATIONS}
${KEY_OPERATIONS}
${ONCE_OPERATIONS}
${VALUE_OPERATIONS}
${KEY_RATE_OPERATIONS}
if ARGV[1] == 'post' then operation = function(session, gen, name, seq, n, size, rest)
  local exists, closed = join(session, name, size, rest)
  if exists ~= size then return { 'cap', exists } end
  if closed then return { 'closed' } end
  local P = keys(name)
  local posts = tonumber(call('HGET', base .. ':s:' .. session, 'posts')) or 0
  if tonumber(seq) > posts then
    call('HSET', base .. ':s:' .. session, 'posts', seq)
    call('HINCRBY', P, 'free', n)
  end
  local out = { 'posted' }
  grant(name, session, out, read(P))
  return out
end end

if ARGV[1] == 'resize' then operation = function(session, gen, name, size, made, rest)
  local exists, closed = join(session, name, made, rest)
  if closed then return { 'closed' } end
  local P = keys(name)
  call('HSET', P, 'cap', size)
  if call('HGET', P, 'plain') then call('HSET', P, 'plain', size) end
  call('HINCRBY', P, 'free', size - exists)
  local out = { 'resized' }
  grant(name, session, out, read(P))
  return out
end end

if ARGV[1] == 'close' then operation = function(session, gen, name, size, rest)
  join(session, name, size, rest)
  local P, Q = keys(name)
  call('HSET', P, 'closed', 1, 'line', 0)
  call('HDEL', P, 'plain')
  for _, entry in ipairs(call('ZRANGE', Q, 0, -1)) do
    call('ZREM', Q, entry)
    local waiter, seq = string.match(entry, '^([^:]+):(%d+)')
    send(waiter, '${MESSAGE.closed} ' .. seq)
  end
  -- Holders of idle permits would serve their own callers from them.
  ask(name, nil)
  return { 'closed' }
end end

if ARGV[1] == 'look' then operation = function(session, gen, name)
  local P, Q = keys(name)
  local p, waiters, holders = call('HMGET', P, 'free', 'cap', 'closed', 'done'), call('ZRANGE', Q, 0, -1), {}
  grants(P, function(owner, _, n, tok) holders[#holders + 1] = { owner, n, tok } end)
  table.sort(holders, function(a, b) return tonumber(a[3]) < tonumber(b[3]) end)
  local out = { 'looked', p[1] or '', p[2] or '', p[4] and 'done' or p[3] or '0', #waiters, #holders }
  local function add(owner, n)
    out[#out + 1] = owner
    out[#out + 1] = call('HGET', base .. ':s:' .. owner, 'label') or ''
    out[#out + 1] = n
  end
  for _, entry in ipairs(waiters) do add(string.match(entry, '^([^:]+):%d+:(%d+)$')) end
  for _, holder in ipairs(holders) do
    add(holder[1], holder[2])
    out[#out + 1] = holder[3]
  end
  return out
end end

if ARGV[1] == 'sessions' then operation = function()
  local out = { 'sessions', whole(us) }
  local all = call('ZRANGE', S, 0, -1, 'WITHSCORES')
  for i = 1, #all, 2 do
    local names = {}
    for _, name in ipairs(call('SMEMBERS', base .. ':u:' .. all[i])) do
      local p = call('HMGET', (keys(name)), 'free', 'cap', 'line')
      if p[1] ~= p[2] or p[3] ~= '0' then names[#names + 1] = name end
    end
    table.sort(names)
    out[#out + 1] = all[i]
    out[#out + 1] = call('HGET', base .. ':s:' .. all[i], 'label') or ''
    out[#out + 1] = math.max(0, math.ceil(all[i + 1] - now))
    out[#out + 1] = #names
    for _, name in ipairs(names) do out[#out + 1] = name end
  end
  return out
end end

if ARGV[1] == 'mine' then operation = function(session)
  local out = { 'mine' }
  for _, name in ipairs(call('SMEMBERS', base .. ':u:' .. session)) do
    local P, Q = keys(name)
    local function add(owner, seq, n)
      if owner ~= session then return end
      out[#out + 1] = name
      out[#out + 1] = seq
      out[#out + 1] = n
    end
    for _, entry in ipairs(call('ZRANGE', Q, 0, -1)) do add(string.match(entry, '^([^:]+):(%d+):(%d+)$')) end
    grants(P, add)
  end
  return out
end end

if ARGV[1] == 'detach' then operation = function(session)
  dropper()(session)
  return { 'detached' }
end end

${ROUND_OPERATIONS}
-- ARGV: operation, session, generation, arguments.
if ARGV[1] == 'attach' then
  local known = call('HGET', T, 'format')
  if known and known ~= ARGV[6] then return { 'format', known } end
end
local takes = string.find(' attach acquire attempt arrive resize fetch keep put clear draw ', ' ' .. ARGV[1] .. ' ', 1, true)
  or ARGV[1] == 'finish' and ARGV[6] ~= '' and string.sub(ARGV[4], 1, 2) ~= 'j:'
  or ARGV[1] == 'adjust' and (tonumber(ARGV[5]) > 0 or tonumber(ARGV[6]) > 0)
  or ARGV[1] == 'change' and (ARGV[6] == 'claim' or ARGV[6] == 'register' or ARGV[6] == 'count' and string.sub(ARGV[7], 1, 1) ~= '-')
local looks = string.find(' look sessions keys gauge survey peek ', ' ' .. ARGV[1] .. ' ', 1, true)
local mayNotWrite = not takes and not goOnWhenFull() and looks
if now >= first and not mayNotWrite then reap() end
local refused = ARGV[1] ~= 'attach' and current(ARGV[2], ARGV[3], mayNotWrite)
-- The end of another session may have granted.
local function keepToken() if granted then call('HSET', T, 'tok', whole(last)) end end
if refused then
  keepToken()
  return { refused }
end
local reply = operation(unpack(ARGV, 2))
-- Refused only if nothing was written before: then the call has changed nothing, and its answer stands.
if moved then offer('HSET', T, 'real', whole(us), 'log', string.format('%.3f', now)) end
keepToken()
return reply
`;
