// The fast paths, in Lua: a release without waiters, and an acquire that need not wait.
//
// Calls into Redis are the most expensive part of a script, so the fast paths make few: a release two, an acquire five.
// They create no function, because Lua would create it in each call. All other cases fall through to the full
// operations (operations.ts). These give the same answers and leave the same state: fast-paths.model.ts compares them.
//
// 1. A line without waiters grants nothing after a release. `line` is 0 only if its sorted set is empty.
// 2. `plain` exists while a grant depends on nothing but free permits: the line is open, has no interval, and is no
//    signal.
// 3. A number greater than that of the session's last acquire has never arrived before. So that acquire is not a
//    repetition.
// 4. The grant is stored in the session's own field, beside that number, so one write stores both. The next acquire
//    moves the grant to a field of its own.
// 5. A release reads no clock. So it drops no dead session, and may come from an older generation. That is safe: its
//    session has given up the grant for good, so the release may arrive at any time. Waiters of other lines do not
//    depend on it, because they know when the first lease ends.
// 6. The fast paths answer with one word, because a reply of several words costs more: 'released', or the token of the
//    grant (engine.ts).
// 7. A server without free memory refuses a script whose first write stores something. The full release then works
//    (operations.ts).

export const FAST_RELEASE = `
if ARGV[1] == 'release' and ARGV[6] == '0' then
  local P, session, seq = base .. ':p:' .. ARGV[4], ARGV[2], ARGV[5]
  local p = call('HMGET', P, 'line', 'free', session)
  local newest, n = string.match(p[3] or '', '^(%d+):(%d+)')
  if newest == seq and p[1] == '0' then
    local done = redis.pcall('HSET', P, 'free', p[2] + n, session, seq)
    if type(done) == 'number' then return 'released' end
  end
end
`;

export const FAST_ACQUIRE = `
if ARGV[1] == 'acquire' and generation == ARGV[3] and now < first then
  local P, session, seq, n = base .. ':p:' .. ARGV[4], ARGV[2], ARGV[5], ARGV[6]
  local p = call('HMGET', P, 'plain', 'line', 'free', session)
  if p[1] == ARGV[8] and p[2] == '0' and p[4] and p[3] - n >= 0 then
    local newest, before = string.match(p[4], '^(%d+):?(.*)$')
    if seq - newest > 0 then
      last = math.max(last + 1, us)
      local tok = string.format('%.0f', last)
      local free, mine = p[3] - n, seq .. ':' .. n .. ':' .. tok
      if before == '' then call('HSET', P, 'free', free, session, mine)
      else call('HSET', P, 'free', free, session, mine, session .. ':' .. newest, before) end
      if moved then call('HSET', T, 'tok', tok, 'real', string.format('%.0f', us), 'log', string.format('%.3f', now))
      else call('HSET', T, 'tok', tok) end
      return tok
    end
  end
end
`;
