// A rate in front of a line, in Lua: the generic cell rate algorithm.
//
// A rate is a line (permit-line.ts) whose permits are used up when they are taken, and come back with time. Its hash
// differs in these fields:
//
//   field             value                                                          written by
//   cap, free         the burst: the most permits that can be taken at once          join
//   every             ticks in which one permit comes, of 62.5 ns; starts: 0         join
//   from              the tick at which the bucket is full again                     take, book, back, adjust
//   used              the tick until which it is blocked; absent: it is not          adjust
//   session:sequence  'permits:from', until the session says that it knows of the    take, settle, unbook, cancel, drop
//                     grant
//
// A waiter with 2^31 added to its permits makes a booking: at the head of the line it is granted at once, for a later
// time.
//
// 1. A take moves `from` by its cost, from where it is or from now, whichever is later. Afterwards `from` is at
//    most a burst ahead of now, unless the take is a booking. So within t ticks at most burst + t / every permits
//    become usable.
// 2. Time is the logical clock (lease-clock.ts), so it never runs backwards, and a server clock that jumps adds at most
//    the permits of half a lease.
// 3. A take is recorded under its number until its session has the answer. If the call is sent again, it finds the
//    record and takes nothing more.
// 4. Permits return only if no later take rests on them: `from` is still what their own take made of it.
// 5. A rate that no session uses stays until its bucket is full. Otherwise a process that restarts would get another
//    burst.

export const RATE = `
local function weight(n) return n % 2147483648 end

-- What a rate does beside its line; nil for other lines. \`p\`: what \`read\` has read.
local function rateOf(P, p)
  local cost = tonumber(p[EVERY]) or 0
  if cost == 0 or p[STARTS] ~= '0' then return nil end
  local R, t = {}, math.floor(now * 1000 + 0.5) * 16
  local function full() return tonumber(p[FROM]) or 0 end

  function R.made() return '0 ' .. p[EVERY] .. ' 0 1' end

  -- In how many ms the permits can be taken. 0: \`from\` has their cost, and \`take\` must follow.
  function R.charge(n)
    local after = math.max(full(), t) + weight(n) * cost
    local early = math.max(after - p[FREE] * cost, tonumber(p[USED]) or 0) - t
    if early > 0 and n - weight(n) == 0 then return math.max(1, math.ceil(early / 16000)) end
    p[FROM] = after
    return 0
  end

  -- Whether a booking is more than 2^51 ticks ahead, when it comes or at the head of the line. Times up to 2^53 are exact.
  function R.far(n) return n - weight(n) > 0 and math.max(full() - t, 0) + weight(n) * cost > 2251799813685248 end

  function R.take(session, seq, n, ...)
    local from = whole(p[FROM])
    call('HSET', P, 'line', p[WAITERS], 'from', from, session .. ':' .. seq, n .. ':' .. from, ...)
    return from
  end

  -- How many ticks later the permits may be used that a take has recorded with \`from\`.
  function R.delay(from) return whole(math.max(0, from - p[FREE] * cost - t)) end

  function R.back(n, from)
    if p[FROM] ~= from then return false end
    p[FROM] = whole(from - weight(n) * cost)
    call('HSET', P, 'from', p[FROM])
    return true
  end

  -- The last session leaves. The clock of the namespace must outlive the rate, and a session may have renewed it a day ago.
  function R.stays()
    local seconds = math.ceil((math.max(full(), tonumber(p[USED]) or 0) - t) / 16000000)
    if seconds <= 0 then return false end
    call('HDEL', P, 'closed')
    call('EXPIRE', P, math.min(seconds, 432000))
    return true
  end

  function R.ahead() return whole(math.max(0, full() - t)) end
  function R.blocked() return whole(math.max(0, (tonumber(p[USED]) or 0) - t)) end

  -- Takes permits without waiting, or returns them. False: the bucket would be full too late (key-rates.ts).
  function R.move(n)
    if n == 0 then return true end
    local from = math.max(math.max(full(), t) + n * cost, t)
    if n > 0 and from - t > 5529600000000 then return false end
    p[FROM] = from
    call('HSET', P, 'from', whole(from))
    return true
  end

  function R.block(ms)
    p[USED] = ms == 0 and 0 or t + ms * 16000
    call('HSET', P, 'used', whole(p[USED]))
  end

  return R
end
`;

// The operations of a rate:
//
//   operation  arguments after session, generation   answers
//   settle     name, sequences...                    settled
//   unbook     name, sequence                        returned, then grants of this session · kept · absent
//   gauge      name                                  gauged, burst, every, ticks until the bucket is full, closed, ticks
//                                                    until the end of the block, then session, label and permits of
//                                                    each waiter
export const RATE_OPERATIONS = `
if ARGV[1] == 'settle' then operation = function(session, gen, name, ...)
  local P, fields = keys(name), { ... }
  for i, seq in ipairs(fields) do fields[i] = session .. ':' .. seq end
  call('HDEL', P, unpack(fields))
  sweepKey(name)
  return { 'settled' }
end end

if ARGV[1] == 'unbook' then operation = function(session, gen, name, seq)
  local P = keys(name)
  local p = read(P, session .. ':' .. seq)
  local n, from = grantIn(nil, p[8], seq)
  if n == nil then return { 'absent' } end
  if not rateOf(P, p).back(n, from) then return { 'kept' } end
  call('HDEL', P, session .. ':' .. seq)
  local out = { 'returned' }
  grant(name, session, out, p)
  return out
end end

if ARGV[1] == 'gauge' then operation = function(session, gen, name)
  local P, Q = keys(name)
  local p = read(P, 'closed')
  local rate = rateOf(P, p)
  if not rate then return { 'gauged', '', '', '0', '0', '0' } end
  local out = { 'gauged', p[FREE], p[EVERY], rate.ahead(), p[8] or '0', rate.blocked() }
  for _, entry in ipairs(call('ZRANGE', Q, 0, -1)) do
    local owner, n = string.match(entry, '^([^:]+):%d+:(%d+)$')
    out[#out + 1] = owner
    out[#out + 1] = call('HGET', base .. ':s:' .. owner, 'label') or ''
    out[#out + 1] = whole(weight(n))
  end
  return out
end end
`;
