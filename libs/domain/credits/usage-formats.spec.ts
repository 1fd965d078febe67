import { readUsageResponse, usageProblem, writeUsage, type UsageLine } from './usage-formats';
import { checkUsageSinks, toUsageSinks, type UsageSink } from './usage-sink';

const LINE: UsageLine = {
  id: '812',
  accountId: '6a6f2f3e-2c43-4c3e-9d3d-0d9f1d8f4c11',
  externalId: 'cus_1',
  keyId: '0f4a1c5e-9a43-4c3e-9d3d-0d9f1d8f4c11',
  kind: 'refund',
  amount: -18,
  operation: 'text_to_speech',
  endUser: 'ana',
  at: new Date('2026-11-21T10:00:00.123Z'),
};

const sinkOf = (format: UsageSink['format'], more: Partial<UsageSink> = {}): UsageSink => ({
  ...toUsageSinks([
    { name: 'billing', format, url: 'https://billing.example.com/events', event: 'credits' },
  ])[0]!,
  ...more,
});

it('writes CloudEvents, with the id of the line', () => {
  const { headers, body } = writeUsage(sinkOf('cloudevents', { token: 'secret' }), '01', [LINE]);
  expect(headers).toEqual({
    'content-type': 'application/cloudevents-batch+json; charset=utf-8',
    authorization: 'Bearer secret',
  });
  expect(JSON.parse(body)).toEqual([
    {
      specversion: '1.0',
      id: '812',
      source: '/greenroom/cells/01',
      type: 'credits',
      subject: 'cus_1',
      time: '2026-11-21T10:00:00.123Z',
      datacontenttype: 'application/json',
      data: {
        credits: -18,
        operation: 'text_to_speech',
        kind: 'refund',
        account_id: LINE.accountId,
        key_id: LINE.keyId,
        end_user: 'ana',
      },
    },
  ]);
});

it('writes events of Lago, of the account where no other name is known', () => {
  const { body } = writeUsage(sinkOf('lago'), '00', [{ ...LINE, externalId: null }]);
  expect(JSON.parse(body)).toMatchObject({
    events: [
      {
        transaction_id: 'greenroom-00-812',
        external_subscription_id: LINE.accountId,
        code: 'credits',
        timestamp: '1795255200.123',
        properties: { credits: -18 },
      },
    ],
  });
});

it('writes meter events of Stripe, of customers that are known there', () => {
  const { headers, body } = writeUsage(sinkOf('stripe', { token: 'sk_1' }), '00', [LINE]);
  expect(headers).toMatchObject({ authorization: 'Bearer sk_1' });
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
    event_name: 'credits',
    identifier: 'greenroom-00-812',
    timestamp: '1795255200',
    'payload[stripe_customer_id]': 'cus_1',
    'payload[value]': '-18',
  });
  expect(usageProblem(sinkOf('stripe'), LINE)).toBeNull();
  expect(usageProblem(sinkOf('stripe'), { ...LINE, externalId: null })).toContain('external_id');
  expect(usageProblem(sinkOf('lago'), { ...LINE, externalId: null })).toBeNull();
});

const THERE = { transaction_id: ['value_already_exist'] };

it.each([
  ['cloudevents', 204, '', { outcome: 'delivered' }],
  ['cloudevents', 400, 'no type', { outcome: 'refused' }],
  ['cloudevents', 503, '', { outcome: 'failed' }],
  ['cloudevents', 302, '', { outcome: 'failed' }],
  ['cloudevents', 401, '', { outcome: 'failed' }],
  ['cloudevents', 429, '', { outcome: 'failed' }],
  ['lago', 200, '{}', { outcome: 'delivered' }],
  [
    'lago',
    422,
    JSON.stringify({ status: 422, code: 'validation_errors', error_details: { 0: THERE, 3: THERE } }),
    { outcome: 'some_there', alreadyThere: [0, 3] },
  ],
  ['lago', 422, JSON.stringify({ error_details: { 0: { code: ['missing'] } } }), { outcome: 'refused' }],
  [
    'stripe',
    400,
    JSON.stringify({ error: { message: 'An event already exists with identifier greenroom-00-812.' } }),
    { outcome: 'some_there', alreadyThere: [0] },
  ],
  [
    'stripe',
    400,
    JSON.stringify({ error: { code: 'duplicate_meter_event' } }),
    { outcome: 'some_there', alreadyThere: [0] },
  ],
  ['stripe', 400, JSON.stringify({ error: { message: 'No such customer' } }), { outcome: 'refused' }],
  ['stripe', 400, 'not JSON', { outcome: 'refused' }],
] as const)('reads what a receiver of %s says with %d %s', (format, status, body, outcome) => {
  expect(readUsageResponse(format, status, body)).toMatchObject(outcome);
});

it('refuses the fields of a sink by name', () => {
  const sink = { name: 'billing', format: 'lago', url: 'https://a.example.com', event: 'credits' };
  expect(checkUsageSinks([sink])).toEqual([]);
  const pathsOf = (value: unknown) => checkUsageSinks(value).map(({ path }) => path?.join('.'));
  expect(pathsOf([{ ...sink, name: 'A b', format: 'csv', token: 'a b', account: 'x', more: 1 }])).toEqual([
    '0.name',
    '0.format',
    '0.token',
    '0.account',
    '0.more',
  ]);
  expect(pathsOf([{}])).toEqual(['0.name', '0.format', '0.url', '0.event']);
  expect(pathsOf([sink, sink])).toEqual(['1.name']);
  expect(pathsOf([{ ...sink, account: LINE.accountId, tag: 'gold' }])).toEqual(['0.tag']);
  expect(pathsOf('billing')).toEqual([undefined]);
});
