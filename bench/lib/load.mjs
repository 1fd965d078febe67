import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoad } from './process.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
export const hasWrk = spawnSync('wrk', ['--version']).error === undefined;

/** @throws when no load generator is installed */
export function requireLoad() {
  if (!hasWrk && !existsSync(here('../node_modules/autocannon')))
    throw new Error(
      'there is nothing to make load with: install wrk, or autocannon (npm ci --prefix bench --legacy-peer-deps)',
    );
}

/**
 * Load for some seconds.
 *
 * @param requests one or many {method, path, headers, body}; many are sent in turn
 * @returns {requests, errors, p50Ms, p99Ms}: responses other than 2xx and broken connections are errors
 */
export async function loadFor(baseUrl, requests, { connections = 32, seconds = 2 } = {}) {
  requireLoad();
  const file = join(mkdtempSync(join(tmpdir(), 'greenroom-load-')), 'requests.json');
  writeFileSync(file, JSON.stringify(requests));
  return hasWrk
    ? withWrk(baseUrl, requests, { connections, seconds })
    : JSON.parse(
        await runLoad(
          process.execPath,
          [here('autocannon.mjs'), baseUrl, file, connections, seconds].map(String),
        ),
      );
}

async function withWrk(baseUrl, requests, { connections, seconds }) {
  const file = join(mkdtempSync(join(tmpdir(), 'greenroom-load-')), 'requests.lua');
  writeFileSync(file, toLua(requests));
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', file, baseUrl];
  const output = await runLoad('wrk', args);
  const line = output.split('\n').find((text) => text.startsWith('RESULT '));
  return JSON.parse(line.slice(7));
}

const quote = (text) => `[==[${text}]==]`;

function toLua(requests) {
  const list = [requests].flat().map(({ method = 'GET', path, headers = {}, body }) => {
    const pairs = Object.entries(headers).map(([name, value]) => `[ ${quote(name)} ]=${quote(value)}`);
    return `{${quote(method)},${quote(path)},{${pairs.join(',')}},${body === undefined ? 'nil' : quote(body)}}`;
  });
  return `
local list = {${list.join(',\n')}}
local formatted = {}
local n = 0
function init()
  for i, r in ipairs(list) do formatted[i] = wrk.format(r[1], r[2], r[3], r[4]) end
end
function request()
  n = n % #formatted + 1
  return formatted[n]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('RESULT {"requests":%d,"seconds":%.6f,"errors":%d,"p50Ms":%.3f,"p99Ms":%.3f}\\n',
    summary.requests, summary.duration / 1e6, e.status + e.connect + e.read + e.write + e.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`;
}
