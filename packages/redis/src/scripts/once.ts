// A once, a lazy and a job, in Lua: a line with one permit (permit-line.ts), named 'o:', 'z:' or 'j:' and its name,
// whose holder runs an initialiser.
//
//   field    value                                                        written by
//   done     an initialiser has returned, so no other one runs: ''         finish
//            of a once, the value of a lazy (remote: primitives/lazy-value.ts), or
//            the time of a job, in ms
//
// A wait for 0 permits waits until the once is done, and runs no initialiser. The message 'd sequence' tells a waiter
// that the once is done. Its session then asks again.
//
// 1. A session runs its initialiser while it holds the permit. If it fails or dies, the permit returns, and the next in
//    line runs its own.
// 2. Waiters for 0 permits are behind all other waiters in line, even behind later ones. So the head is such a waiter
//    only if all waiters are, and then the permit is free for the next caller with an initialiser.
// 3. A job is a once for each time for which it is scheduled. Its value is the latest time for which it has run, and it
//    is done for that time and all earlier ones. So a job takes as little memory after many times as after one.
// 4. A once that is done stays for a week after its last session (sessions.ts).

import { MESSAGE } from '@sluice/remote/internal';

/** The base of the tickets of waiters for 0 permits. A line never draws so many tickets. */
const BEHIND = 2 ** 40;

// The operations of both:
//
//   operation  arguments after session, generation   answers
//   attempt    as acquire, and the time of a job      granted TOKEN 0 · waiting 0 · busy · closed · done VALUE
//   finish     name, sequence, value                  finished · done VALUE · closed · absent
export const ONCE_OPERATIONS = `
-- Whether a once is done, or a job for that time.
local function isDone(name, done, at) return done and (string.sub(name, 1, 2) ~= 'j:' or tonumber(at) <= tonumber(done)) end

if ARGV[1] == 'attempt' then operation = function(session, gen, name, seq, n, waits, size, rest, at)
  local LATEST, OWN, TAIL, DONE, CLOSED = 8, 9, 10, 11, 12
  local P, Q = keys(name)
  local function state() return read(P, session, session .. ':' .. seq, 'tail', 'done', 'closed') end
  local p = state()
  if not p[LATEST] then
    -- Also if it is done: so that it stays while the session lives.
    join(session, name, size, rest)
    p = state()
  end
  local held, tok = grantIn(p[LATEST], p[OWN], seq)
  local entry = session .. ':' .. seq .. ':' .. n
  if isDone(name, p[DONE], at) then return { 'done', p[DONE] } end
  if held then return { 'granted', tok, '0' } end
  if p[CLOSED] then return { 'closed' } end
  if call('ZSCORE', Q, entry) then return { 'waiting', 0 } end
  if n ~= '0' and p[FREE] ~= '0' then
    p[FREE] = 0
    return { 'granted', take(P, p, session, seq, n, noted(session, p[LATEST], seq)), '0' }
  end
  if waits == '0' then return { 'busy' } end
  local ticket = (tonumber(p[TAIL]) or 0) + 1
  call('HSET', P, 'tail', ticket, 'line', p[WAITERS] + 1, noted(session, p[LATEST], seq))
  call('ZADD', Q, n == '0' and ticket + ${BEHIND} or ticket, entry)
  if p[WAITERS] == '0' then expire(Q) end
  return { 'waiting', 0 }
end end

if ARGV[1] == 'finish' then operation = function(session, gen, name, seq, value)
  local P, Q = keys(name)
  local p = call('HMGET', P, session, session .. ':' .. seq, 'done', 'closed')
  -- The value of another session, if the server has lost the grant of this one.
  if isDone(name, p[3], value) then return { 'done', p[3] } end
  if not grantIn(p[1], p[2], seq) then return { 'absent' } end
  if p[4] then return { 'closed' } end
  call('HSET', P, 'done', value, 'line', 0, 'free', 1)
  forget(P, session, seq, p[2])
  for _, entry in ipairs(call('ZRANGE', Q, 0, -1)) do
    call('ZREM', Q, entry)
    local waiter, its = string.match(entry, '^([^:]+):(%d+)')
    send(waiter, '${MESSAGE.askAgain} ' .. its)
  end
  return { 'finished' }
end end
`;
