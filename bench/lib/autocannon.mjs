// Load without wrk: prints what lib/load.mjs reads.
import autocannon from 'autocannon';
import { readFileSync } from 'node:fs';

const [baseUrl, file, connections, seconds] = process.argv.slice(2);
const requests = [JSON.parse(readFileSync(file, 'utf8'))].flat();
const result = await autocannon({
  url: baseUrl,
  connections: Number(connections),
  duration: Number(seconds),
  requests,
});
const { requests: done, latency, non2xx, errors, duration } = result;
console.log(
  JSON.stringify({
    requests: done.total,
    seconds: duration,
    errors: non2xx + errors,
    p50Ms: latency.p50,
    p99Ms: latency.p99,
  }),
);
