-- Sends the requests of a file, each once, and prints the results of wrk as JSON.
-- In the file, each request has three lines: method, path and body, which may be empty.
-- Headers precede the first request, with a line for each name and each value, up to an empty line.

local requests = {}
local sent = 0

function init(args)
  local lines = io.lines(args[1])
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
