import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { metricsIn, queries } from '../support/monitoring-files';
import { freePort } from '../support/redis-server';
import { PACKAGE, PROJECT_ROOT } from '../../libs/config/project-root';
import { makeVoice } from '../support/previews';
import { designBody } from '../support/samples';
import type { OperationCheckResponse } from '../../apps/api/src/health/staff-check.dto';
import { StaffClient } from '../support/staff-client';
import { Stack } from '../support/stack';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool)
  console.warn('promtool is not on the PATH: its test is left out. Debian: apt-get install prometheus.');

let stack: Stack;
let metricsPort: number;
let workerPort: number;

beforeAll(async () => {
  [metricsPort, workerPort] = [await freePort(), await freePort()];
  stack = await Stack.start({
    env: { METRICS_PORT: String(metricsPort), WORKER_HEALTH_PORT: String(workerPort) },
  });
});

afterAll(async () => {
  await stack.stop();
});

const models = (secret?: string) => stack.request('GET', '/v1/models', { secret });

/** The values that are there now, by name and labels. */
async function scrape(port = metricsPort): Promise<Record<string, number>> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

describe('what Prometheus reads', () => {
  it('counts responses by operation, decisions by gate, and the cache', async () => {
    const { secret } = await stack.issueKey({ permissions: [] });
    const before = await scrape();
    await models(secret);
    await models(secret);
    await models();
    await models('grk_nonsense');
    await stack.request('GET', `/a/path/${randomBytes(8).toString('hex')}`);
    const after = await scrape();
    const grown = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
    const answered = (status: number) =>
      grown(`greenroom_http_requests_total{method="GET",route="/v1/models",status="${status}"}`);
    expect([answered(401), answered(403)]).toEqual([2, 2]);
    expect(
      grown(`greenroom_http_request_duration_seconds_bucket{method="GET",route="/v1/models",le="+Inf"}`),
    ).toBe(4);
    expect(grown('greenroom_key_verifications_total{outcome="scope"}')).toBe(2);
    expect(grown('greenroom_key_verifications_total{outcome="credential"}')).toBe(1);
    expect(grown('greenroom_key_cache_misses_total{cache="keys"}')).toBe(1);
    expect(grown('greenroom_key_cache_hits_total{cache="keys"}')).toBe(1);
    expect(after['greenroom_key_changes_connected']).toBe(1);
    expect(grown('greenroom_http_requests_total{method="",route="(no route)",status="404"}')).toBe(1);
    expect(Object.keys(after).filter((name) => name.includes('/a/path'))).toEqual([]);
  });

  it('says which release runs, in every process', async () => {
    for (const port of [metricsPort, workerPort]) {
      const names = Object.keys(await scrape(port));
      expect(names.find((name) => name.startsWith('greenroom_build_info'))).toContain(
        `version="${PACKAGE.version}"`,
      );
    }
  });

  it('counts generations that were refused, and deliveries by outcome with what is overdue', async () => {
    const [before, { secret }] = [await scrape(), await stack.issueKey({ concurrency: 0 })];
    await stack.request('POST', '/v1/text-to-voice/design', { secret, body: designBody() });
    const refused = (scraped: Record<string, number>) => scraped['greenroom_generations_refused_total'] ?? 0;
    expect(refused(await scrape()) - refused(before)).toBe(1);
    const worker = await scrape(workerPort);
    expect(worker['greenroom_deliveries_total{channel="webhook",outcome="delivered"}']).toBe(0);
    expect(worker['greenroom_delivery_overdue_seconds{channel="email"}']).toBe(0);
  });

  it('is on no other path, and not at the address of the api', async () => {
    expect((await fetch(`http://127.0.0.1:${metricsPort}/`)).status).toBe(404);
    expect((await stack.request('GET', '/metrics')).status).toBe(404);
  });
});

describe('the checks of the operation', () => {
  it('are the same for operators as for Prometheus, and nobody else reads them', async () => {
    const ops = await StaffClient.signedIn(stack, 'ops');
    const { status, body } = await ops.get('/admin/checks');
    expect(status).toBe(200);
    const items = body.items as unknown as OperationCheckResponse[];
    const metrics = await scrape();
    const values = { ok: 0, warning: 1, failed: 2, skipped: undefined };
    for (const { name, status: said, detail } of items) {
      expect([name, metrics[`greenroom_check_status{check="${name}"}`]]).toEqual([name, values[said]]);
      expect(detail).not.toBe('');
    }
    expect(items.find(({ name }) => name === 'disk')).toMatchObject({
      status: 'ok',
      detail: 'The disk of PostgreSQL takes writes.',
    });
    const support = await StaffClient.signedIn(stack, 'support');
    expect((await support.get('/admin/checks')).status).toBe(403);
  });
});

describe('the dashboard and the alerts', () => {
  it('query only what is exported', async () => {
    const { secret } = await stack.issueKey();
    await makeVoice(stack, secret);
    const scraped = Object.keys({ ...(await scrape()), ...(await scrape(workerPort)) });
    // Prometheus adds these itself: whether the scrape succeeded, and what it scraped.
    const added = { metric: 'up', labels: ['job', 'instance'] };
    const isNotified = ({ name, labels }: { name: string; labels: string[] }) =>
      name === added.metric ||
      scraped.some(
        (line) =>
          line.split('{')[0] === name &&
          labels.every((label) => added.labels.includes(label) || line.includes(`${label}="`)),
      );
    const requested = queries.flatMap(([where, query]) =>
      metricsIn(query).map((metric) => ({ where, ...metric })),
    );
    expect(requested.length).toBeGreaterThan(queries.length - 1);
    expect(requested.filter((metric) => !isNotified(metric))).toEqual([]);
  });

  it('leave nothing of ours out', async () => {
    const ours = Object.keys({ ...(await scrape()), ...(await scrape(workerPort)) })
      .map((line) => line.split('{')[0]!.replace(/_(bucket|sum|count)$/, ''))
      .filter((name) => name.startsWith('greenroom_'));
    const requested = queries.flatMap(([, query]) => metricsIn(query).map(({ name }) => name));
    expect(ours.filter((name) => !requested.some((other) => other.startsWith(name)))).toEqual([]);
  });

  (hasPromtool ? it : it.skip)('have rules that promtool accepts', () => {
    const rules = join(PROJECT_ROOT, 'deploy/prometheus/alerts.yml');
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rules], { encoding: 'utf8' });
    expect([status, stdout + stderr]).toEqual([0, expect.stringMatching(/SUCCESS: \d+ rules found/)]);
  });
});
