// The keys of a keyed mutex, in Lua. Each is a line with one permit (line.ts), named 'k:', the length and the name of
// the mutex, and the key.
//
// 1. A key is in the server's memory only while a session holds it or waits for it. Nothing of it is needed afterwards:
//    tokens are those of the namespace (clock.ts), and a late call of a connection that broke is refused by the
//    generation of its session (sessions.ts).
// 2. A session that uses a key has its name in its set, so that its end finds the key. The call that removes a key
//    takes it out of the sets of all its users: also of those that have tried it and not waited.

export const KEYS = `
local function isKey(name) return string.sub(name, 1, 2) == 'k:' end

-- Removes a key that is neither held nor waited for.
local function removeKey(name)
  local P = keys(name)
  local users = { ARGV[2] }
  if call('HGET', P, 'users') ~= '1' or not call('HGET', P, ARGV[2]) then users = call('HKEYS', P) end
  call('DEL', P)
  -- A field that is no session names no set.
  for _, user in ipairs(users) do call('SREM', base .. ':u:' .. user, name) end
end

-- Removes a key if it is idle.
local function sweepKey(name)
  if not isKey(name) then return end
  local p = call('HMGET', (keys(name)), 'free', 'cap', 'line')
  if p[1] and p[1] == p[2] and p[3] == '0' then removeKey(name) end
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
