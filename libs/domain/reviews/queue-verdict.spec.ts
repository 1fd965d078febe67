import { verdictsOf } from './queue-verdict';

type Overview = Parameters<typeof verdictsOf>[0];
type Worker = Parameters<typeof verdictsOf>[1][number];

const queue = { name: 'voice-review', jobs: ['review-voice'], reachable: true, error: null, paused: false };
const counts = { waiting: 18 };
const overview = (changes: object = {}) =>
  ({
    backend: 'redis',
    queues: [{ ...queue, counts, oldest_waiting_secs: 400 }],
    relay: { messages: 12, oldest_secs: 400, failing: 0, last_error: null },
    failing_webhooks: { endpoints: 0, since: null, accounts: [] },
    ...changes,
  }) as Overview;
const worker = (health: string, changes: object = {}) =>
  ({
    name: 'w',
    health,
    quiet: null,
    seen_at: new Date().toISOString(),
    idle_secs: 0,
    ...changes,
  }) as Worker;
const texts = (...input: Parameters<typeof verdictsOf>) => verdictsOf(...input).map(({ text }) => text);

it('a dead worker is one sentence with one number, whatever follows from it', () => {
  for (const workers of [[], [worker('silent')], [worker('stuck')]])
    expect(texts(overview(), workers)).toEqual([
      expect.stringMatching(/^No worker runs: 18 voices wait, since \d/),
    ]);
});

it('without a worker, it says how one is started', () => {
  const details = (workers: Worker[]) =>
    verdictsOf(overview(), workers).map(({ detail }) =>
      [detail]
        .flat(2)
        .filter((part) => typeof part === 'string')
        .join(''),
    );
  expect(details([])).toEqual(['To start one: greenroom worker']);
  expect(details([worker('silent')])).toEqual([
    expect.stringMatching(/^w is silent since \d\d:\d\d\. To start one: greenroom worker$/),
  ]);
  expect(details([worker('stuck')])).toEqual(['w is stuck. To start one: greenroom worker']);
});

it('with a worker, what is late is said of its queue', () => {
  expect(texts(overview(), [worker('healthy')])).toEqual([
    'voice-review is behind: 18 jobs wait, the oldest for 6 min',
    '12 jobs not in a queue yet, the oldest for 6 min',
  ]);
});

it('receivers that fail are an alarm although every queue keeps up', () => {
  const calm = {
    queues: [{ ...queue, counts: { waiting: 0 }, oldest_waiting_secs: null }],
    relay: { ...overview().relay, messages: 0, oldest_secs: 0 },
  };
  expect(texts(overview(calm), [worker('healthy')])).toEqual([
    'Queues keep up and every worker works: no voice waits.',
  ]);
  const failing_webhooks = { endpoints: 2, since: new Date().toISOString(), accounts: [] };
  expect(texts(overview({ ...calm, failing_webhooks }), [worker('healthy')])).toEqual([
    '2 webhook receivers fail',
  ]);
});

it('a pause says who paused it, since when, why, and how many wait', () => {
  const pause = { since: new Date().toISOString(), by: 'olga@example.com', reason: 'A release' };
  const paused = { ...queue, paused: true, pause, counts, oldest_waiting_secs: 400 };
  expect(verdictsOf(overview({ queues: [paused] }), [worker('healthy')])[0]).toMatchObject({
    text: 'Paused: voice-review. 18 jobs wait, and none starts.',
    detail: ['By ', { by: 'olga@example.com' }, expect.stringMatching(/^, since \d\d:\d\d: A release$/)],
  });
});

it('a worker that is quiet names who quieted it, alone or with the others', () => {
  const quiet = worker('healthy', { quiet: { by: 'olga@example.com', reason: 'A release' } });
  const detailsOf = (workers: Worker[]) => verdictsOf(overview(), workers)[0]!.detail;
  expect(detailsOf([quiet, worker('healthy')])).toEqual([{ by: 'olga@example.com' }, ': A release']);
  expect(detailsOf([quiet])).toEqual(['', 'w: ', { by: 'olga@example.com' }, ', A release']);
});

it('where no queue responds, one sentence names the part that is away', () => {
  const away = {
    reachable: false,
    error: 'ECONNREFUSED',
    paused: null,
    counts: null,
    oldest_waiting_secs: null,
  };
  const queues = ['voice-review', 'webhooks', 'email', 'chat'].map((name) => ({ ...queue, ...away, name }));
  const relay = { messages: 3, oldest_secs: 90, failing: 3, last_error: 'ECONNREFUSED' };
  expect(texts(overview({ queues, relay }), [worker('healthy')])).toEqual([
    'Redis does not respond: no review starts, and no webhook or alert is sent',
  ]);
});
