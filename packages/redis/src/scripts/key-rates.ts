// The rate of one key, in Lua: a rate (rate.ts, keys.ts) that no session uses unless a call of it waits.
//
//   operation  arguments after session, generation     answers
//   draw       name, permits, cap, text                drawn AHEAD BLOCKED · busy AHEAD BLOCKED WAITERS · cap N EVERY
//   adjust     name, permits, block, cap, text         adjusted AHEAD BLOCKED, then grants of this session · cap N
//                                                      EVERY · far
//
// AHEAD: ticks until the bucket is full; BLOCKED: ticks until the end of the block. `permits` of `adjust`: what is
// taken without waiting; below 0: what is returned. `block`: the ms for which no call takes a permit; -1: the block
// stays.
//
// 1. `draw` leaves no record, so a call that is sent again may take its permits twice. It never takes too few.
// 2. The rate of a key is kept by its own time to live, of at most five days. That is shorter than the clock of a
//    namespace stays without sessions. So a bucket is full within four days.

export const KEY_RATE_OPERATIONS = `
if ARGV[1] == 'draw' or ARGV[1] == 'adjust' then operation = function(session, gen, name, n, ...)
  local given = { ... }
  local block, size, rest = '-1', given[1], given[2]
  if ARGV[1] == 'adjust' then block, size, rest = ... end
  local P = keys(name)
  local p = read(P, 'cap', 'users')
  local every = string.match(rest, '^0 (%d+) 0 1$')
  local same = p[8] == size and p[EVERY] == every
  if p[8] and not same and p[9] ~= '0' then return { 'cap', p[8], p[EVERY] } end
  if not same then p[FREE], p[WAITERS], p[EVERY], p[STARTS] = size, '0', every, '0' end
  local rate = rateOf(P, p)
  local function made()
    if same then return end
    call('HSET', P, 'line', 0, 'free', size, 'cap', size, 'sticky', 0, 'every', every, 'starts', 0, 'signal', 1, 'users', 0)
  end
  local function kept()
    if (call('HGET', P, 'users') or '0') ~= '0' then return end
    if not rate.stays() then call('DEL', P) end
  end
  if ARGV[1] == 'draw' then
    if p[WAITERS] ~= '0' or rate.charge(n) > 0 then return { 'busy', rate.ahead(), rate.blocked(), p[WAITERS] } end
    made()
    call('HSET', P, 'from', whole(p[FROM]))
    kept()
    return { 'drawn', rate.ahead(), rate.blocked() }
  end
  if not rate.move(tonumber(n)) then return { 'far' } end
  made()
  if block ~= '-1' then rate.block(tonumber(block)) end
  local out = { 'adjusted', rate.ahead(), rate.blocked() }
  grant(name, session, out, p)
  kept()
  return out
end end
`;
