import { CreditLedger } from '../../libs/credits/credit-ledger';
import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { AGENCY, callFrom, flushTraffic, OFFICE } from '../support/console-world';
import { issueServiceCredential } from '../support/ledger-storm';
import type { IssuedKey } from '../support/stack';
import { addPerson, StaffClient } from '../support/staff-client';

const { stack, browser } = ConsoleBrowser.ofFile({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
let window: ConsolePage;
let accountId: string;
let keys: IssuedKey[];

beforeAll(async () => {
  window = await browser.signedIn('account_manager');
});

beforeEach(async () => {
  accountId = await stack.openAccount('pro');
  keys = [];
  for (const name of ['first', 'second', 'third']) keys.push(await stack.issueKey({ accountId, name }));
});

const ANY = { 'if-match': '*' };
const filter = async (name: string) => {
  await window.choose('Add filter', new RegExp(`^${name}$`));
  return window.page.getByRole('dialog', { name });
};
const rowOf = (name: string) => window.page.getByRole('row').filter({ hasText: name });
const statuses = () => Promise.all(keys.map((key) => callFrom(stack, key, OFFICE)));

async function disableSelected(count: number): Promise<void> {
  await window.button('Disable…').click();
  const dialog = window.page.getByRole('dialog');
  await dialog.getByText(count === 1 ? '1 key' : `${count} keys`, { exact: true }).waitFor();
  await dialog.getByLabel(`Type ${count} to confirm`).fill(String(count));
  await window.confirm('Disable them');
  await window.sees(`You disabled ${count} keys (unused).`);
}

describe('filters', () => {
  it('“Name or id” finds a key by its whole secret, of which only the last four leave the browser', async () => {
    await window.open('/api-keys');
    const { secret } = keys[1]!;
    await window.page.getByLabel('Name or id').fill(secret);
    await window.sees('1 in all');
    await rowOf('second').waitFor();
    expect(window.page.url()).not.toContain(secret.slice(4, 12));
  });

  it('are added one by one, stand in the address as chips, and are removed', async () => {
    await stack.asOwner(`UPDATE account SET name = 'Chips & Sons' WHERE id = $1`, [accountId]);
    await window.open('/api-keys');
    const account = await filter('Account');
    await account.getByPlaceholder('A part of its name').fill('chips');
    await window.page.getByRole('option', { name: 'Chips & Sons' }).click();
    await window.sees('3 in all');
    expect(window.page.url()).toContain(`account_id=${accountId}`);
    await window.button('Account: Chips & Sons').waitFor();
    const status = await filter('Status');
    await status.getByLabel('Status').selectOption('disabled');
    await window.sees('No key matches these filters.');
    await window.page.reload();
    await window.button('Status: disabled').waitFor();
    await window.button('Remove the filter Status').click();
    await window.sees('3 in all');
    await window.button('Clear the filters').click();
    await window.page.waitForURL((url) => url.search === '');
  });

  it('a parameter that the list does not know changes nothing', async () => {
    await window.open(`/api-keys?account_id=${accountId}&utm_source=mail&force=true`);
    await window.sees('3 in all');
    await window.open('/accounts?utm_source=mail');
    await window.page.getByRole('table', { name: 'Accounts' }).waitFor();
    await window.open('/audit-log?utm_source=mail');
    await window.page.getByRole('table', { name: 'Audit log' }).waitFor();
  });

  it.each([
    ['/staff', 'Staff'],
    ['/dead-letters', 'Dead letters'],
    ['/service-credentials', 'Service credentials'],
    ['/accounts/ID/api-keys', 'API keys of the account'],
    ['/accounts/ID/voices', 'Voices of the account'],
    ['/accounts/ID/allow-lists', 'Keys with an allow-list'],
    ['/accounts/ID/activity', 'Activity of the account'],
    ['/accounts/ID/credits', 'Ledger'],
  ])('of %s neither', async (path, name) => {
    const admin = await browser.signedIn('admin');
    await admin.open(`${path.replace('ID', accountId)}?utm_source=mail&force=true`);
    const table = admin.page.getByRole('table', { name, exact: true });
    await table
      .or(admin.page.getByText(/^(No|The customer has created no|This account has no) /))
      .first()
      .waitFor();
    expect(await admin.page.getByText('utm_source').count()).toBe(0);
    await admin.close();
  });

  it('of staff are chips too', async () => {
    const admin = await browser.signedIn('admin');
    await admin.open('/staff?disabled=false');
    await admin.button('Status: may sign in').waitFor();
    await admin.choose('Add filter', 'Role');
    await admin.page.getByRole('dialog').getByLabel('Role').selectOption('account_manager');
    await admin.button('Role: account manager').waitFor();
    await admin.page.waitForURL(/role=account_manager/);
    await admin.button('Clear the filters').click();
    await admin.page.waitForURL((url) => url.search === '');
    await admin.close();
  });

  it('find what has a tag, and the accounts of a colleague by name', async () => {
    for (const path of [`/accounts/${accountId}`, `/api-keys/${keys[0]!.keyId}`]) {
      await window.open(path);
      await window.choose('Actions', 'Edit…');
      await window.page.getByRole('dialog').getByLabel('Tags').fill('trial, Team:Red');
      await window.confirm('Save');
      await window.page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await window.page.getByRole('link', { name: 'team:red' }).click();
    await window.button('Tag: team:red').waitFor();
    await window.sees('1 in all');
    await rowOf('first').waitFor();
    const colleague = await addPerson(stack, 'account_manager');
    await stack.asOwner(`UPDATE account SET manager_id = $1 WHERE id = $2`, [colleague.id, accountId]);
    await window.open('/accounts');
    const tag = await filter('Tag');
    await tag.getByLabel('Tag').fill('trial');
    await tag.getByLabel('Tag').press('Enter');
    await window.sees('1 in all');
    const manager = await filter('Account manager');
    const option = manager.getByRole('option', { name: colleague.email });
    const [, name = ''] = /^(.+) \(/.exec((await option.textContent()) ?? '')!;
    await manager.getByLabel('Account manager').selectOption('None yet');
    await window.sees('No account matches.');
    await window.button('Account manager: None yet').click();
    await manager.getByLabel('Account manager').selectOption(colleague.id);
    await window.sees('1 in all');
    await window.page.reload();
    await window.button(`Account manager: ${name}`).waitFor();
    await rowOf('trial').waitFor();
  });

  it('presets show keys that need a look', async () => {
    const { keyId } = await stack.issueKey({ accountId, name: 'nearly empty', creditLimit: 1_000 });
    const charge = { keyId, accountId, operation: 'text_to_voice_design', requestId: keyId };
    await stack.api.get(CreditLedger).charge({ ...charge, cost: 850 });
    await window.open('/api-keys');
    await window.button('80 % of credits used').click();
    await window.sees('1 in all');
    await rowOf('nearly empty').waitFor();
    expect(await window.button('80 % of credits used').getAttribute('aria-pressed')).toBe('true');
    await window.button('Expiring in 30 days').click();
    await window.sees('No key matches these filters.');
    await window.button('Expires before: in 30 days').waitFor();
    await window.button('Unused for 90 days').click();
    await window.button('Not used since: 90 days ago').waitFor();
    await rowOf('first').first().waitFor();
  });
});

describe('a selection', () => {
  it('is made with the keyboard alone, and Enter opens a key', async () => {
    await window.open(`/api-keys?account_id=${accountId}&sort=name`);
    await rowOf('first').waitFor();
    const { keyboard } = window.page;
    for (const press of ['j', 'x', 'j', 'j', 'x', 'k']) await keyboard.press(press);
    await window.sees('2 selected');
    expect(await window.page.getByLabel('Select first').isChecked()).toBe(true);
    expect(await window.page.getByLabel('Select second').isChecked()).toBe(false);
    await keyboard.press('Enter');
    await window.page.getByRole('heading', { name: 'second' }).waitFor();
  });

  it('is disabled, and enabled again by one undo, which names the key that was changed since', async () => {
    await window.open(`/api-keys?account_id=${accountId}`);
    await window.page.getByLabel('Select first').check();
    await window.page.getByLabel('Select second').check();
    await disableSelected(2);
    expect(await statuses()).toEqual([401, 401, 200]);
    const other = await StaffClient.signedIn(stack, 'account_manager');
    const change = { name: 'renamed since', reason: 'Ticket 4711' };
    await other.patch(`/admin/api-keys/${keys[1]!.keyId}`, change, ANY);
    await window.button('Undo it now…').click();
    await window.sees('renamed since');
    await window.confirm('Undo it');
    await window.sees('The change is undone: 1 key as before.');
    await window.sees('1 key stays as it is:');
    expect(await statuses()).toEqual([200, 401, 200]);
  });

  it('of all that match is larger than the page, and its undo timer can be stopped', async () => {
    await window.open(`/api-keys?account_id=${accountId}&limit=2`);
    await window.page.getByLabel('Select this page').check();
    await window.button('Select all 3 that match').click();
    await window.sees('All that match are selected');
    await window.button('Disable…').click();
    await window.page
      .getByLabel('Undo automatically')
      .selectOption({ label: 'After 15 minutes, unless kept' });
    const dialog = window.page.getByRole('dialog');
    await dialog.getByLabel('Type 3 to confirm').fill('3');
    await window.confirm('Disable them');
    await window.sees('You disabled 3 keys (unused).');
    await window.page.reload();
    await window.page.getByRole('timer').waitFor();
    await window.button('Keep the change…').click();
    await window.confirm('Keep it');
    await window.page.getByRole('timer').waitFor({ state: 'detached' });
    expect(await statuses()).toEqual([401, 401, 401]);
  });

  it('gets a credit limit, except for the key that has it already, and its former ones by one undo', async () => {
    const limits = async () => {
      const { body } = await manager.get(`/admin/api-keys?account_id=${accountId}&sort=name`);
      return (body.items as { credits: { limit: number | null } }[]).map(({ credits }) => credits.limit);
    };
    const reason = 'Ticket 4711';
    const manager = await StaffClient.signedIn(stack, 'account_manager');
    await manager.patch(`/admin/api-keys/${keys[0]!.keyId}`, { credit_limit: 12_000, reason }, ANY);
    await window.open(`/api-keys?account_id=${accountId}`);
    await window.page.getByLabel('Select this page').check();
    await window.button('Set credit limit…').click();
    const dialog = window.page.getByRole('dialog');
    await dialog.getByLabel('Credits a period').fill('12,000');
    await window.sees('Left alone: 1 key with that limit already.');
    await dialog.getByLabel('Type 2 to confirm').fill('2');
    await window.confirm('Set the limit');
    await window.sees('You set the credit limit of 2 keys to 12,000. 1 key was left alone.');
    expect(await limits()).toEqual([12_000, 12_000, 12_000]);
    await window.button('Undo it now…').click();
    await window.confirm('Undo it');
    await window.sees('The change is undone: 2 keys as before.');
    expect(await limits()).toEqual([12_000, null, null]);
  });

  it('of a list that is not narrowed is never all of it', async () => {
    await window.open('/api-keys?limit=2');
    await window.page.getByLabel('Select this page').check();
    await window.sees('2 selected');
    expect(await window.button(/^Select all/).count()).toBe(0);
  });
});

describe('a key', () => {
  const refused = (keyId: string, address: string, id: string) =>
    stack.asOwner(
      `INSERT INTO key_refusal (key_id, at, route, address, gate, reason, status, request_id)
       VALUES ($1, now(), 'GET /v1/models', $2, 'ip', 'not_on_list', 403, $3)`,
      [keyId, address, id],
    );

  it('shows its refusals by cause, each one click from its explanation and from the allow-list', async () => {
    const { keyId } = await stack.issueKey({ tier: 'enterprise', allowedIps: [OFFICE] });
    for (const id of ['a', 'b', 'c']) await refused(keyId, AGENCY, id);
    await refused(keyId, '192.0.2.1', 'd');
    await window.open(`/api-keys/${keyId}`);
    const table = window.page.getByRole('table', { name: 'Recent refusals' });
    const row = table.getByRole('row').filter({ hasText: AGENCY });
    await row.getByRole('cell', { name: '3', exact: true }).waitFor();
    expect(await table.locator('tbody tr').count()).toBe(2);
    await row.getByRole('link', { name: 'Explain' }).click();
    await window.page.waitForURL(/explain/);
    expect(await window.field('Address of the client').inputValue()).toBe(AGENCY);
    expect(await window.field('Path').inputValue()).toBe('/v1/models');
    await window.page.goBack();
    await row.getByRole('link', { name: 'Add address' }).click();
    await window.page.waitForURL(/allow-list/);
    expect(await window.field('Addresses and CIDR blocks').inputValue()).toBe(`${OFFICE}/32\n${AGENCY}\n`);
  });

  it('says of each permission where it matters, whether the key has used it, and which services ask for it', async () => {
    const key = await stack.issueKey({ permissions: ['models_read', 'flows', 'templates'] });
    await callFrom(stack, key, OFFICE, 2);
    const headers = { authorization: `Bearer ${await issueServiceCredential(stack.api)}` };
    const body = { token: key.secret, address: OFFICE, scope: 'flows' };
    expect((await stack.request('POST', '/introspect', { body, headers })).body.active).toBe(true);
    await flushTraffic(stack);
    await window.open(`/api-keys/${key.keyId}`);
    await window.sees(/^List models\. \d operations? here\. 2 requests in 30 days, the last just now\.$/);
    await window.sees('Build and run flows. Checked by storm. 1 request in 30 days, the last just now.');
    await window.sees('Use and edit templates. Nothing here uses it. Not used in 30 days.');
    const editor = await browser.signedIn('account_manager');
    await editor.open(`/accounts/${accountId}/new-key`);
    await editor.sees('Build and run flows. Checked by storm.');
    await editor.close();
  });

  it('is created with what its permissions do, an end of one click, and a warning while it has none', async () => {
    const editor = await browser.signedIn('account_manager');
    await editor.open(`/accounts/${accountId}/new-key`);
    await editor.sees('This key has no permission');
    await editor.button('Expires in 90 days').click();
    const end = Date.parse(await editor.page.getByLabel('Expires', { exact: true }).inputValue());
    expect(Math.round((end - Date.now()) / 86_400_000)).toBe(90);
    await editor.sees(/^Turn text into speech\. \d operations here\.$/);
    await editor.sees('Train a voice on many recordings. Nothing here uses it.');
    await editor.field('models_read').check();
    await editor.page.getByText('This key has no permission').waitFor({ state: 'detached' });
    await editor.close();
  });
});

it('a view is saved by its name, opened again, and deleted', async () => {
  await window.open(`/api-keys?account_id=${accountId}&sort=name`);
  await window.button('Save this view…').click();
  await window.page.getByRole('dialog').getByLabel('Name').fill('Mine by name');
  await window.page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await window.page.getByRole('dialog').waitFor({ state: 'detached' });
  await window.open('/api-keys');
  await window.page.getByRole('button', { name: 'Mine by name', exact: true }).click();
  await window.page.waitForURL(/sort=name/);
  await window.sees('3 in all');
  await window.button('Delete the view Mine by name').click();
  await window.button('Mine by name').first().waitFor({ state: 'detached' });
});

it('columns and the distance of rows are chosen, and stay', async () => {
  await window.open('/api-keys');
  await window.button('Columns').click();
  await window.page.getByRole('dialog', { name: 'Columns' }).getByLabel('Let in from').uncheck();
  await window.page.getByLabel('Rows close together').check();
  await window.page.reload();
  const table = window.page.getByRole('table', { name: 'API keys' });
  await table.getByRole('columnheader', { name: 'Account' }).waitFor();
  expect(await table.getByRole('columnheader', { name: 'Let in from' }).count()).toBe(0);
  expect(await table.getAttribute('data-dense')).toBe('true');
});

it.each([820, 1280])('the lists fit into a window of %i px', async (width) => {
  const narrow = await browser.signedIn('admin', { width });
  for (const path of ['/api-keys', '/accounts', '/audit-log']) {
    await narrow.open(path);
    await narrow.page.getByRole('table').waitFor();
    const overflow = await narrow.page.evaluate<number[]>(`
      [document.documentElement, document.querySelector('.gr-scroll')].map((box) => box.scrollWidth - box.clientWidth)`);
    expect([path, overflow]).toEqual([path, [0, 0]]);
  }
  await narrow.close();
});
