-- Sends the requests of a file, each once, and prints the results of wrk as JSON.
-- In the file, each request has three lines: method, path and body, which may be empty.
-- Headers precede the first request, with a line for each name and each value, up to an empty line.

-- A second argument is the number of requests per second.

local ffi = require('ffi')
ffi.cdef [[
  typedef struct { long seconds; long nanoseconds; } gatehouse_time;
  int clock_gettime(int clock, gatehouse_time *time);
]]

local requests = {}
local sent = 0
local interval_ms = nil
local due_ms = nil

local function now_ms()
  local time = ffi.new('gatehouse_time')
  ffi.C.clock_gettime(1, time)
  return tonumber(time.seconds) * 1000 + tonumber(time.nanoseconds) / 1e6
end

function init(args)
  local lines = io.lines(args[1])
  if args[2] then
    interval_ms = 1000 / tonumber(args[2])
    delay = wait_ms
  end
  local headers = {}
  for name in lines do
    if name == '' then break end
    headers[name] = lines()
  end
  for name, value in pairs(wrk.headers) do headers[name] = headers[name] or value end
  for method in lines do
    local path, body = lines(), lines()
    if body == '' then body = nil end
    requests[#requests + 1] = wrk.format(method, path, headers, body)
  end
end

-- The time in milliseconds until the next request is due. Requests that are late are sent at once, so that a
-- slow answer does not lower the rate.
function wait_ms()
  local now = now_ms()
  due_ms = due_ms and due_ms + interval_ms or now
  return math.max(0, math.floor(due_ms - now))
end

-- Repeats the last request at the end, for connections that are still open; the thread then stops.
function request()
  sent = sent + 1
  if sent >= #requests then wrk.thread:stop() end
  return requests[math.min(sent, #requests)]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"p50":%d,"p95":%d,"p99":%d,"failures":%d}\n',
    summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(95), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
