import { randomUUID } from 'node:crypto';
import { postWebhook } from '../../../apps/worker/src/webhooks/post-webhook';
import { WebhookSweeper } from '../../../apps/worker/src/webhooks/webhook-sweeper';
import { WebhookDeliveryRepository } from '../../../libs/database/repositories/webhook-delivery.repository';
import { WebhookEndpointRepository } from '../../../libs/database/repositories/webhook-endpoint.repository';
import { WebhookEvents } from '../../../libs/webhooks/webhook-events';
import { WebhookSecrets } from '../../../libs/webhooks/webhook-secrets';
import { eventually } from '../../support/eventually';
import { ReviewBench } from '../../support/review-bench';
import { WebhookReceiver } from '../../support/webhook-receiver';

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
});
afterAll(() => receiver.stop());

describe('a webhook whose job was lost', () => {
  let bench: ReviewBench;
  beforeAll(async () => {
    bench = await ReviewBench.start({ WEBHOOK_PRIVATE_NETWORKS: 'allow' });
  });
  afterAll(() => bench.stop());

  it('is sent all the same', async () => {
    const worker = await bench.startWorker();
    const accountId = randomUUID();
    const id = randomUUID();
    const { secret: _, ...stored } = worker.get(WebhookSecrets).issue(id);
    const url = receiver.url('/lost');
    const settings = { id, accountId, name: 'Ours', url, events: ['key.disabled' as const], ...stored };
    await bench.dataSource.transaction(async (em) => {
      await worker.get(WebhookEndpointRepository, { strict: false }).insert(settings, em);
      await worker.get(WebhookEvents).test({ id, accountId }, em);
      await em.query('DELETE FROM outbox');
    });
    const [due] = await worker.get(WebhookDeliveryRepository, { strict: false }).listOverdue(0, 10);
    await worker.get(WebhookSweeper).sweep(0);
    await eventually(() => expect(receiver.at('/lost')).toHaveLength(1));
    // The job that was lost turns up again.
    await bench.jobs.add('deliver-webhook', due!);
    await eventually(async () => expect(await bench.jobs.stateOf('deliver-webhook', due!)).toBe('completed'));
    expect(receiver.at('/lost')).toHaveLength(1);
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

  it('waits for an answer only so long', async () => {
    receiver.answer = () => undefined;
    const { status, error, ms } = await post(receiver.url('/silent'), { allowPrivate: true });
    expect([status, error]).toEqual([null, 'no answer within 0.5 s']);
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
});
