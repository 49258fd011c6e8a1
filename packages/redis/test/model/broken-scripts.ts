// Mutants of the script: each changes one line. The schedules of one plan must fail with it. A model that fails for no
// mutant proves nothing.

interface Edit {
  /** A piece of the script that occurs once, and its replacement. */
  readonly find: string;
  readonly replace: string;
}

export interface BrokenScript extends Edit {
  readonly name: string;
  /** Another change of the same mutant. */
  readonly also?: Edit;
  readonly plan: string;
}

const LOST = 'one permit, lost connections and messages';
const WEIGHTS = 'weights, lost connections and messages';
const DEATHS = 'deaths';
const BREAKS = 'connections that break all the time';
const CALM = 'one permit, little contention';
const FREE = 'free permits, connections that break all the time';
const KEYS = 'keys, lost connections and messages';
const KEY_DEATHS = 'keys, deaths';
const ONCE = 'a once, lost connections and messages';
const LAZY = 'a lazy, connections that break all the time';
const CACHE = 'a cache, lost connections and messages';
const LIMIT = 'a keyed limit, lost connections and messages';
const RATE_LOST = 'a rate, lost connections and messages';
const RATE_BREAKS = 'a rate, connections that break all the time';
const JUMPS = 'a server clock that jumps';
const CALM_JUMPS = 'a server clock that jumps, little contention';

const WRITE_LATE = `
local late = call('HGETALL', base .. ':late')
for i = 1, #late, 2 do
  local P, entry = string.match(late[i], '^(%S+) (%S+)$')
  if belongs(entry, ARGV[2]) then
    call('HSET', P, entry, late[i + 1])
    call('HDEL', base .. ':late', late[i])
  end
end`;

const REAP = 'if now >= first and not mayNotWrite then reap() end';
const WRITE = "p[WAITERS], session .. ':' .. seq, n .. ':' .. tok, ...)";
const GRANTED_BEFORE = "if held then return { 'granted', rate and rate.delay(tok) or tok, asked(Q, session) } end";
const WAITED_BEFORE = "if seq - newest <= 0 and call('ZSCORE', Q, entry) then return { 'waiting', 0 } end";
const ATTEMPTED_BEFORE = `local held, tok = grantIn(p[LATEST], p[OWN], seq)
  local entry = session .. ':' .. seq .. ':' .. n
  if isDone(name, p[DONE], at)`;
/** The end of a session's use of a primitive. */
const LEFT = `then return call('DEL', P, Q) end
    end
    grant(name, nil, nil, read(P))
    sweepKey(name)`;
const TAKES = "' attach acquire attempt arrive resize fetch keep put clear draw '";
const FULL = 'a server without memory';
const FULL_KEYS = 'a server without memory, keys';
const FAST_TOKEN = 'last = math.max(last + 1, us)\n      local tok';
const TOKEN = 'last = math.max(last + 1, us)\n  granted';

