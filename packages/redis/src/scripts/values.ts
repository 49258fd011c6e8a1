// The values of a cache, in Lua. The value of a key is a line with one permit (permit-line.ts, keys.ts), whose holder
// computes it.
//
//   field    value                                                        written by
//   done     of a value: 'fresh until, kept until, version, value' in      keep, put, remove
//            µs and a fencing token. Of the mark of a cache ('x:' and its   clear
//            name): the token at which the cache was cleared
//
//   operation  arguments after session, generation     answers
//   fetch      name, sequence, permits, waits, stale,  done FRESH VALUE · granted TOKEN 0 · waiting 0 · busy
//              mark
//   keep       name, sequence, mark, fresh, stale,     kept · absent
//              value
//   put        name, fresh, stale, value               put
//   peek       name, mark                              done FRESH VALUE · none
//   remove     name, mark                              removed 1 · removed 0
//   clear      mark                                    cleared
//
// `stale`: whether the caller takes a value that is not fresh. Of `keep` and `put`: the times in ms for which a value
// is fresh, and stale after that. @sluice/remote has the same steps in TypeScript, and the invariants.

import { MESSAGE } from '@sluice/remote/internal';

export const VALUE_OPERATIONS = `
local values
if string.find(' fetch keep put peek remove clear ', ' ' .. ARGV[1] .. ' ', 1, true) then
  values = {}
  function values.clearedAt(mark) return tonumber(call('HGET', (keys(mark)), 'done')) or 0 end

  -- Whether a value is fresh, and the value; nil if there is none.
  function values.valueIn(done, cleared)
    local fresh, ends, version, value = string.match(done or '', '^(%d+) (%d+) (%d+) (.*)$')
    if not value or us >= tonumber(ends) or tonumber(version) <= cleared then return nil end
    return us < tonumber(fresh) and '1' or '0', value
  end

  -- \`sweepKey\` must follow: it removes the line of waiters.
  function values.store(P, Q, fresh, stale, version, value)
    local till = us + fresh * 1000
    call('HSET', P, 'done', whole(till) .. ' ' .. whole(till + stale * 1000) .. ' ' .. version .. ' ' .. value, 'line', 0, 'free', 1, 'cap', 1)
    for _, entry in ipairs(call('ZRANGE', Q, 0, -1)) do
      local asker, number = string.match(entry, '^([^:]+):(%d+)')
      send(asker, '${MESSAGE.askAgain} ' .. number)
    end
  end

  -- Takes the permit from the process that computes.
  function values.void(P)
    grants(P, function(owner, seq, _, _, field)
      call('HDEL', P, field)
      if field == owner then call('HSET', P, owner, seq) end
    end)
  end
end

if ARGV[1] == 'fetch' then operation = function(session, gen, name, seq, n, waits, stale, mark)
  local LATEST, OWN, TAIL, DONE = 8, 9, 10, 11
  local P, Q = keys(name)
  local function state() return read(P, session, session .. ':' .. seq, 'tail', 'done') end
  local p = state()
  local held, tok = grantIn(p[LATEST], p[OWN], seq)
  if held then return { 'granted', tok, '0' } end
  local fresh, value = values.valueIn(p[DONE], values.clearedAt(mark))
  if value and (fresh == '1' or stale == '1') then return { 'done', fresh, value } end
  if p[DONE] and not value then call('HDEL', P, 'done') end
  if not p[LATEST] then
    join(session, name, '1', '0 0 0 0')
    p = state()
  end
  local entry = session .. ':' .. seq .. ':' .. n
  if call('ZSCORE', Q, entry) then return { 'waiting', 0 } end
  if p[FREE] ~= '0' then
    p[FREE] = 0
    return { 'granted', take(P, p, session, seq, n, noted(session, p[LATEST], seq)), '0' }
  end
  if waits == '0' then return { 'busy' } end
  local ticket = (tonumber(p[TAIL]) or 0) + 1
  call('HSET', P, 'tail', ticket, 'line', p[WAITERS] + 1, noted(session, p[LATEST], seq))
  call('ZADD', Q, ticket, entry)
  if p[WAITERS] == '0' then expire(Q) end
  return { 'waiting', 0 }
end end

if ARGV[1] == 'keep' then operation = function(session, gen, name, seq, mark, fresh, stale, value)
  local P, Q = keys(name)
  local p = call('HMGET', P, session, session .. ':' .. seq)
  local held, tok = grantIn(p[1], p[2], seq)
  if not held then return { 'absent' } end
  forget(P, session, seq, p[2])
  if tonumber(tok) <= values.clearedAt(mark) then
    call('HSET', P, 'free', 1)
    grant(name, nil, nil, read(P))
    sweepKey(name)
    return { 'absent' }
  end
  values.store(P, Q, fresh, stale, tok, value)
  sweepKey(name)
  return { 'kept' }
end end

if ARGV[1] == 'put' then operation = function(session, gen, name, fresh, stale, value)
  local P, Q = keys(name)
  -- The end of its use removes the grant of a session that computes.
  granted, last = true, math.max(last + 1, us)
  values.store(P, Q, fresh, stale, whole(last), value)
  sweepKey(name)
  return { 'put' }
end end

if ARGV[1] == 'peek' then operation = function(session, gen, name, mark)
  local fresh, value = values.valueIn(call('HGET', (keys(name)), 'done'), values.clearedAt(mark))
  if not value then return { 'none' } end
  return { 'done', fresh, value }
end end

if ARGV[1] == 'remove' then operation = function(session, gen, name, mark)
  local P = keys(name)
  local p = call('HMGET', P, 'done', 'cap')
  local _, value = values.valueIn(p[1], values.clearedAt(mark))
  if p[1] then call('HDEL', P, 'done') end
  if p[2] then
    values.void(P)
    call('HSET', P, 'free', 1)
    grant(name, nil, nil, read(P))
    sweepKey(name)
  end
  return { 'removed', value and '1' or '0' }
end end

if ARGV[1] == 'clear' then operation = function(session, gen, mark)
  local P = keys(mark)
  granted, last = true, math.max(last + 1, us)
  call('HSET', P, 'done', whole(last))
  call('EXPIRE', P, 3000000)
  return { 'cleared' }
end end
`;
