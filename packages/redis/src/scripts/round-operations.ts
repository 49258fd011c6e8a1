// The operations on countdown latches and barriers, in Lua. rounds.ts implements them.
//
//   operation  arguments after session, generation            answers
//   arrive     name, sequence, waits, acts, seen, cap, field,   ended CODE ROUND · waiting ROUND · busy · empty · cap N
//              sequences that the session has learned of...
//   change     name, sequence, what, n, acts, cap, field        changed OWNED ROUND · acts OWNED ROUND · refused N
//                                                               ARRIVED · cap N
//   tripped    name, sequence, threw                            ended CODE ROUND · absent
//   recall     name, seen                                       recalled
//   survey     name                                             surveyed, then cap, count or parties, round, broken,
//                                                               acting, waiters; then the sessions of the waiters, and
//                                                               those that own something, with how much
//
// A call that is sent again has no second effect: an `arrive` finds its record, and a change finds that its number is
// not above that of the last change of its session.

export const ROUND_OPERATIONS = `
if ARGV[1] == 'arrive' then operation = function(session, _, name, seq, waits, acts, seen, size, field, ...)
  local r = roundsOf(name)
  for _, learned in ipairs({ ... }) do r.forget(session, learned) end
  local exists = join(session, name, size, field)
  if exists ~= size then return { 'cap', exists } end
  local p = r.look(session)
  local known = r.known(p, session, seq, acts)
  if known then return known end
  if p.count == 0 then
    call('HSET', (keys(name)), session .. ':' .. seq, TRIPPED .. ':' .. p.round)
    return { 'ended', TRIPPED, p.round }
  end
  if p.parties then
    r.recall(p, seen)
    if p.broken then return { 'ended', p.broken, p.round - 1 } end
    if p.parties == 0 then return { 'empty' } end
    if waits == '0' and (p.acting > 0 or p.line + 1 < p.parties) then return { 'busy' } end
  elseif waits == '0' then
    return { 'busy' }
  end
  r.enter(p, session, seq, acts)
  if p.parties then r.complete(p) end
  return r.known(p, session, seq, acts)
end end

if ARGV[1] == 'change' then operation = function(session, _, name, seq, what, n, acts, size, field)
  local exists = join(session, name, size, field)
  if exists ~= size then return { 'cap', exists } end
  local r, posts = roundsOf(name), base .. ':s:' .. session
  local p = r.look(session)
  if tonumber(seq) > (tonumber(call('HGET', posts, 'posts')) or 0) then
    local refused = r[what](p, session, tonumber(n), seq, acts)
    if refused then return refused end
    call('HSET', posts, 'posts', seq)
  end
  return { p.actor == session .. ':' .. seq and 'acts' or 'changed', p.owned, p.round }
end end

if ARGV[1] == 'tripped' then operation = function(session, _, name, seq, threw)
  local r = roundsOf(name)
  local p = r.look(session)
  if p.actor == session .. ':' .. seq then
    if threw == '1' then r.shatter(p, THREW)
    else
      r.finish(p, p.acting, LEADS, TRIPPED)
      r.complete(p)
    end
  end
  return r.known(p, session, seq, '1') or { 'absent' }
end end

if ARGV[1] == 'recall' then operation = function(session, _, name, seen)
  local r = roundsOf(name)
  local p = r.look(session)
  if p.round then r.recall(p, seen) end
  return { 'recalled' }
end end

if ARGV[1] == 'survey' then operation = function(session, _, name)
  local P, Q = keys(name)
  local p, waiters = roundsOf(name).look(session), call('ZRANGE', Q, 0, -1)
  local out = { 'surveyed', p.cap or '', p.count or p.parties or '', p.round or 0, p.broken or '', p.acting, #waiters }
  local function add(owner, n)
    out[#out + 1] = owner
    out[#out + 1] = call('HGET', base .. ':s:' .. owner, 'label') or ''
    out[#out + 1] = n
  end
  for _, entry in ipairs(waiters) do add(string.match(entry, '^([^:]+)'), 1) end
  local f = call('HGETALL', P)
  for i = 1, #f, 2 do
    local owner, n, of = string.match(f[i] .. '=' .. f[i + 1], '^([^:]+):own=(%d+):(%d+)$')
    if owner and (p.parties or tonumber(of) == p.round) then add(owner, n) end
  end
  return out
end end
`;
