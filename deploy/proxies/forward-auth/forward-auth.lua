-- Asks Greenroom about each request, and lets those pass that it admits. See haproxy.cfg.

local url = os.getenv("GREENROOM") .. "/introspect/forward"
local credential = os.getenv("GREENROOM_CREDENTIAL")

local TOLD = { "x-greenroom-account", "x-greenroom-key", "x-greenroom-credits-left" }
local OF_REFUSALS = { "content-type", "www-authenticate", "retry-after", "x-request-id" }

local function refuse(txn, status, headers, body)
  local reply = txn:reply({ status = status, body = body })
  for name, value in pairs(headers) do
    reply:add_header(name, value)
  end
  txn:done(reply)
end

core.register_action("greenroom_forward_auth", { "http-req" }, function(txn)
  local headers = {
    ["x-greenroom-service"] = { credential },
    ["x-forwarded-method"] = { txn.f:method() },
    ["x-forwarded-uri"] = { txn.f:pathq() },
    ["x-forwarded-for"] = { txn.f:src() },
  }
  local sent = txn.http:req_get_headers()
  for name, from in pairs({ ["x-forwarded-host"] = "host", ["xi-api-key"] = "xi-api-key", ["authorization"] = "authorization" }) do
    -- Several lines of one header are sent as several: Greenroom refuses them.
    if sent[from] then
      headers[name] = {}
      for _, value in pairs(sent[from]) do
        table.insert(headers[name], value)
      end
    end
  end
  local response = core.httpclient():get({ url = url, headers = headers, timeout = 10000 })
  if not response or not response.status or response.status == 0 then
    return refuse(txn, 503, { ["retry-after"] = "5", ["content-type"] = "application/json" },
      '{"detail":{"status":"service_unavailable","message":"Try again in a moment."}}')
  end
  local function header(name)
    local values = response.headers and response.headers[name]
    return values and values[0]
  end
  if response.status == 200 then
    for _, name in ipairs(TOLD) do
      txn.http:req_set_header(name, header(name) or "")
    end
    return
  end
  local told = {}
  for _, name in ipairs(OF_REFUSALS) do
    told[name] = header(name)
  end
  refuse(txn, response.status, told, response.body)
end)
