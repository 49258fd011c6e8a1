// The commands that the script uses, over tables in Lua. So one script call is one call into the engine. The script
// itself is unchanged.
//
// store.test.ts compares this store with a server.

export const STORE = `
unpack = table.unpack
local data, messages, micros = {}, {}, 0
local commands = {}
-- The waits of latches and barriers that ended in this call, by key and round; the rounds of barriers that ended before; and how many parties
-- wait for an action.
local ends, past, acting = {}, {}, {}

local function text(x)
  if type(x) == 'number' then
    if x == math.floor(x) then return string.format('%d', x) end
    return string.format('%.17g', x)
  end
  return x
end
local function table_of(key) if not data[key] then data[key] = {} end return data[key] end
local function tidy(key) if data[key] and next(data[key]) == nil then data[key] = nil end end
local function sorted(key)
  local all = {}
  for member, score in pairs(data[key] or {}) do all[#all + 1] = { member, score } end
  table.sort(all, function(a, b) if a[2] ~= b[2] then return a[2] < b[2] end return a[1] < b[1] end)
  return all
end
local function number_of(score) if score == '-inf' then return -math.huge end return tonumber(score) end

function commands.TIME() return { string.format('%d', micros // 1000000), string.format('%d', micros % 1000000) } end
function commands.HGET(key, field) return (data[key] or {})[field] or false end
function commands.HMGET(key, ...)
  local out = {}
  for i, field in ipairs({ ... }) do out[i] = (data[key] or {})[field] or false end
  return out
end
function commands.HSET(key, ...)
  local given, hash, new = { ... }, table_of(key), {}
  if key:find(':p:[bd]:') then note_ends(key, given)
  elseif key:find(':p:', 1, true) then new = new_grants(hash, given) end
  if #new == 0 and given[1] == 'from' and key:find(':p:t:', 1, true) then returned(key, hash, tonumber(given[2])) end
  for i = 1, #given, 2 do hash[given[i]] = given[i + 1] end
  for _, each in ipairs(new) do granted(key, each[1], each[2], each[3]) end
  return 1
end
function commands.HDEL(key, ...)
  local hash, gone = data[key] or {}, 0
  for _, field in ipairs({ ... }) do
    if hash[field] then gone = gone + 1 end
    hash[field] = nil
  end
  tidy(key)
  return gone
end
function commands.HINCRBY(key, field, by)
  local hash = table_of(key)
  local sum = math.tointeger(tonumber(hash[field] or '0') + tonumber(by))
  hash[field] = text(sum)
  return sum
end
function commands.HGETALL(key) local out = {} for k, v in pairs(data[key] or {}) do out[#out + 1] = k out[#out + 1] = v end return out end
function commands.ZADD(key, score, member)
  table_of(key)[member] = number_of(score)
  return 1
end
function commands.ZSCORE(key, member) local score = (data[key] or {})[member] return score and text(score) or false end
function commands.ZREM(key, member)
  local all = sorted(key)
  local was = (data[key] or {})[member]
  if was then removed = { key = key, member = member, head = all[1][1] == member } data[key][member] = nil end
  tidy(key)
  return was and 1 or 0
end
function commands.ZRANGE(key, from, to, scores)
  local out, all = {}, sorted(key)
  from, to = tonumber(from), tonumber(to)
  if from < 0 then from = #all + from end
  if to < 0 then to = #all + to end
  for i, pair in ipairs(all) do
    if i > from and i <= to + 1 then
      out[#out + 1] = pair[1]
      if scores then out[#out + 1] = text(pair[2]) end
    end
  end
  return out
end
function commands.ZRANGEBYSCORE(key, from, to, _, _, count)
  local out = {}
  for _, pair in ipairs(sorted(key)) do
    if pair[2] <= tonumber(to) and #out < tonumber(count) then out[#out + 1] = pair[1] end
  end
  return out
end
function commands.SADD(key, member) local set = table_of(key) local was = set[member] set[member] = true return was and 0 or 1 end
function commands.SREM(key, member) local set = data[key] or {} local was = set[member] set[member] = nil tidy(key) return was and 1 or 0 end
function commands.HKEYS(key) local out = {} for k in pairs(data[key] or {}) do out[#out + 1] = k end return out end
function commands.SMEMBERS(key) local out = {} for k in pairs(data[key] or {}) do out[#out + 1] = k end table.sort(out) return out end
function commands.DEL(...) for _, key in ipairs({ ... }) do data[key], ends[key], past[key] = nil, nil, nil end return 1 end
function commands.EXISTS(key) return data[key] and 1 or 0 end
function commands.EXPIRE() return 1 end
function commands.SPUBLISH(channel, message) messages[#messages + 1] = channel messages[#messages + 1] = message return 1 end

-- A grant is a session's field 'sequence:permits:token', or a field 'session:sequence' of its own.
local function grant_in(field, value) return (field .. ':' .. value):match('^([^:]+:%d+):(%d+):(%d+)$') end

-- The grants that a write adds, and not those that it moves or makes smaller.
function new_grants(hash, given)
  local had, new = {}, {}
  for field, value in pairs(hash) do
    local holder = grant_in(field, value)
    if holder then had[holder] = true end
  end
  for i = 1, #given, 2 do
    local holder, n, tok = grant_in(given[i], given[i + 1])
    if holder and not had[holder] then new[#new + 1] = { holder, tonumber(tok), tonumber(n) } end
  end
  return new
end

-- Every grant is checked as it is written: only the head of a line may leave it with permits, no caller passes a line, and tokens grow.
violation = ''
removed = nil
greatest = 0
function granted(key, holder, tok, n)
  local isRate = key:find(':p:[ty]:')
  -- The rate of a key has takes without a record.
  if key:find(':p:t:', 1, true) then taken(key, n, tok) end
  local Q = key:gsub(':p:', ':q:', 1)
  local left = removed
  removed = nil
  if not isRate then
    if tok <= greatest then violation = 'token ' .. tok .. ' after ' .. greatest end
    greatest = math.max(greatest, tok)
  end
  if left and left.key == Q and left.member:sub(1, #holder + 1) == holder .. ':' then
    if not left.head then violation = 'granted past the head: ' .. holder end
  else
    -- Those that only wait for the end of a once are passed.
    for member in pairs(data[Q] or {}) do
      if member:sub(-2) ~= ':0' then violation = 'granted past a line: ' .. holder end
    end
  end
end

function note_ends(key, given)
  for i = 1, #given, 2 do
    local code, round = given[i + 1]:match('^(%d+):(%d+)$')
    if given[i]:match('^[^:]+:%d+$') and code then
      ends[key] = ends[key] or {}
      ends[key][round] = ends[key][round] or {}
      table.insert(ends[key][round], tonumber(code))
    end
  end
end

-- All waits of a generation end in one call and in one way; if it tripped they are as many as there are parties, and one leads.
local function check_ends()
  for key, rounds in pairs(ends) do
    if key:find(':p:b:', 1, true) then
      past[key] = past[key] or {}
      for round, codes in pairs(rounds) do
        local tripped, leaders = 0, 0
        for _, code in ipairs(codes) do
          if code <= 2 then tripped = tripped + 1 end
          if code == 2 then leaders = leaders + 1 end
          if code ~= codes[#codes] and code > 2 then violation = key .. ' ' .. round .. ': ended in several ways' end
        end
        local parties = data[key] and tonumber(data[key].parties)
        if past[key][round] then violation = key .. ' ' .. round .. ': ended twice' end
        past[key][round] = true
        if tripped > 0 and (tripped ~= #codes or leaders ~= 1) then violation = key .. ' ' .. round .. ': ' .. leaders .. ' lead, ' .. tripped .. ' of ' .. #codes .. ' tripped' end
        if tripped > 0 and tripped ~= parties and tripped ~= acting[key] then violation = key .. ' ' .. round .. ': ' .. tripped .. ' of ' .. tostring(parties) .. ' parties tripped' end
      end
    end
  end
  ends, acting = {}, {}
end

local function check_rounds(key, p)
  local line, parties = p.line + 0, tonumber(p.parties)
  acting[key] = tonumber((p.acting or ''):match('^%d+'))
  if p.count and (p.count + 0 < 0 or (p.count + 0 == 0 and line > 0)) then violation = key .. ': ' .. line .. ' wait at count ' .. p.count end
  if p.broken and line > 0 then violation = key .. ': ' .. line .. ' wait at a broken barrier' end
  if parties and parties > 0 and not p.broken and not acting[key] and line >= parties then violation = key .. ': ' .. line .. ' wait of ' .. parties end
end

-- The takes of a rate that were not returned, with the tick at which their permits became usable. Between any two of them not more became usable
-- than a burst and what came meanwhile.
local BOOKS = 2147483648
takes = {}
function taken(key, n, from)
  local p, all = data[key], takes[key] or {}
  takes[key] = all
  local weight, burst, cost = n % BOOKS, tonumber(p.cap), tonumber(p.every)
  local usable = math.max(ticks, from - burst * cost)
  if n == weight and usable > ticks then violation = key .. ': a take before its permits came' end
  all[#all + 1] = { n = weight, from = from, usable = usable }
  local sum = 0
  for i = #all, 1, -1 do
    sum = sum + all[i].n
    if sum > burst + (usable - all[i].usable) / cost then violation = key .. ': ' .. sum .. ' permits in ' .. (usable - all[i].usable) / 16000 .. ' ms' end
  end
end
-- The permits of the last take return, and no others.
function returned(key, hash, from)
  local all = takes[key] or {}
  local last = all[#all]
  if not last or last.from ~= tonumber(hash.from) or from ~= last.from - last.n * hash.every then violation = key .. ': permits returned that are not those of the last take'
  else all[#all] = nil end
end
function CHARGED()
  local sum = 0
  for _, all in pairs(takes) do for _, take in ipairs(all) do sum = sum + take.n end end
  return string.format('%d', sum)
end

-- After each call the permits and the waiters of every primitive add up.
local function count()
  check_ends()
  for key, p in pairs(data) do
    if key:find(':p:[bd]:') then check_rounds(key, p) end
    if key:find(':p:', 1, true) then
      local held, waiters = 0, 0
      for field, value in pairs(p) do
        local _, n = grant_in(field, value)
        held = held + (tonumber(n) or 0)
      end
      for _ in pairs(data[(key:gsub(':p:', ':q:', 1))] or {}) do waiters = waiters + 1 end
      if p.free and p.signal ~= '1' and p.free + held ~= p.cap + 0 then violation = key .. ': ' .. p.free .. ' free and ' .. held .. ' held of ' .. p.cap end
      -- The value of a key that nobody computes, and the mark of a cache, have no line.
      local line = tonumber(p.line or p.done and 0)
      if line ~= waiters then violation = key .. ': ' .. tostring(p.line) .. ' counted in a line of ' .. waiters end
    end
  end
end

-- What the server refuses at present, as the word with which it does so: OOM refuses a write that may need memory, MISCONF every write. Neither refuses
-- a write of a call that has written before.
local refuses, dirty = '', false
local GROWS = { HSET = true, HINCRBY = true, ZADD = true, SADD = true }
local SHRINKS = { HDEL = true, ZREM = true, SREM = true, DEL = true, EXPIRE = true }
function REFUSE(word) refuses = word end

local function refusal(name)
  if not GROWS[name] and not SHRINKS[name] then return nil end
  if not dirty and refuses ~= '' and (GROWS[name] or refuses ~= 'OOM') then return { err = refuses .. ' refused by the model' } end
  dirty = true
end

redis = {
  call = function(name, ...)
    local args = { ... }
    for i = 1, select('#', ...) do args[i] = text(args[i]) end
    local command = commands[name]
    if not command then error('the store has no ' .. name) end
    local refused = refusal(name)
    if refused then error(refused) end
    return command(table.unpack(args, 1, select('#', ...)))
  end,
}
function redis.pcall(name, ...)
  local done, result = pcall(redis.call, name, ...)
  if done or type(result) == 'table' then return result end
  error(result)
end

local SEPARATOR = '\\31'
local function joined(list)
  local out = {}
  for i, item in ipairs(list) do out[i] = type(item) == 'number' and text(item) or tostring(item) end
  return table.concat(out, SEPARATOR)
end

-- One call of the script: the arguments joined by a separator; the reply, and what was published.
function RUN(now, base, given)
  micros = math.floor(now)
  messages = {}
  ARGV = {}
  for word in (given .. SEPARATOR):gmatch('(.-)' .. SEPARATOR) do ARGV[#ARGV + 1] = word end
  KEYS = { base, base .. ':T' }
  local clock = data[KEYS[2]] or {}
  local gone = micros - (tonumber(clock.real) or micros)
  ticks = math.floor(((tonumber(clock.log) or 0) + math.max(0, math.min(gone / 1000, tonumber(clock.cap) or 1000))) * 1000 + 0.5) * 16
  dirty = false
  local done, reply = pcall(SCRIPT)
  if not done and not reply.err then error(reply) end
  count()
  if not done then return joined({ 'REFUSED', reply.err }) end
  return type(reply) == 'table' and joined(reply) or reply
end
function PUBLISHED() return joined(messages) end
function VIOLATION() return violation end
function DUMP()
  local out = {}
  for key, value in pairs(data) do for field, item in pairs(value) do out[#out + 1] = key .. ' ' .. tostring(field) .. ' ' .. tostring(item) end end
  table.sort(out)
  return table.concat(out, '\\n')
end
function COPY()
  local copy = {}
  for key, value in pairs(data) do copy[key] = {} for field, item in pairs(value) do copy[key][field] = item end end
  saved = copy
end
function PROMOTE()
  if not saved then return 'false' end
  data, saved, past = saved, nil, {}
  return 'true'
end
function RESET()
  data, saved, messages, violation, removed, greatest, takes = {}, nil, {}, '', nil, 0, {}
  ends, past, acting, refuses = {}, {}, {}, ''
end
`;
