// What belongs to one key of many, in Lua. Each is a line (permit-line.ts), and its name is a letter and a colon, the
// length and the name of the primitive, and the key:
//
//   k:  the lock of a key of a keyed mutex
//   n:  the slots of a key of a keyed limit
//   v:  the value of a key of a cache (values.ts)
//   y:  the rate of a key (key-rates.ts)
//
// 1. It is in the server's memory only while a session holds it or waits for it. A value also stays until its time is
//    over, and a rate until it is full and not blocked. No more state of it is needed afterwards: tokens belong to the
//    namespace (lease-clock.ts), and the generation of a session refuses late calls of a broken connection
//    (sessions.ts).
// 2. The set of a session contains the names of the keys that it uses, so that the end of the session finds them. The
//    call that ends the use of a key takes it out of the sets of all its users, including sessions that have tried it
//    without waiting.
// 3. A release by the fast path does not look for the end of a use (fast-paths.ts). So such a line has no field
//    `plain`, and no grant in the field of a session.

export const KEYS = `
local function isKey(name) return string.sub(name, 1, 2) == 'k:' end
local function isOfKey(name) return string.find(name, '^[knvy]:') ~= nil end

-- Takes a key out of the sets of its users.
local function leaveKey(P, name)
  local users = { ARGV[2] }
  if call('HGET', P, 'users') ~= '1' or not call('HGET', P, ARGV[2]) then users = call('HKEYS', P) end
  -- A field that is no session names no set.
  for _, user in ipairs(users) do call('SREM', base .. ':u:' .. user, name) end
  return users
end

-- Removes a key that is neither held nor waited for.
local function removeKey(name)
  local P = keys(name)
  leaveKey(P, name)
  call('DEL', P)
end

-- Ends the use of a key if it is idle.
local function sweepKey(name)
  if not isOfKey(name) then return end
  local P, Q = keys(name)
  local p = read(P, 'cap', 'done')
  if not p[8] or p[1] ~= p[8] or p[2] ~= '0' then return end
  local rate = rateOf(P, p)
  if rate then
    local held = false
    grants(P, function() held = true end)
    if held then return end
    for _, user in ipairs(leaveKey(P, name)) do
      -- A session is named by its id; no field of a rate is.
      if call('EXISTS', base .. ':s:' .. user) == 1 then call('HDEL', P, user) end
    end
    call('HSET', P, 'users', 0)
    if not rate.stays() then call('DEL', P) end
    return
  end
  removeKey(name)
  call('DEL', Q)
  local ends = p[9] and tonumber(string.match(p[9], '^%d+ (%d+) ')) or 0
  if string.sub(name, 1, 2) == 'v:' and ends > us then
    call('HSET', P, 'done', p[9])
    call('EXPIRE', P, math.ceil((ends - us) / 1000000))
  end
end
`;

// The operation of a keyed mutex:
//
//   operation  arguments after session, generation   answers
//   keys       what the names of its keys begin with  keys, then for each one in use: name, waiters, and session, label
//                                                     and token of its holder, or ''
export const KEY_OPERATIONS = `
if ARGV[1] == 'keys' then operation = function(session, gen, prefix)
  local out, seen = { 'keys' }, {}
  for _, user in ipairs(call('ZRANGE', S, 0, -1)) do
    for _, name in ipairs(call('SMEMBERS', base .. ':u:' .. user)) do
      if string.sub(name, 1, #prefix) == prefix and not seen[name] then
        seen[name] = true
        local P = keys(name)
        local holder = { '', '', '' }
        grants(P, function(owner, _, _, tok) holder = { owner, call('HGET', base .. ':s:' .. owner, 'label') or '', tok } end)
        for _, word in ipairs({ name, call('HGET', P, 'line') or '0', unpack(holder) }) do out[#out + 1] = word end
      end
    end
  end
  return out
end end
`;
