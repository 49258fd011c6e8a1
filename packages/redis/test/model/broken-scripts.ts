// The script with one thing wrong. Each must be caught by the schedules of one plan: a model that nothing fails proves nothing.

export interface BrokenScript {
  readonly name: string;
  /** A piece of the script that occurs once, and what stands there instead. */
  readonly find: string;
  readonly replace: string;
  /** Another change that belongs to it. */
  readonly also?: { readonly find: string; readonly replace: string };
  readonly plan: string;
}

const LOST = 'one permit, lost connections and messages';
const WEIGHTS = 'weights, lost connections and messages';
const DEATHS = 'deaths';
const BREAKS = 'connections that break all the time';

const WRITE_LATE = `
local late = redis.call('HGETALL', base .. ':late')
for i = 1, #late, 2 do
  local H, entry = string.match(late[i], '^(%S+) (%S+)$')
  if belongs(entry, ARGV[2]) then
    redis.call('HSET', H, entry, late[i + 1])
    redis.call('HDEL', base .. ':late', late[i])
  end
end`;

export const BROKEN_SCRIPTS: readonly BrokenScript[] = [
  { name: 'a grant is sent but not written', find: "redis.call('HSET', H, session .. ':' .. seq, n .. ':' .. tok)\n", replace: '', plan: LOST },
  {
    name: 'a grant is written after its message, by the next call of its session',
    find: "redis.call('HSET', H, session .. ':' .. seq, n .. ':' .. tok)\n",
    replace: "redis.call('HSET', base .. ':late', H .. ' ' .. session .. ':' .. seq, n .. ':' .. tok)\n",
    also: { find: '\nreap()\nlocal refused', replace: `\nreap()\n${WRITE_LATE}\nlocal refused` },
    plan: DEATHS,
  },
  { name: 'free permits are not counted down by an immediate grant', find: "redis.call('HSET', P, 'free', free - n)", replace: '', plan: LOST },
  { name: 'free permits are not counted down by the line', find: 'free = free - tonumber(n)', replace: 'free = free', plan: WEIGHTS },
  { name: 'a caller passes a line', find: "free >= tonumber(n) and redis.call('EXISTS', Q) == 0", replace: 'free >= tonumber(n)', plan: WEIGHTS },
  { name: 'a granted waiter stays in line', find: "redis.call('ZREM', Q, head)\n", replace: '', plan: LOST },
  { name: 'the last in line is served first', find: "redis.call('ZRANGE', Q, 0, 0)[1]", replace: "redis.call('ZRANGE', Q, -1, -1)[1]", plan: LOST },
  { name: 'a waiter for more than is free is granted', find: 'if tonumber(n) > free then break end', replace: '', plan: WEIGHTS },
  { name: 'an acquire that is sent again takes again', find: "if held then return { 'granted', string.match(held, '%d+$'), asked(Q, session) } end", replace: '', plan: BREAKS },
  { name: 'an acquire that is sent again waits twice', find: "if redis.call('ZSCORE', Q, entry) then return { 'waiting', 0 } end", replace: "entry = entry .. '0'", plan: BREAKS },
  { name: 'a release that is sent again releases twice', find: "if not held then return { 'absent' } end", replace: "if not held then redis.call('HINCRBY', P, 'free', 1) return { 'absent' } end", plan: LOST },
  { name: 'a release grants no waiter', find: "local out = { 'released' }\n  grant(name, session, out)", replace: "local out = { 'released' }", plan: LOST },
  { name: 'a cancel does not leave the line', find: "elseif redis.call('ZREM', Q, session .. ':' .. seq .. ':' .. n) == 0 then", replace: 'else', plan: LOST },
  { name: 'a cancel keeps a grant that came first', find: '    -- The grant came first, and no caller will have it.', replace: '    if true then return out end --', plan: 'answers that come after the caller gave up' },
  { name: 'a cancel keeps the permits of a signal', find: "string.match(held, '^%d+'))\n  elseif", replace: "redis.call('HGET', P, 'signal') == '1' and 0 or string.match(held, '^%d+'))\n  elseif", plan: 'a signal' },
  { name: 'calls of an older generation are obeyed', find: "if tonumber(gen) < tonumber(known) then return 'stale' end", replace: '', plan: BREAKS },
  { name: 'no session is reaped', find: "  for _, session in ipairs(dead) do drop(session) end", replace: '', plan: DEATHS },
  { name: 'permits of the dead are not returned', find: "if not signal then redis.call('HINCRBY', P, 'free', string.match(held[i + 1], '^%d+')) end", replace: '', plan: DEATHS },
  { name: 'waits of the dead stay in line', find: "if belongs(entry, session) then redis.call('ZREM', Q, entry) end\n      end\n      local signal", replace: "end\n      local signal", plan: DEATHS },
  { name: 'the end of a dead session grants no waiter', find: '  grant(name, nil, nil)\n  end\n\n  return', replace: '  end\n\n  return', plan: DEATHS },
  { name: 'a session that was dropped goes on', find: "if not known then return 'gone' end", replace: "if not known then return nil end", plan: DEATHS },
  { name: 'a lease is PX: it counts by the server clock', find: 'math.max(0, math.min(gone, cap))', replace: 'gone', plan: 'a server clock that jumps' },
  { name: 'tokens are counted as INCR does', find: 'last = math.max(last + 1, us)', replace: 'last = last + 1', plan: 'a failover that loses the last calls' },
  { name: 'tokens are the time', find: 'last = math.max(last + 1, us)', replace: 'last = us', plan: 'a server clock that jumps' },
  { name: 'the greatest token is not remembered', find: "if dirty then redis.call('HSET', T, 'tok', whole(last)) end", replace: '', plan: 'a server clock that jumps' },
  { name: 'a heartbeat does not renew the lease', find: "operation = function(session, gen, lease, ...)\n  redis.call('ZADD', S, string.format('%.3f', now + lease), session)", replace: 'operation = function(session, gen, lease, ...)', plan: LOST },
  { name: 'a heartbeat finds no grant', find: "elseif held then answer = string.match(held, '%d+$')", replace: 'elseif held then answer = nil', plan: LOST },
  { name: 'a primitive that is not used any more stays', find: "return redis.call('DEL', P, Q, H) end", replace: 'return end', plan: LOST },
];
