// The clock of a namespace, and its fencing tokens, in Lua.
//
// HASH sl:{namespace}:T, one for each namespace
//
//   field    value                                                      written by
//   real     the server's TIME at the last write of the clock, in us    a call 10 ms or more after the last write
//   log      the logical clock, in ms                                   the same
//   cap      how far one call may advance it, in ms: half of the        attach, drop
//            shortest lease; a week while there is no session
//   first    logical time at which the first lease of a session ends    attach, beat, reap
//   tok      the greatest fencing token so far                          a call that granted
//   format   the version of everything that these scripts store         attach
//   session  its generation: the newest connection that it has used     attach, current, drop
//
// 1. `log` never decreases, and one call advances it by at most `cap`. So if the server's clock jumps forward, or the
//    server was down, no lease ends that is renewed in time. If the clock jumps back, the leases only pause.
// 2. A token is greater than every earlier token of the namespace, because it is greater than `tok`. After a failover
//    that lost `tok`, this still holds, because a token is at least TIME. INCR would repeat tokens then.
// 3. Writing the clock at each call would double the writes of a short call. Times that are at most 10 ms old are not
//    written again. The difference stays in TIME - real, so no time is lost.
// 4. No lease ends before `first`. So a call before `first` need not look for sessions to drop.

export const CLOCK = `
local time = call('TIME')
local us = time[1] * 1000000 + time[2]
local clock = call('HMGET', T, 'real', 'log', 'cap', 'tok', 'first', ARGV[2])
local gone = us - (tonumber(clock[1]) or us)
local cap = tonumber(clock[3]) or 1000
local now = (tonumber(clock[2]) or 0) + math.max(0, math.min(gone / 1000, cap))
local moved = gone < 0 or gone >= 10000 or not clock[1]
local last = tonumber(clock[4]) or 0
local first = tonumber(clock[5]) or 0
local generation = clock[6]
`;
