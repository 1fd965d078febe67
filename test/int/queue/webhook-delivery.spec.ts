import type { INestApplicationContext } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { postWebhook } from '../../../apps/worker/src/deliveries/post-webhook';
import { WebhookSweeper } from '../../../apps/worker/src/deliveries/webhook-sweeper';
import { DueDeliveryRepository } from '../../../libs/database/deliveries/due-delivery.repository';
import {
  DUE_WEBHOOKS,
  WebhookDeliveryRepository,
} from '../../../libs/database/deliveries/webhook-delivery.repository';
import { WebhookEndpointRepository } from '../../../libs/database/webhooks/webhook-endpoint.repository';
import { WebhookEvents } from '../../../libs/webhooks/webhook-events';
import { WebhookSecrets } from '../../../libs/webhooks/webhook-secrets';
import { eventually } from '../../support/eventually';
import { HOSTILE_RESPONSES, HOSTILE_BODIES, HostileReceiver } from '../../support/hostile-receiver';
import { ReviewBench } from '../../support/review-bench';
import { WebhookReceiver } from '../../support/webhook-receiver';

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
});
afterAll(() => receiver.stop());

interface Endpoint {
  id: string;
  accountId: string;
}

async function insertEndpoint(
  worker: INestApplicationContext,
  url: string,
  accountId = randomUUID(),
): Promise<Endpoint> {
  const id = randomUUID();
  const { secret: _, ...stored } = worker.get(WebhookSecrets).issue(id);
  const settings = { id, accountId, name: 'Ours', url, events: ['key.disabled' as const], ...stored };
  const endpoints = worker.get(WebhookEndpointRepository, { strict: false });
  await worker.get<DataSource>(getDataSourceToken()).transaction((em) => endpoints.insert(settings, em));
  return { id, accountId };
}

describe('a webhook whose job was lost', () => {
  let bench: ReviewBench;
  beforeAll(async () => {
    bench = await ReviewBench.start({ WEBHOOK_PRIVATE_NETWORKS: 'allow' });
  });
  afterAll(() => bench.stop());

  it('is sent all the same', async () => {
    const worker = await bench.startWorker();
    const endpoint = await insertEndpoint(worker, receiver.url('/lost'));
    await bench.dataSource.transaction(async (em) => {
      await worker.get(WebhookEvents).test(endpoint, em);
      await em.query('DELETE FROM outbox');
    });
    const [due] = await worker.get(DueDeliveryRepository, { strict: false }).listOverdue(DUE_WEBHOOKS, 0, 10);
    await worker.get(WebhookSweeper).sweep(0);
    await eventually(() => expect(receiver.at('/lost')).toHaveLength(1));
    // The job that was lost turns up again.
    await bench.jobs.add('deliver-webhook', due!);
    await eventually(async () => expect(await bench.jobs.stateOf('deliver-webhook', due!)).toBe('completed'));
    expect(receiver.at('/lost')).toHaveLength(1);
  });
});

