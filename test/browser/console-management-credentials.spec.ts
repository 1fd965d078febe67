import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { StaffClient } from '../support/staff-client';

const { stack, browser } = ConsoleBrowser.ofFile();
let window: ConsolePage;

beforeAll(async () => {
  window = await browser.signedIn('admin');
});

const statusOf = async (secret: string, path: string) =>
  (await new StaffClient(stack.baseUrl, { authorization: `Bearer ${secret}` }).get(path)).status;
const shownSecret = async () =>
  (await window.page.getByLabel('The secret', { exact: true }).textContent()) ?? '';

async function create(name: string, accountId?: string): Promise<string> {
  await window.open('/management-credentials');
  await window.button('New credential…').click();
  await window.field('The program that will use it').fill(name);
  await window.field('What it does').fill('Reads accounts');
  await window.field('accounts.read').check();
  await window.field('Ids of accounts').fill(accountId ?? (await stack.openAccount()));
  await window.field('Addresses that may use it').fill('127.0.0.1');
  await window.field('Ends').fill(new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10));
  await window.confirm('Create it');
  return shownSecret();
}

it('a credential is created, edited and rotated: it holds from the next request on', async () => {
  const [own, other] = [await stack.openAccount(), await stack.openAccount()];
  const secret = await create('billing job', own);
  expect(await statusOf(secret, `/admin/accounts/${own}`)).toBe(200);
  expect(await statusOf(secret, `/admin/accounts/${other}`)).toBe(404);

  await window.button('Edit billing job').click();
  expect(await window.field('Ids of accounts').inputValue()).toBe(own);
  await window.field('Ids of accounts').fill(other);
  await window.confirm('Save');
  await window.sees('The credential was edited');
  expect(await statusOf(secret, `/admin/accounts/${own}`)).toBe(404);
  expect(await statusOf(secret, `/admin/accounts/${other}`)).toBe(200);

  await window.button('Rotate billing job').click();
  await window.field('Days that the old secret works').fill('0');
  await window.confirm('Rotate');
  await window.sees('The credential was rotated');
  const next = await shownSecret();
  expect(next).not.toBe(secret);
  expect(await statusOf(secret, `/admin/accounts/${other}`)).toBe(401);
  expect(await statusOf(next, `/admin/accounts/${other}`)).toBe(200);
});

it('a pasted request of a program is explained, from its secret or its row', async () => {
  const secret = await create('nightly job');
  await window.open('/explain');
  await window
    .field('Paste the request')
    .fill(`curl -X POST https://voice.test/admin/alert-rules -H 'Authorization: Bearer ${secret}'`);
  await window.button('Read it').click();
  await window.field('Address of the client').fill('127.0.0.1');
  await window.button('Explain').click();
  await window.sees('Refused with 403 management_permission_missing.');
  expect(window.page.url()).not.toContain(secret);
  await window.open('/management-credentials');
  await window.page
    .getByRole('row', { name: /nightly job/ })
    .getByRole('link', { name: 'Explain a request' })
    .click();
  await window.field('Address of the client').fill('203.0.113.9');
  await window.button('Explain').click();
  await window.sees('Refused with 401 invalid_management_credential.');
  await window.sees('203.0.113.9 is not on the allow-list (1 entry).');
});
