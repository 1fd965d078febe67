import type { Request } from 'playwright-core';
import { ConsoleBrowser, ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';
import { addPerson, StaffClient } from '../support/staff-client';

/** One browser, two tabs, two people; and nobody at the page. */

const { stack, browser } = ConsoleBrowser.ofFile({ worker: false });

it('a form of one person is not sent as another who has signed in in a second tab, and its text stays', async () => {
  const ana = await browser.signedIn('account_manager');
  const accountId = await stack.openAccount('pro');
  await ana.open(`/accounts/${accountId}/new-key`);
  await ana.field('Name').fill('Typed by Ana');
  await ana.field('Everything, including permissions').check();
  await ana.field('Reason').fill('Ticket 4711');
  const bo = await StaffClient.signedIn(stack, 'account_manager');
  const second = new ConsolePage(await ana.context.newPage(), ana.context);
  const anas = ana.person;
  await second.takeSession(bo, stack.baseUrl);
  await second.open('/');
  await ana.button('Create the key').click();
  await ana.sees('Another person has signed in');
  await ana.button(`Continue as ${bo.person.email}`).waitFor();
  const keys = await bo.get(`/admin/api-keys?account_id=${accountId}`);
  expect(keys.body.total).toBe(0);
  await ana.page
    .getByRole('dialog')
    .getByLabel(/^Password/)
    .fill(anas.password);
  await ana.page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click();
  await ana.sees('Copy the secret now.');
  const [event] = await stack.dataSource.query<{ name: string }[]>(
    `SELECT actor_name AS name FROM audit_event WHERE action = 'key.created' ORDER BY id DESC LIMIT 1`,
  );
  expect(event!.name).toBe(anas.email);
  await ana.close();
});

it('"Sign out" signs out, also when the session has ended before', async () => {
  const window = await browser.signedIn('support');
  await window.open('/');
  await stack.dataSource.query(`DELETE FROM staff_auth.session WHERE member_id = $1`, [window.person.id]);
  await window.choose(/^support-/i, 'Sign out');
  await window.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await window.page.getByRole('dialog').count()).toBe(0);
  await window.close();
});

it('a download with an ended session asks to sign in, and then downloads', async () => {
  const window = await browser.signedIn('admin');
  await window.open('/audit-log');
  await stack.dataSource.query(`DELETE FROM staff_auth.session WHERE member_id = $1`, [window.person.id]);
  await window.page.getByRole('link', { name: 'Export as JSON lines' }).click();
  await window.sees('Your session has ended');
  const download = window.page.waitForEvent('download');
  await window.page
    .getByRole('dialog')
    .getByLabel(/^Password/)
    .fill(window.person.password);
  await window.page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click();
  expect((await download).suggestedFilename()).toMatch(/\.jsonl?$/);
  await window.close();
});

it('an untouched page says that its requests are polling', async () => {
  const window = await browser.visitor();
  await window.page.clock.install();
  const client = new StaffClient(stack.baseUrl);
  client.person = await addPerson(stack, 'admin');
  await client.signIn(client.person);
  await window.takeSession(client, stack.baseUrl);
  const marks: (string | undefined)[] = [];
  window.page.on('request', (request: Request) => {
    if (request.url().includes('/admin/approvals')) marks.push(request.headers()['x-greenroom-unattended']);
  });
  await window.open('/');
  await eventually(() => expect(marks.length).toBeGreaterThan(0));
  expect(marks.every((mark) => mark === undefined)).toBe(true);
  await window.page.clock.fastForward('03:00');
  await eventually(() => expect(marks.at(-1)).toBe('1'));
  await window.page.mouse.move(50, 60);
  await window.page.clock.fastForward('00:30');
  await eventually(() => expect(marks.at(-1)).toBeUndefined());
  await window.close();
});