describe('a webhook whose job is still in the outbox', () => {
  let bench: ReviewBench;
  let worker: INestApplicationContext;
  beforeAll(async () => {
    bench = await ReviewBench.start({ WEBHOOK_PRIVATE_NETWORKS: 'allow' });
    worker = await bench.startWorker();
  });
  afterAll(() => bench.stop());

  it('is not lost, and is not given another', async () => {
    const endpoint = await insertEndpoint(worker, receiver.url('/outbox'));
    await bench.dataSource.transaction(async (em) => {
      await worker.get(WebhookEvents).test(endpoint, em);
      await em.query(`UPDATE outbox SET available_at = now() + interval '1 hour'`);
    });
    await worker.get(WebhookSweeper).sweep(0);
    const rows = await bench.dataSource.query(`SELECT payload->>'dispatch' AS dispatch FROM outbox`);
    expect(rows).toEqual([{ dispatch: '1' }]);
  });

  it('that a worker is sending keeps its job, and one that has failed meanwhile its wait', async () => {
    const endpoint = await insertEndpoint(worker, receiver.url('/sending'));
    const deliveries = worker.get(DueDeliveryRepository, { strict: false });
    const due = await bench.dataSource.transaction(async (em) => {
      await worker.get(WebhookEvents).test(endpoint, em);
      await em.query('DELETE FROM outbox');
      const [[row]] = await em.query<[{ deliveryId: string; dispatch: number }[], number]>(
        `UPDATE webhook_delivery SET due_at = now() - interval '2 minutes' WHERE endpoint_id = $1
         RETURNING id AS "deliveryId", dispatch`,
        [endpoint.id],
      );
      return row!;
    });
    await worker.get(WebhookDeliveryRepository, { strict: false }).claim(due);
    await bench.dataSource.transaction(async (em) =>
      expect(await deliveries.lockOverdue(DUE_WEBHOOKS, due, 60, em)).toBeNull(),
    );
    await bench.dataSource.transaction((em) => deliveries.postpone(DUE_WEBHOOKS, due, 7_200, em));
    await deliveries.touch(DUE_WEBHOOKS, [due]);
    expect(await deliveries.listOverdue(DUE_WEBHOOKS, 0, 10)).not.toContainEqual(
      expect.objectContaining({ deliveryId: due.deliveryId }),
    );
    const [row] = await bench.dataSource.query<{ waits: boolean }[]>(
      `SELECT due_at > now() + interval '1 hour' AS waits FROM webhook_delivery WHERE id = $1`,
      [due.deliveryId],
    );
    expect(row!.waits).toBe(true);
  });

  it('whose secret was stored with another APP_SECRET says so, and is tried again', async () => {
    const endpoint = await insertEndpoint(worker, receiver.url('/secret'));
    await bench.dataSource.transaction(async (em) => {
      await em.query(`UPDATE webhook_endpoint SET sealed_secret = 'of another' WHERE id = $1`, [endpoint.id]);
      await worker.get(WebhookEvents).test(endpoint, em);
    });
    await eventually(async () => {
      const rows = await bench.dataSource.query(
        `SELECT a.error, d.state FROM webhook_attempt a JOIN webhook_delivery d ON d.id = a.delivery_id
         WHERE d.endpoint_id = $1 ORDER BY a.id LIMIT 1`,
        [endpoint.id],
      );
      expect(rows).toEqual([{ error: 'its secret was stored with another APP_SECRET', state: 'pending' }]);
    });
  });
});