export const BROKEN_SCRIPTS: readonly BrokenScript[] = [
  { name: 'a grant is sent but not written', find: WRITE, replace: 'p[WAITERS], ...)', plan: LOST },
  {
    name: 'a grant is written after its message, by the next call of its session',
    find: WRITE,
    replace: "p[WAITERS], ...)\n  call('HSET', base .. ':late', P .. ' ' .. session .. ':' .. seq, n .. ':' .. tok)",
    also: { find: `\n${REAP}`, replace: `\n${WRITE_LATE}\n${REAP}` },
    plan: DEATHS,
  },
  {
    name: 'free permits are not counted down by an immediate grant',
    find: 'p[FREE], p[WAITERS] = free - (rate and 0 or n), 0',
    replace: 'p[WAITERS] = 0',
    plan: LOST,
  },
  {
    name: 'free permits are not counted down by the fast path',
    find: 'local free, mine = p[3] - n,',
    replace: 'local free, mine = p[3] - 0,',
    plan: CALM,
  },
  {
    name: 'free permits are not counted down by the line',
    find: 'free, waiters = free - (rate and 0 or n), waiters - 1',
    replace: 'free, waiters = free, waiters - 1',
    plan: WEIGHTS,
  },
  {
    name: 'a caller passes waiters in line',
    find: "if free >= weight(n) and (waiters == '0' or call('EXISTS', Q) == 0) then",
    replace: 'if free >= weight(n) then',
    plan: WEIGHTS,
  },
  {
    name: 'a caller passes waiters in line by the fast path',
    find: "p[2] == '0' and p[4] and p[3] - n >= 0",
    replace: 'p[4] and p[3] - n >= 0',
    plan: WEIGHTS,
  },
  { name: 'a granted waiter stays in line', find: "call('ZREM', Q, head)\n", replace: '', plan: LOST },
  {
    name: 'the last waiter in line is served first',
    find: "call('ZRANGE', Q, 0, 0)[1]",
    replace: "call('ZRANGE', Q, -1, -1)[1]",
    plan: LOST,
  },
  {
    name: 'a waiter for more permits than are free is granted',
    find: 'if weight(n) > free then return end',
    replace: '',
    plan: WEIGHTS,
  },
  { name: 'an acquire that is sent again takes permits again', find: GRANTED_BEFORE, replace: '', plan: BREAKS },
  {
    name: 'an acquire that is sent again takes permits again by the fast path',
    find: 'if seq - newest > 0 then',
    replace: 'if true then',
    plan: FREE,
  },
  {
    name: 'a grant is not recorded as the newest',
    find: 'local granted = take(P, p, session, seq, n, noted(session, p[LATEST], seq))',
    replace: 'local granted = take(P, p, session, seq, n)',
    plan: FREE,
  },
  {
    name: 'an acquire that is sent again waits twice',
    find: WAITED_BEFORE,
    replace: "entry = entry .. '0'",
    plan: BREAKS,
  },
  {
    name: 'a wait is not recorded as the newest',
    find: "'line', waiters + 1, noted(session, p[LATEST], seq))",
    replace: "'line', waiters + 1)",
    plan: BREAKS,
  },
  {
    name: 'a second grant of a session replaces the first',
    find: "session, mine, session .. ':' .. newest, before)",
    replace: 'session, mine)',
    plan: WEIGHTS,
  },
  {
    name: 'a wait of a session replaces its grant',
    find: "return session, seq, session .. ':' .. newest, grant",
    replace: 'return session, seq',
    plan: WEIGHTS,
  },
  {
    name: 'a release that is sent again releases twice',
    find: "if not n then return { 'absent' } end",
    replace: "if not n then call('HINCRBY', P, 'free', 1) return { 'absent' } end",
    plan: LOST,
  },
  {
    name: 'a release by the fast path keeps the grant',
    find: "'free', p[2] + n, session, seq)",
    replace: "'free', p[2] + n)",
    plan: CALM,
  },
  {
    name: 'a release by the fast path returns no permits',
    find: "'free', p[2] + n, session, seq)",
    replace: 'session, seq)',
    plan: CALM,
  },
  {
    name: 'a release grants no waiter',
    find: "local out = { 'released' }\n  grant(name, session, out, p)",
    replace: "local out = { 'released' }",
    plan: LOST,
  },
  {
    name: 'a release by the fast path grants no waiter',
    find: "if newest == seq and p[1] == '0' then",
    replace: 'if newest == seq then',
    plan: 'a release while another session waits',
  },
  {
    name: 'a release removes its session from the primitive',
    find: "if not own then call('HSET', P, session, seq) end",
    replace: '',
    plan: CALM,
  },
  {
    name: 'a cancel does not leave the line',
    find: "elseif call('ZREM', Q, session .. ':' .. seq .. ':' .. n) == 1 then",
    replace: 'elseif false then',
    plan: LOST,
  },
  {
    name: 'a cancel keeps a grant that came first',
    find: '    -- The grant came first, and no caller will have it.',
    replace: '    if true then return out end --',
    plan: 'replies that arrive after the caller has cancelled',
  },
  {
    name: 'a cancel does not return the permits of a signal',
    find: "call('HINCRBY', P, 'free', held) end\n  elseif",
    replace: "call('HINCRBY', P, 'free', call('HGET', P, 'signal') == '1' and 0 or held) end\n  elseif",
    plan: 'a signal',
  },
  {
    name: 'a signal uses the fast paths',
    find: "if every == '0' and signal == '0' and not isOfKey(name) then call('HSET', P, 'plain', cap) end",
    replace: "if not isOfKey(name) then call('HSET', P, 'plain', cap) end",
    plan: 'a signal',
  },
  {
    name: 'the server accepts calls of an older generation',
    find: "if tonumber(gen) < tonumber(generation) then return 'stale' end",
    replace: '',
    plan: BREAKS,
  },
  {
    name: 'the server accepts calls of an older generation by the fast path',
    find: 'and generation == ARGV[3] and now < first',
    replace: 'and generation and now < first',
    plan: 'an acquire that an old connection delivers after its cancel',
  },
  {
    name: 'no session expires',
    find: '    for _, session in ipairs(dead) do drop(session) end',
    replace: '',
    plan: DEATHS,
  },
  {
    name: 'the end of the first lease is taken to be later',
    find: "call('HSET', T, 'first', ends)",
    replace: "call('HSET', T, 'first', ends + 1e9)",
    plan: DEATHS,
  },
  {
    name: 'permits of a dead session are not returned',
    find: '          held = held + n\n',
    replace: '',
    plan: DEATHS,
  },
  {
    name: 'waits of a dead session stay in line',
    find: "if belongs(entry, session) then waits = waits + call('ZREM', Q, entry) end",
    replace: '',
    plan: DEATHS,
  },
  {
    name: 'the end of a dead session grants no waiter',
    find: LEFT,
    replace: LEFT.replace('grant(name, nil, nil, read(P))', ''),
    plan: DEATHS,
  },
  {
    name: 'a dropped session continues',
    find: "if not generation then return 'gone' end",
    replace: 'if not generation then return nil end',
    plan: DEATHS,
  },
  {
    name: 'a session continues with the call that dropped it',
    find: '    if session == ARGV[2] then generation = false end\n',
    replace: '',
    plan: 'a call that arrives after the end of its lease',
  },
  {
    name: 'a lease is PX, so it follows the server clock',
    find: 'math.max(0, math.min(gone / 1000, cap))',
    replace: 'gone / 1000',
    plan: JUMPS,
  },
  {
    name: 'INCR counts the tokens',
    find: FAST_TOKEN,
    replace: 'last = last + 1\n      local tok',
    also: { find: TOKEN, replace: 'last = last + 1\n  granted' },
    plan: 'a failover that loses the last calls',
  },
  { name: 'tokens are the server time', find: TOKEN, replace: 'last = us\n  granted', plan: JUMPS },
  {
    name: 'tokens of the fast path are the server time',
    find: FAST_TOKEN,
    replace: 'last = us\n      local tok',
    plan: CALM_JUMPS,
  },
  {
    name: 'the greatest token is not remembered',
    find: "if granted then call('HSET', T, 'tok', whole(last)) end",
    replace: '',
    plan: JUMPS,
  },
  {
    name: 'the greatest token of the fast path is not remembered',
    find: "      else call('HSET', T, 'tok', tok) end",
    replace: '      end',
    plan: CALM_JUMPS,
  },
  {
    name: 'a heartbeat does not renew the lease',
    find: 'local ends = renew(session, lease)',
    replace: 'local ends = findFirst()',
    plan: LOST,
  },
  {
    name: 'a heartbeat finds no grant',
    find: 'answer = rate and rate.delay(tok) or tok',
    replace: 'answer = nil',
    plan: LOST,
  },
  {
    name: 'an unused primitive stays on the server',
    find: "return call('DEL', P, Q) end",
    replace: 'return end',
    plan: LOST,
  },
  {
    name: 'a key stays when it is released',
    find: "  if isKey(name) and p[WAITERS] == '0' then\n    removeKey(name)",
    replace: '  if false then',
    also: {
      find: "local out = { 'released' }\n  grant(name, session, out, p)\n  sweepKey(name)",
      replace: "local out = { 'released' }\n  grant(name, session, out, p)",
    },
    plan: KEYS,
  },
  {
    name: 'a key stays when its holder dies and another session has tried it',
    find: LEFT,
    replace: LEFT.replace('sweepKey(name)', ''),
    plan: 'a key that a living session has tried',
  },
  {
    name: 'a key is deleted while other sessions wait for it',
    find: "  if isKey(name) and p[WAITERS] == '0' then",
    replace: '  if isKey(name) then',
    plan: KEYS,
  },
  {
    name: 'a key is deleted while it is held',
    find: "if not p[8] or p[1] ~= p[8] or p[2] ~= '0' then return end",
    replace: "if not p[8] or p[2] ~= '0' then return end",
    plan: KEYS,
  },
  {
    name: 'a key stays in the sets of the sessions that tried it',
    find: "if call('HGET', P, 'users') ~= '1' or not call('HGET', P, ARGV[2]) then users = call('HKEYS', P) end",
    replace: '',
    plan: KEYS,
  },
  {
    name: 'the holder of a key is not in its set',
    find: "    call('SADD', U, name)\n    expire(U)\n    p[FREE]",
    replace: '    expire(U)\n    p[FREE]',
    plan: KEY_DEATHS,
  },
  {
    name: 'an idle key of a limit stays',
    find: "'^[knvy]:'",
    replace: "'^[kvy]:'",
    plan: LIMIT,
  },
  {
    name: 'the users of a value that no process computes stay',
    find: "'^[knvy]:'",
    replace: "'^[kny]:'",
    plan: CACHE,
  },
  {
    name: 'a value from before a clear is kept',
    find: 'if tonumber(tok) <= values.clearedAt(mark) then',
    replace: 'if false then',
    // The value is kept with the token of its grant, and so it is not found. With the mark forgotten it is.
    also: { find: ' or tonumber(version) <= cleared', replace: '' },
    plan: CACHE,
  },
  {
    name: 'a value that was cleared is found',
    find: ' or tonumber(version) <= cleared',
    replace: '',
    plan: CACHE,
  },
  {
    name: 'a delete leaves the permit to the session that computes',
    find: "    values.void(P)\n    call('HSET', P, 'free', 1)\n",
    replace: '',
    plan: CACHE,
  },
  {
    name: 'two sessions compute one value',
    find: "  if p[FREE] ~= '0' then\n    p[FREE] = 0",
    replace: '  if true then\n    p[FREE] = 0',
    plan: CACHE,
  },
  {
    name: 'a failed computation does not free the value for the next waiter',
    find: "  if p[SIGNAL] ~= '1' then p[FREE] =",
    replace: "  if p[SIGNAL] ~= '1' and string.sub(name, 1, 2) ~= 'v:' then p[FREE] =",
    plan: CACHE,
  },
  {
    name: 'the end of a once is not recorded',
    find: "call('HSET', P, 'done', value, 'line', 0, 'free', 1)",
    replace: "call('HSET', P, 'line', 0, 'free', 1)",
    plan: ONCE,
  },
  {
    name: 'a finished once runs another initialiser',
    find: "if isDone(name, p[DONE], at) then return { 'done', p[DONE] } end",
    replace: '',
    plan: ONCE,
  },
  {
    name: 'a finish that is sent again fails',
    find: "  if isDone(name, p[3], value) then return { 'done', p[3] } end\n",
    replace: '',
    plan: 'a finish whose reply is lost',
  },
  {
    name: 'a lazy forgets its value',
    find: "call('HSET', P, 'done', value, 'line', 0, 'free', 1)",
    replace: "call('HSET', P, 'done', '', 'line', 0, 'free', 1)",
    plan: LAZY,
  },
  {
    name: 'a finish that is sent again reports another value',
    find: "if isDone(name, p[3], value) then return { 'done', p[3] } end",
    replace: "if isDone(name, p[3], value) then return { 'done', '4 json0' } end",
    plan: LAZY,
  },
  {
    name: 'the waiters of a once are not told',
    find: "send(waiter, 'd ' .. its)",
    replace: '',
    plan: 'a finished once',
  },
  {
    name: 'the waiters of a once stay in line',
    find: "    call('ZREM', Q, entry)\n    local waiter, its",
    replace: '    local waiter, its',
    plan: ONCE,
  },
  {
    name: 'two initialisers run at the same time',
    find: "if n ~= '0' and p[FREE] ~= '0' then",
    replace: "if n ~= '0' then",
    plan: ONCE,
  },
  {
    name: 'a call that only waits may run the initialiser',
    find: "if n ~= '0' and p[FREE] ~= '0' then",
    replace: "if p[FREE] ~= '0' then",
    plan: ONCE,
  },
  { name: 'a waiter of a once is granted', find: "    if n == '0' then return end\n", replace: '', plan: ONCE },
  {
    name: 'a waiter of a once blocks an initialiser behind it',
    find: "n == '0' and ticket + 1099511627776 or ticket",
    replace: 'ticket',
    plan: 'an initialiser behind a call that only waits',
  },
  {
    name: 'an attempt that is sent again begins again',
    find: ATTEMPTED_BEFORE,
    replace: ATTEMPTED_BEFORE.replace(' = grantIn(p[LATEST], p[OWN], seq)', ''),
    plan: 'an attempt whose reply is lost',
  },
  {
    name: 'a finished once is deleted with its last session',
    find: "if call('HGET', P, 'done') then return expire(P) end",
    replace: '',
    plan: 'a finished once',
  },
  { name: 'a take is not charged', find: 'p[FROM] = after', replace: 'p[FROM] = math.max(full(), t)', plan: RATE_LOST },
  {
    name: 'a take of several permits is charged as one',
    find: 'local after = math.max(full(), t) + weight(n) * cost',
    replace: 'local after = math.max(full(), t) + cost',
    plan: RATE_LOST,
  },
  {
    name: 'a bucket holds one permit more than its burst',
    find: 'math.max(after - p[FREE] * cost,',
    replace: 'math.max(after - (p[FREE] + 1) * cost,',
    plan: RATE_LOST,
  },
  {
    name: 'a full bucket continues to fill',
    find: 'local after = math.max(full(), t) +',
    replace: 'local after = math.max(full(), 0) +',
    plan: RATE_LOST,
  },
  {
    name: 'a take at the head of the line is not written',
    find: "call('HSET', P, 'line', p[WAITERS], 'from', from, session",
    replace: "call('HSET', P, 'line', p[WAITERS], session",
    plan: RATE_LOST,
  },
  {
    name: 'a call of a rate passes the waiters in line',
    find: "if free >= weight(n) and (waiters == '0' or call('EXISTS', Q) == 0) then",
    replace: 'if free >= weight(n) then',
    plan: RATE_LOST,
  },
  { name: 'a call of a rate that is sent again takes again', find: GRANTED_BEFORE, replace: '', plan: RATE_BREAKS },
  {
    name: 'permits on which later takes rest are returned',
    find: 'if p[FROM] ~= from then return false end',
    replace: '',
    plan: RATE_LOST,
  },
  {
    name: 'returned permits are not written',
    find: "    call('HSET', P, 'from', p[FROM])\n",
    replace: '',
    plan: RATE_LOST,
  },
  {
    name: 'a returned booking stays recorded',
    find: "  call('HDEL', P, session .. ':' .. seq)\n  local out = { 'returned' }",
    replace: "  local out = { 'returned' }",
    plan: RATE_BREAKS,
  },
  {
    name: 'grants that their session knows stay recorded',
    find: "call('HDEL', P, unpack(fields))",
    replace: '',
    plan: RATE_LOST,
  },
  {
    name: 'a booking waits for its time',
    find: 'if early > 0 and n - weight(n) == 0 then',
    replace: 'if early > 0 then',
    plan: 'a booking at once',
  },
  {
    name: 'returned permits grant no waiter',
    find: "  local out = { 'returned' }\n  grant(name, session, out, p)",
    replace: "  local out = { 'returned' }",
    plan: 'a booking that returns to a waiter',
  },
  {
    name: 'a heartbeat does not check the rate of a waiter',
    find: 'if (tonumber(p[EVERY]) or 0) > 0 then grant(name, nil, nil, p) end',
    replace: '',
    plan: 'a rate whose head is not told its time',
  },
  {
    name: 'a booking that has become too far ahead is granted at the head of the line',
    find: 'local far = rate and rate.far(n)',
    replace: 'local far = false',
    plan: 'bookings in line that have become too far ahead',
  },
  {
    name: 'the session of a booking that is too far ahead is not told',
    find: "      send(session, 'd ' .. seq)\n    elseif",
    replace: '    elseif',
    plan: 'bookings in line that have become too far ahead',
  },
  {
    name: 'a booking that is too far ahead counts as a waiter',
    find: "      call('HSET', P, 'line', waiters)\n      send",
    replace: '      send',
    plan: 'bookings in line that have become too far ahead',
  },
  {
    name: 'a rate is deleted with its last session',
    find: 'if rate and rate.stays() then return end',
    replace: '',
    plan: 'a rate without sessions',
  },
  {
    name: 'the time without sessions does not count for the rate',
    find: "call('HSET', T, 'cap', 7 * DAY)",
    replace: '',
    plan: 'a rate without sessions',
  },
  {
    name: 'a server without memory refuses heartbeats',
    find: TAKES,
    replace: "' attach acquire attempt arrive resize beat '",
    plan: FULL,
  },
  {
    name: 'a server without memory refuses releases',
    find: TAKES,
    replace: "' attach acquire attempt arrive resize release '",
    plan: 'a part of a grant that is released without memory',
  },
  {
    name: 'no call continues without memory',
    find: "return offer('HDEL', T, '')",
    replace: 'return true',
    plan: FULL_KEYS,
  },
];
