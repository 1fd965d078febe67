import type { StaffRole } from '../../libs/domain/staff/staff-permissions';
import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { storeDeadLetter, storeVoice, waitForReview } from '../support/stored-voices';

const LOST = 'connect ECONNREFUSED 192.0.2.1:9000\n    at the audio store';
const FULL = 'no space left on device';

let stack: Stack;
let browser: ConsoleBrowser;

beforeAll(async () => {
  stack = await Stack.start();
  browser = await ConsoleBrowser.open(stack);
  for (let i = 0; i < 50; i++) await storeDeadLetter(stack, LOST, { name: `Voice ${i}` });
  for (const name of ['The last one', 'Not worth it']) await storeDeadLetter(stack, FULL, { name });
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const open = async (role: StaffRole, path: string): Promise<ConsolePage> => {
  const window = await browser.signedIn(role);
  await window.open(path);
  return window;
};

it('50 dead letters are filtered by cause and tried again together, in one click; all get through', async () => {
  const window = await open('ops', '/');
  await window.page.getByRole('link', { name: '52 dead letters' }).click();
  await window.sees('52 in all');
  const causes = window.page.getByRole('table', { name: 'Why reviews failed' }).getByRole('row');
  expect(await causes.count()).toBe(3);
  await window.field('Cause').fill('econnrefused');
  await window.sees('50 in all');
  await window.page.waitForURL('**/dead-letters?cause=econnrefused');
  expect(await window.page.getByText('at the audio store').count()).toBe(0);

  await window.button('Try all 50 again').click();
  await window.sees('50 reviews were requested again.');
  await window.sees(/of 50 reviews done/);
  await window.sees('No dead letter matches these filters.');

  await window.button('Clear the filters').click();
  await window.button('Try again: The last one').click();
  await window.sees('1 in all');
  await window.open('/queues');
  await window.button('Remove all: no space left on device').click();
  await window.page.getByLabel('Type 1 to confirm').fill('1');
  await window.confirm('Remove them');
  await window.sees('1 review was removed.');
  await window.open('/dead-letters');
  await window.sees('No review is waiting for you.');
  await eventually(
    async () => {
      const [row] = await stack.dataSource.query<{ open: string }[]>(
        `SELECT count(*) AS open FROM voice WHERE review_state NOT IN ('completed', 'cancelled')`,
      );
      expect(row!.open).toBe('0');
    },
    { everyMs: 200 },
  );
  const support = await open('support', '/voices?search=The+last+one');
  const row = support.page.getByRole('row', { name: /The last one.*completed/ });
  await row.waitFor();
  expect(await row.textContent()).not.toContain('the review failed');
  await support.close();
  expect(browser.complaints).toEqual([]);
  await window.close();
});

it('a queue is paused with a reason, shows as paused everywhere without a reload, and resumes', async () => {
  const window = await open('ops', '/queues');
  const notified = await open('support', '/queues');
  const requested: string[] = [];
  notified.page.on('request', (request) => {
    // Who waits, and for how long, is not among the events.
    if (!/\/assets\/|\/admin\/queues\/(accounts$|times)/.test(request.url())) requested.push(request.url());
  });
  const asking = await browser.signedIn('admin');
  await asking.page.route('**/admin/queues/events**', (route) => route.abort());
  await asking.open('/queues');
  await asking.sees('Live updates are down: refreshed every 5 seconds.');
  expect(await notified.button(/^Pause/).count()).toBe(0);
  await window.button('Pause voice-review').click();
  await window.confirm('Pause');
  for (const each of [window, notified, asking])
    await each.sees('Paused: voice-review. 0 jobs wait, and none starts.');
  const [name] = window.person.email.split('@');
  await notified.sees(new RegExp(`By ${name}, since \\d\\d:\\d\\d: Ticket 4711`));
  expect(await notified.page.getByTitle(window.person.email).first().textContent()).toBe(name);
  await notified.page
    .getByRole('row', { name: new RegExp(`^voice-review paused since .+ by ${name}: Ticket 4711`) })
    .waitFor();
  await window.button('Resume voice-review').click();
  await window.confirm('Resume');
  await window.button('Pause voice-review').waitFor();
  await notified.page.getByText('Paused: voice-review').waitFor({ state: 'detached' });
  expect(requested).toEqual([]);
  await window.sees(/up to \d+ reviews? at once/);
  await Promise.all([window.close(), notified.close(), asking.close()]);
});

it('a queue in which nothing waits is not said to be empty soon, though an older forecast says so', async () => {
  const window = await browser.signedIn('ops');
  await window.page.route('**/admin/queues/times?*work=reviews*', async (route) => {
    const response = await route.fetch();
    const times = (await response.json()) as { forecast: object };
    const forecast = { ...times.forecast, waiting: 9, drains_in_secs: 120 };
    await route.fulfill({ response, json: { ...times, forecast } });
  });
  await window.open('/queues');
  const row = window.page.getByRole('row', { name: /^voice-review/ });
  await row.getByText(/a minute|none lately/).waitFor();
  expect(await row.textContent()).not.toContain('empty in');
  await window.close();
});

it('an account that waits is held and released; support sees it, and why', async () => {
  const account = await stack.openAccount();
  await stack.dataSource.query(`UPDATE account SET name = 'Northwind' WHERE id = $1`, [account]);
  await stack.dataSource.query(
    `INSERT INTO review_hold (account_id, kind, reason, set_by, ends_at)
     VALUES ($1, 'behind', 'Ticket 17', 'ops', now() + interval '1 hour')`,
    [account],
  );
  const window = await open('ops', '/queues');
  const row = window.page.getByRole('row', { name: /Northwind/ });
  await row.getByText('behind others').waitFor();
  await window.button('Hold: Northwind').click();
  await window.field('Ends after').selectOption('4 hours');
  await window.confirm('Hold');
  await row.getByText('held', { exact: true }).waitFor();
  await storeVoice(stack, { accountId: account });
  await row.getByText(/^1 review \(0 in the queue\), the oldest for/).waitFor();
  const notified = await open('support', '/queues');
  await notified.sees('Ticket 4711');
  expect(await notified.button(/^(Hold|Move behind|Release)/).count()).toBe(0);
  await window.button('Release: Northwind').click();
  await window.confirm('Release');
  await row.waitFor({ state: 'detached' });
  await window.page
    .getByRole('img', { name: /^Ended in the last hour, a minute each: 5\d in all/ })
    .waitFor();
  for (const name of ['Reviews over time', 'Until a review starts'])
    await window.page.getByRole('figure', { name, exact: true }).waitFor();
  await window.page.getByText('Waiting and work in detail').click();
  const times = window.page.getByRole('figure', { name: 'Waiting and work of reviews, 95th percentile' });
  await times.getByRole('application').waitFor();
  expect(browser.complaints).toEqual([]);
  await Promise.all([window.close(), notified.close()]);
});

it('a review that fails again says so; what was removed waits for staff no more', async () => {
  await stack.dataSource.query(`UPDATE voice SET review_state = 'completed' WHERE review_state = 'stalled'`);
  const id = await storeVoice(stack, { name: 'Without its recording', enqueue: false });
  await stack.dataSource.query(
    'DELETE FROM audio_object WHERE digest = (SELECT audio_digest FROM voice_sample WHERE voice_id = $1)',
    [id],
  );
  const support = await StaffClient.signedIn(stack, 'support');
  await support.post(`/admin/voices/${id}/re-review`, { reason: 'A test' }, { 'if-match': '*' });
  await waitForReview(stack, id, 'stalled', 90_000);
  const window = await open('ops', '/queues');
  await window.sees('Dead letters by cause');
  await window.button(/^Try 1 again: /).click();
  await window.sees('1 review was requested again.');
  await window.page.getByText(/1 of 1 review done, 1 failed again/).waitFor({ timeout: 90_000 });
  expect(await window.page.getByText(/gets? through/).count()).toBe(0);
  await window.button(/^Remove all: /).click();
  await window.page.getByLabel('Type 1 to confirm').fill('1');
  await window.confirm('Remove them');
  await window.sees('1 review was removed.');
  await window.page.getByRole('link', { name: 'Dead letters' }).click();
  await window.sees('No review is waiting for you.');
  await window.close();
});

it('a worker that disappeared is on the first screen until another has been started since', async () => {
  await stack.dataSource.query(`UPDATE worker_process SET started_at = now() - interval '1 hour'`);
  await stack.dataSource.query(
    `INSERT INTO worker_process (id, name, concurrency, started_at, seen_at)
     VALUES (gen_random_uuid(), 'gone', 4, now() - interval '1 hour', now() - interval '10 minutes')`,
  );
  const home = await open('ops', '/');
  await home.page.getByRole('link', { name: 'Worker gone is silent' }).click();
  const row = home.page.getByRole('row', { name: /^gone/ });
  await row.getByText('silent', { exact: true }).waitFor();
  await stack.dataSource.query(
    `UPDATE worker_process SET started_at = now() - interval '5 minutes' WHERE name <> 'gone'`,
  );
  await row.getByText('another worker was started since').waitFor();
  await home.open('/');
  await home.page.locator('summary').filter({ hasText: 'Queues' }).waitFor();
  expect(await home.page.getByText('Worker gone').count()).toBe(0);
  await stack.dataSource.query(`DELETE FROM worker_process WHERE name = 'gone'`);
  await home.close();
});

it('a worker is quieted, says so on the first screen, and is resumed', async () => {
  const window = await open('ops', '/queues');
  const row = window.page.getByRole('table', { name: 'Workers' }).getByRole('row').nth(1);
  await window.button(/^Quiet: worker/).click();
  await window.confirm('Quiet');
  await row.getByText('quiet', { exact: true }).waitFor();
  await row.getByText('Ticket 4711').waitFor();
  const home = await open('ops', '/');
  await home.sees(/^Every worker is quiet: no voice waits\.$/);
  await window.button(/^Resume: worker/).click();
  await window.confirm('Resume');
  await window.button(/^Quiet: worker/).waitFor();
  expect(browser.complaints).toEqual([]);
  await Promise.all([window.close(), home.close()]);
});

it('a timer is paused, says so on the first screen, and is resumed; one that is late is raised there', async () => {
  const window = await open('ops', '/timers');
  const row = window.page.getByRole('row', { name: /^preview-expiry/ });
  await row.getByText('on time').waitFor();
  await window.page.getByTitle('without it no job reaches any queue').waitFor();
  await window.button('Pause: preview-expiry').click();
  await window.field('Ends after').selectOption('4 hours');
  await window.confirm('Pause');
  await row.getByText('paused', { exact: true }).waitFor();
  await row.getByText('after the pause').waitFor();
  await stack.dataSource.query(
    `UPDATE timer_run SET began_at = now() - interval '4 hours' WHERE name = 'spending-watch'`,
  );
  const home = await open('ops', '/');
  await home.sees('The timer preview-expiry is paused');
  const waits = home.page.getByRole('list', { name: 'What waits for you, worst first' });
  const pausedBy = waits.getByTitle(window.person.email);
  expect(await pausedBy.textContent()).toBe(window.person.email.split('@')[0]);
  await home.page.getByRole('link', { name: 'The timer spending-watch has not run for 4 h' }).click();
  await home.button('Run now: spending-watch').click();
  await home.confirm('Run now');
  await home.page
    .getByRole('row', { name: /^spending-watch/ })
    .getByText('on time')
    .waitFor();
  await window.button('Resume: preview-expiry').click();
  await window.confirm('Resume');
  await row.getByText('on time').waitFor();
  expect(browser.complaints).toEqual([]);
  await Promise.all([window.close(), home.close()]);
});

it('a single job is found by name, with its attempts, their errors and who tried it again', async () => {
  const id = await storeDeadLetter(stack, FULL, { name: 'Seen as a job' });
  const window = await open('ops', '/dead-letters');
  await window.button('Try again: Seen as a job').click();
  await window.sees('The review was requested again.');
  await waitForReview(stack, id, 'completed');
  await window.open('/queues');
  await window.page.locator('summary').filter({ hasText: 'Single jobs' }).click();
  await window.field('State').selectOption('completed');
  await window.button('History: Seen as a job').click();
  const steps = window.page.getByRole('list', { name: 'What happened, newest first' });
  await steps.getByText(FULL).waitFor();
  expect(await steps.innerText()).toMatch(
    /review 2: completed\s+by [^]+review 2: queued\s+by ops[^]+Tried again in the console[^]+review 1: stalled\s+by a worker/,
  );
  expect(browser.complaints).toEqual([]);
  await window.close();
});

it.each([
  { which: 'that fails', disabledReason: null, state: 'pending', next: 'in 2 h', action: 'Send again' },
  {
    which: 'whose next attempt no worker has begun',
    disabledReason: null,
    state: 'pending',
    isDue: true,
    next: 'due now',
    action: 'Send again',
  },
  {
    which: 'that failed for a day',
    disabledReason: 'failing',
    state: 'failed',
    next: 'switched off after a day',
    action: 'Switch on and send again',
  },
])(
  'operators open a webhook receiver $which, and choose “$action” for what it has not accepted',
  async ({ disabledReason, state, isDue = false, next, action }) => {
    const account = await stack.openAccount();
    const url = 'https://hooks.example.com/greenroom';
    await stack.dataSource.query(
      `WITH e AS (
         INSERT INTO webhook_endpoint (id, account_id, name, url, events, sealed_secret, secret_hint, failing_since, last_error, disabled_at, disabled_reason)
         VALUES (gen_random_uuid(), $1, 'Orders', $2, '{key.disabled}', 'x', 'abcd', now(), 'responded 500', CASE WHEN $3::text IS NOT NULL THEN now() END, $3::text) RETURNING id)
       INSERT INTO webhook_delivery (endpoint_id, event_id, event_type, body, attempts, due_at, state)
       SELECT id, gen_random_uuid(), 'key.disabled', '{}', 1, now() + interval '2 hours', $4 FROM e`,
      [account, url, disabledReason, state],
    );
    const home = await open('ops', '/');
    // Where a worker runs, it soon begins what is due.
    await home.page.route('**/admin/queues/receivers', async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { items: { next_attempt_at: string }[] };
      if (isDue) for (const item of json.items) item.next_attempt_at = '2026-01-01T00:00:00.000Z';
      await route.fulfill({ response, json });
    });
    await home.page.getByRole('link', { name: '1 webhook receiver fails' }).click();
    const row = home.page.getByRole('row', { name: /Orders/ });
    await row.getByText(url).waitFor();
    await row.getByText('responded 500').waitFor();
    await row.getByText(next).waitFor();
    await home.button(`${action}: Orders`).click();
    await home.confirm(action);
    await home.sees('1 delivery is sent again now.');
    const ofAccount = 'FROM webhook_endpoint WHERE account_id = $1';
    const enabled = await stack.dataSource.query(`SELECT disabled_reason ${ofAccount}`, [account]);
    expect(enabled).toEqual([{ disabled_reason: null }]);
    await stack.dataSource.query(`DELETE ${ofAccount}`, [account]);
    expect(browser.complaints).toEqual([]);
    await home.close();
  },
);

it('support reads dead letters and cannot try them again there; an account manager does not come in', async () => {
  const support = await open('support', '/dead-letters');
  await support.sees('No review is waiting for you.');
  expect(await support.button(/Try/).count()).toBe(0);
  const manager = await open('account_manager', '/dead-letters');
  await manager.sees('Not for your role');
  await Promise.all([support.close(), manager.close()]);
});

it('a part of the first screen that cannot be read says so, and the others stay', async () => {
  const window = await browser.signedIn('admin');
  await window.page.route('**/admin/queues/workers', (route) => route.fulfill({ status: 500, body: '{}' }));
  await window.open('/');
  await window.sees('Queues cannot be shown right now.');
  await window.page.locator('summary').filter({ hasText: 'Voices' }).waitFor();
  await window.close();
});