describe('an endpoint that is deleted while its delivery is written down', () => {
  let bench: ReviewBench;
  beforeAll(async () => {
    bench = await ReviewBench.start({ WEBHOOK_PRIVATE_NETWORKS: 'allow' });
  });
  afterAll(() => bench.stop());

  it('is deleted, and its delivery with it', async () => {
    const worker = await bench.startWorker();
    const endpoint = await insertEndpoint(worker, receiver.url('/deleted'));
    const endpoints = worker.get(WebhookEndpointRepository, { strict: false });
    await bench.dataSource.transaction((em) => worker.get(WebhookEvents).test(endpoint, em));
    await bench.dataSource.transaction(async (em) => {
      await endpoints.lockOwned(endpoint.id, endpoint.accountId, em);
      await eventually(async () => {
        // Whoever has waited for longer than a second is not the one whom PostgreSQL ends when a deadlock begins.
        const waiting = await bench.dataSource.query<object[]>(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
             AND query_start < clock_timestamp() - interval '1.2 s'`,
        );
        expect(waiting).toHaveLength(1);
      });
      await endpoints.delete(endpoint.id, em);
    });
    const left = await bench.dataSource.query<object[]>(
      'SELECT FROM webhook_delivery WHERE endpoint_id = $1',
      [endpoint.id],
    );
    expect(left).toEqual([]);
  });
});

describe('receivers that respond as no server should', () => {
  const ACCOUNTS = 3;
  const DELIVERIES = 4;
  let bench: ReviewBench;
  let hostile: HostileReceiver;
  beforeAll(async () => {
    [bench, hostile] = await Promise.all([
      ReviewBench.start({ WEBHOOK_PRIVATE_NETWORKS: 'allow' }),
      HostileReceiver.start(),
    ]);
  });
  afterAll(async () => {
    await bench.stop();
    await hostile.stop();
  });

  async function send(worker: INestApplicationContext, endpoints: Endpoint[]): Promise<void> {
    await bench.dataSource.transaction(async (em) => {
      for (let count = 0; count < DELIVERIES; count += 1)
        for (const endpoint of endpoints) await worker.get(WebhookEvents).test(endpoint, em);
    });
  }

  async function insertHostile(worker: INestApplicationContext): Promise<Endpoint[]> {
    const urls = Object.keys(HOSTILE_RESPONSES).map((behaviour) => hostile.url(behaviour));
    const accounts = Array.from({ length: ACCOUNTS }, () => randomUUID());
    return Promise.all(
      accounts.flatMap((accountId) => urls.map((url) => insertEndpoint(worker, url, accountId))),
    );
  }

  it("do not hold up others' webhooks, nor those of a worker that starts later, and use up their attempts", async () => {
    const first = await bench.startWorker();
    const honest = await insertEndpoint(first, receiver.url('/beside'));
    const others = await insertHostile(first);
    await send(first, others);
    await eventually(() => expect(hostile.received.length).toBeGreaterThan(10));
    await send(first, [honest]);
    await eventually(() => expect(receiver.at('/beside')).toHaveLength(DELIVERIES));
    await bench.stopWorkers();
    await send(await bench.startWorker(), [honest]);
    await eventually(() => expect(receiver.at('/beside')).toHaveLength(2 * DELIVERIES));
    const switching = others.filter((_, index) => index % Object.keys(HOSTILE_RESPONSES).length === 0);
    await eventually(async () => {
      const attempts = await bench.dataSource.query<{ error: string }[]>(
        `SELECT a.error FROM webhook_attempt a JOIN webhook_delivery d ON d.id = a.delivery_id
         WHERE d.endpoint_id = ANY ($1)`,
        [switching.map(({ id }) => id)],
      );
      expect(attempts.length).toBeGreaterThanOrEqual(ACCOUNTS);
      for (const { error } of attempts) expect(error).toContain('101');
    });
  });
});

describe('postWebhook', () => {
  const post = (url: string, options: { allowPrivate?: boolean; signal?: AbortSignal } = {}) =>
    postWebhook({
      url,
      headers: {},
      body: '{}',
      allowPrivate: false,
      signal: new AbortController().signal,
      timeoutMs: 500,
      ...options,
    });

  it.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '[::1]'])(
    'connects to no internal address: %s, whatever was saved',
    async (host) => {
      const url = receiver.url('/internal').replace('127.0.0.1', host);
      const { status, error } = await post(url);
      expect(status).toBeNull();
      expect(error).toContain('an internal address');
      expect(receiver.at('/internal')).toEqual([]);
    },
  );

  it('waits for a response only so long', async () => {
    receiver.answer = () => undefined;
    const { status, error, ms } = await post(receiver.url('/silent'), { allowPrivate: true });
    expect([status, error]).toEqual([null, 'no response within 0.5 s']);
    expect(ms).toBeLessThan(2_000);
  });

  it('is broken off with the job, without counting as an attempt', async () => {
    receiver.answer = () => undefined;
    const stop = new AbortController();
    const posted = post(receiver.url('/stopped'), { allowPrivate: true, signal: stop.signal });
    await eventually(() => expect(receiver.at('/stopped')).toHaveLength(1));
    stop.abort(new Error('the worker is stopping'));
    await expect(posted).rejects.toThrow('the worker is stopping');
  });

  describe('to a server that', () => {
    let hostile: HostileReceiver;
    beforeAll(async () => {
      hostile = await HostileReceiver.start();
    });
    afterAll(() => hostile.stop());

    it.each(Object.keys(HOSTILE_RESPONSES))('%s is a failed attempt that says why', async (behaviour) => {
      const { status, error } = await post(hostile.url(behaviour), { allowPrivate: true });
      expect([status, error]).toEqual([null, expect.stringMatching(/\w{4}/)]);
    });

    it.each(Object.keys(HOSTILE_BODIES))('%s has responded', async (behaviour) => {
      const { status, error } = await post(hostile.url(behaviour), { allowPrivate: true });
      expect([status, error]).toEqual([200, null]);
    });
  });
});
