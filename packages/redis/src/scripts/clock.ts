// The clock of a namespace, and its fencing tokens, in Lua.
//
// HASH sl:{namespace}:T, one for each namespace
//
//   field   value                                                     written by
//   real    the server's TIME at the last write of the clock, in us   each call
//   log     the logical clock, in ms                                  each call
//   cap     how far one call may advance it, in ms: half of the       attach
//           shortest lease
//   tok     the greatest fencing token so far                         the end of a call that granted
//   format  the version of everything that these scripts store        attach
//
// 1. `log` never decreases, and one call advances it by at most `cap`. So a server clock that jumps forward, or a server that was down,
//    ends no lease that is renewed in time, and a clock that jumps back only pauses the leases.
// 2. A token is greater than every earlier one of the namespace, because it is greater than `tok`; and after a failover that lost `tok`,
//    because it is at least TIME. INCR would repeat tokens there.
// 3. Writing the clock at each call would double the writes of a short call. Times that are at most 10 ms old are not written again. The
//    difference stays in TIME - real, so it is not lost.

export const CLOCK = `
local base = KEYS[1]
local T, S = base .. ':T', base .. ':S'
local now, us, cap, last, dirty

-- Sessions that live renew it each day (sessions.ts).
local function expire(key) redis.call('EXPIRE', key, 604800) end

local function whole(x) return string.format('%.0f', x) end

do
  local time = redis.call('TIME')
  us = time[1] * 1000000 + time[2]
  local c = redis.call('HMGET', T, 'real', 'log', 'cap', 'tok')
  local real = tonumber(c[1]) or us
  cap = tonumber(c[3]) or 1000
  last = tonumber(c[4]) or 0
  local gone = (us - real) / 1000
  now = (tonumber(c[2]) or 0) + math.max(0, math.min(gone, cap))
  if gone < 0 or gone >= 10 or not c[1] then
    redis.call('HSET', T, 'real', whole(us), 'log', string.format('%.3f', now))
  end
end
`;
