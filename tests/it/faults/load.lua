-- What wrk sends to a server, and what it makes of the answers: bodies of several kinds in turn, and a count of how each
-- kind was answered. Arguments: the Host field, the milliseconds between two requests of one connection, how many
-- questions there are, the kinds joined by commas, then a token and an allowance for each account.
--
-- An id says which request an answer belongs to: connections of one thread are answered in any order.

local number = 0

function setup(thread)
  thread:set("thread", number)
  threads = threads or {}
  threads[#threads + 1] = thread
  number = number + 1
end

local names = { "Four Tet", "Burial", "Autechre", "Aphex Twin", "Nirvana", "Alice Cooper", "The Persuader" }
local slugs = { "four-tet", "burial", "autechre", "aphex-twin" }
local tokens, allowances, kinds = {}, {}, {}
local host, questions, n = "", 1, 0

function init(args)
  host, questions = args[1], tonumber(args[3])
  local wait = tonumber(args[2])
  if wait > 0 then
    -- From half to one and a half, so that connections do not march in step.
    delay = function() return math.floor(wait * (0.5 + math.random())) end
  end
  math.randomseed(thread + 1)
  for kind in string.gmatch(args[4], "[^,]+") do kinds[#kinds + 1] = kind end
  for at = 5, #args, 2 do
    tokens[#tokens + 1], allowances[#allowances + 1] = args[at], args[at + 1]
  end
  -- What `done` reads of each thread.
  outcomes, units, false_account = {}, {}, 0
  for account = 1, #tokens do units[account] = 0 end
end

local function of(kind, account, method, params)
  return string.format('{"jsonrpc":"2.0","id":"%s:%d:%d","method":"%s","params":%s}', kind, account, n, method, params)
end

local function call(kind, account, tool, arguments)
  return of(kind, account, "tools/call", string.format('{"name":"%s","arguments":%s}', tool, arguments))
end

-- The same numbers come again once all were asked, so that an account asks them a second time. A later run of wrk goes on
-- about where an earlier one was.
local begun = os.time() * 1000

local function nobody(account)
  return string.format('{"cluster_id":"%064x"}', 0x10000000 * account + (begun + thread * 500009 + n) % questions)
end

local function pick(list) return list[n % #list + 1] end

local make = {
  known = function(a) return call("known", 0, "resolve_artist", '{"q":"' .. pick(names) .. '"}'), 0 end,
  anyone = function(a) return call("anyone", 0, "resolve_artist", nobody(0)), 0 end,
  nobody = function(a) return call("nobody", a, "resolve_artist", nobody(a)), a end,
  card = function(a) return call("card", a, "get_artist", '{"key":"' .. pick(slugs) .. '"}'), a end,
  usage = function(a) return call("usage", a, "get_usage", "{}"), a end,
  -- What the service fails at is asked by one account alone: a caller counts twice at most for a degraded window.
  fails = function(a) return call("fails", 1, "get_artist", '{"key":"fails"}'), 1 end,
  lies = function(a) return call("lies", 2, "get_artist", '{"key":"lies"}'), 2 end,
  gap = function(a) return call("gap", a, "get_artist", '{"key":"autechre","view":"standard"}'), a end,
  argument = function(a) return call("argument", a, "get_artist", '{"key":""}'), a end,
  misspelt = function(a) return call("misspelt", a, "search_catalog", '{"genr":"House"}'), a end,
  tool = function(a) return call("tool", a, "get_weather", "{}"), a end,
  method = function(a) return of("method", 0, "no/method", "{}"), 0 end,
  list = function(a) return of("list", 0, "tools/list", "{}"), 0 end,
  begin = function(a)
    return of("begin", 0, "initialize",
      '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wrk","version":"4"}}'), 0
  end,
  cut = function(a) return '{"jsonrpc":"2.0","id":1,"meth', 0 end,
  token = function(a) return of("token", 0, "tools/list", "{}"), -1 end,
}

function request()
  n = n + 1
  -- Not `n % #kinds`: with several threads each would ask the same at the same time.
  local kind = kinds[(n * 7 + thread * 3) % #kinds + 1]
  local account = #tokens > 0 and (n + thread) % #tokens + 1 or 0
  local body, whose = make[kind](account)
  local headers = {
    ["Host"] = host,
    ["Content-Type"] = "application/json",
    ["Accept"] = "application/json, text/event-stream",
    ["MCP-Protocol-Version"] = "2025-11-25",
    -- Through the trusted proxy that this machine is; a caller has an address of its own.
    ["X-Forwarded-For"] = string.format("198.51.%d.%d", n % 4, n % 250 + 1),
  }
  if whose > 0 then headers["Authorization"] = "Bearer " .. tokens[whose] end
  if whose < 0 then headers["Authorization"] = "Bearer a.b.c" end
  return wrk.format("POST", "/mcp/full", headers, body)
end

function response(status, headers, body)
  local kind, account = string.match(body, '"id":"(%a+):(%d+):%d+"')
  local what = string.match(body, '"error":{"type":"([a-z_]+)"') or string.match(body, '"error":{"code":(-?%d+)')
  if not what then what = string.find(body, '"result":{', 1, true) and "ok" or "neither" end
  local outcome = (kind or "none") .. " " .. status .. " " .. what
  outcomes[outcome] = (outcomes[outcome] or 0) + 1
  account = tonumber(account or 0)
  local spent = tonumber(string.match(body, '"meta":{.-"units":(%d+)') or 0)
  if account > 0 then
    units[account] = units[account] + spent
    local allowance = string.match(body, '"quota":{"used":%d+,"allowance":(%d+)')
    if allowance and allowance ~= allowances[account] then false_account = false_account + 1 end
  else
    units[0] = (units[0] or 0) + spent
    if string.find(body, '"quota":{', 1, true) then false_account = false_account + 1 end
  end
end

function done(summary, latency)
  local all, spent, other = {}, {}, 0
  for _, thread in ipairs(threads) do
    for outcome, times in pairs(thread:get("outcomes")) do all[outcome] = (all[outcome] or 0) + times end
    for account, times in pairs(thread:get("units")) do spent[account] = (spent[account] or 0) + times end
    other = other + thread:get("false_account")
  end
  for outcome, times in pairs(all) do print("outcome " .. times .. " " .. outcome) end
  for account, times in pairs(spent) do print("units " .. times .. " " .. account) end
  print("false_account " .. other)
  print("requests " .. summary.requests)
  print("lasted_us " .. summary.duration)
  print("median_us " .. math.floor(latency:percentile(50)))
  print("p99_us " .. math.floor(latency:percentile(99)))
  print("most_us " .. math.floor(latency.max))
end
