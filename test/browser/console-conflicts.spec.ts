import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { furnish, type World } from '../support/console-world';
import { eventually } from '../support/eventually';

/** What one person does in the console while others do something else, or while the connection fails. */

const { stack, browser } = ConsoleBrowser.ofFile({
  worker: false,
  env: { WEBHOOK_PRIVATE_NETWORKS: 'allow' },
});
let window: ConsolePage;
let world: World;

beforeAll(async () => {
  world = await furnish(stack);
  window = await browser.signedIn('account_manager');
});

const reason = 'Ticket 4711';
const ANY = { 'if-match': '*' };
const dialog = () => window.page.getByRole('dialog');
const save = () => dialog().getByRole('button', { name: 'Save', exact: true }).click();

/** Comes back to the tab, time and again, until it has read what is new. */
async function comeBackUntil(text: string): Promise<void> {
  await eventually(async () => {
    await window.page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
    expect(await window.page.getByText(text).count()).toBeGreaterThan(0);
  });
}

async function goTo(id: string): Promise<void> {
  await window.page.keyboard.press('Control+k');
  await window.page.getByRole('dialog', { name: 'Find anything' }).getByRole('combobox').waitFor();
  await window.page.keyboard.insertText(id);
  await window.page
    .getByRole('dialog', { name: 'Find anything' })
    .getByText(/^\d+ found$/)
    .waitFor();
  await window.page.keyboard.press('Enter');
}

describe('a form never overwrites what it has not shown', () => {
  it('of a key, also after the page behind it has been read again', async () => {
    const { keyId } = await stack.issueKey({ name: 'Behind the form' });
    await window.open(`/api-keys/${keyId}`);
    await window.choose('Actions', 'Edit…');
    await window.field('Requests a minute').fill('60');
    const change = { name: 'Changed meanwhile', reason };
    await world.manager.patch(`/admin/api-keys/${keyId}`, change, ANY);
    await comeBackUntil('Changed meanwhile');
    await window.confirm('Save');
    await window.sees('This has changed in the meantime.');
    await window.sees('name: was “Behind the form”, is “Changed meanwhile”');
    await save();
    await window.sees('The key has been saved.');
    const { body } = await world.manager.get(`/admin/api-keys/${keyId}`);
    expect(body).toMatchObject({ name: 'Changed meanwhile', requests_per_minute: 60 });
  });

  it('of a key whose secret was rotated meanwhile, in another tab: its settings and its list are saved at once', async () => {
    const { keyId } = await stack.issueKey({ name: 'In two tabs', accountId: world.accountId });
    await window.open(`/api-keys/${keyId}`);
    await window.choose('Actions', 'Edit…');
    await dialog().getByLabel('Name').fill('In one tab');
    await world.manager.post(`/admin/api-keys/${keyId}/rotate`, { reason }, ANY);
    await window.confirm('Save');
    await window.sees('In one tab: The key has been saved.');
    await window.open(`/api-keys/${keyId}/allow-list`);
    await window.field('Addresses and CIDR blocks').fill('192.0.2.0/24');
    await world.manager.patch(`/admin/api-keys/${keyId}`, { credit_limit: 500, reason }, ANY);
    await window.field('Reason').fill(reason);
    await window.button('Save the list').click();
    await window.sees('In one tab: The allow-list has been saved.');
  });

  it('of a key: what only the other person has changed stays theirs', async () => {
    const { keyId } = await stack.issueKey({ name: 'Too free', permissions: 'all', tags: ['old'] });
    await window.open(`/api-keys/${keyId}`);
    await window.choose('Actions', 'Edit…');
    await dialog().getByLabel('Name').fill('Renamed by me');
    const narrowed = { permissions: ['models_read'], credit_limit: 500, tags: ['theirs'] };
    await world.manager.patch(`/admin/api-keys/${keyId}`, { ...narrowed, reason }, ANY);
    await window.confirm('Save');
    await window.sees('What you have not changed here stays as they left it.');
    await save();
    await window.sees('The key has been saved.');
    const { body } = await world.manager.get(`/admin/api-keys/${keyId}`);
    expect(body).toMatchObject({ name: 'Renamed by me', permissions: ['models_read'], tags: ['theirs'] });
    expect(body.credits).toMatchObject({ limit: 500 });
  });

  it('of a key that has expired: it can be renamed', async () => {
    const { keyId } = await stack.issueKey({ name: 'Expired', expiresAt: new Date(Date.now() + 60_000) });
    await stack.dataSource.query(`UPDATE api_key SET expires_at = now() - interval '1 day' WHERE id = $1`, [
      keyId,
    ]);
    await window.open(`/api-keys/${keyId}`);
    await window.choose('Actions', 'Edit…');
    await dialog().getByLabel('Name').fill('Expired, of the old contract');
    await window.confirm('Save');
    await window.sees('The key has been saved.');
  });

  it('of an account', async () => {
    const accountId = await stack.openAccount();
    await window.open(`/accounts/${accountId}`);
    await window.choose('Actions', 'Edit…');
    await dialog().getByLabel('Voices').fill('7');
    await world.manager.patch(`/admin/accounts/${accountId}`, { name: 'Renamed meanwhile', reason }, ANY);
    await comeBackUntil('Renamed meanwhile');
    await window.confirm('Save');
    await window.sees(/name: was “.*”, is “Renamed meanwhile”/);
    await save();
    await dialog().waitFor({ state: 'detached' });
    const { body } = await world.manager.get(`/admin/accounts/${accountId}`);
    expect(body).toMatchObject({ name: 'Renamed meanwhile', limits: { voices: { override: 7 } } });
  });

  it('of a contact: what is confirmed once more is saved', async () => {
    const accountId = await stack.openAccount();
    const path = `/admin/accounts/${accountId}/contacts`;
    const hook = {
      name: 'Billing',
      channel: 'chat',
      url: 'http://127.0.0.1:9/hook',
      categories: ['credits'],
    };
    const { status, body } = await world.manager.post(path, { ...hook, reason });
    expect(status).toBe(201);
    await window.open(`/accounts/${accountId}/settings`);
    await window.button('Edit Billing').click();
    await dialog().getByLabel('Name').fill('Billing, EMEA');
    await world.manager.patch(`${path}/${String(body.id)}`, { gather_minutes: 10, reason }, ANY);
    await window.confirm('Save');
    await window.sees('gathered for, in minutes: was “0”, is “10”');
    await save();
    await window.sees('The contact was saved.');
    const { body: list } = await world.manager.get(path);
    expect(list.items).toMatchObject([{ name: 'Billing, EMEA', gather_minutes: 10 }]);
  });

  it('of a key policy: an account that has one does not get another', async () => {
    const name = 'Has a policy of its own';
    const accountId = await stack.openAccount();
    await world.manager.patch(`/admin/accounts/${accountId}`, { name, reason }, ANY);
    const policy = { max_lifetime_days: 90, rotation_age_days: null, idle_warn_days: null };
    const path = `/admin/accounts/${accountId}/key-policy`;
    await world.manager.send('PUT', path, { ...policy, idle_disable_days: null, reason }, ANY);
    await window.open('/key-safety/policies');
    await window.button('New policy…').click();
    await dialog().getByLabel('For', { exact: true }).selectOption('account');
    await dialog().getByRole('combobox', { name: 'Account' }).fill(name);
    await window.page.getByRole('option', { name }).click();
    await dialog().getByLabel('Rotation age (days)').fill('30');
    await window.sees('This account has a key policy.');
    expect(await dialog().getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  });
});

describe('a secret that is shown once', () => {
  const shown = () => window.page.getByLabel('The secret', { exact: true });

  it('of a key stays through other changes, until it is copied and hidden', async () => {
    const { keyId } = await stack.issueKey();
    await window.open(`/api-keys/${keyId}`);
    await window.choose('Actions', 'Rotate the secret…');
    await window.confirm('Rotate');
    const secret = await shown().textContent();
    await window.choose('Actions', 'Disable…');
    await window.confirm('Disable');
    await window.sees('The key is disabled.');
    expect(await shown().textContent()).toBe(secret);
    expect(await window.button('Hide it').count()).toBe(0);
    await window.button('Copy the secret').click();
    await window.button('Hide it').click();
    await shown().waitFor({ state: 'detached' });
  });

  it('of a webhook stays while a test is sent', async () => {
    const { accountId } = await stack.issueKey();
    const path = `/admin/accounts/${accountId}/webhooks`;
    const webhook = { name: 'Sink', url: 'http://127.0.0.1:9/', events: ['voice.reviewed'], reason };
    const { body } = await world.manager.post(path, webhook);
    await window.open(`/accounts/${accountId}/webhooks/${String(body.id)}`);
    await window.choose('Actions', 'Rotate the secret…');
    await window.confirm('Rotate the secret');
    const secret = await shown().textContent();
    await window.choose('Actions', 'Send a test…');
    await window.confirm('Send a test');
    await window.sees('A test is on its way.');
    expect(await shown().textContent()).toBe(secret);
    await window.button('Copy the secret').click();
    await window.button('Hide it').waitFor();
  });

  it('is not on the page of another key', async () => {
    const [first, second] = [await stack.issueKey(), await stack.issueKey()];
    await window.open(`/api-keys/${first.keyId}`);
    await goTo(second.keyId);
    await eventually(() => expect(window.page.url()).toContain(second.keyId));
    await window.choose('Actions', 'Rotate the secret…');
    await window.confirm('Rotate');
    await window.button('Copy the secret').click();
    await window.button('Hide it').waitFor();
    await window.page.goBack();
    await eventually(() => expect(window.page.url()).toContain(first.keyId));
    await window.settled();
    expect(await shown().count()).toBe(0);
    expect(await window.page.getByText('The key has a new secret.').count()).toBe(0);
  });
});

describe('leaving', () => {
  const accounts = () => window.page.getByRole('link', { name: 'Accounts' }).first().click();

  it('while a key is being created asks, and its secret is shown after all', async () => {
    const accountId = await stack.openAccount();
    await window.open(`/accounts/${accountId}/new-key`);
    const held: (() => Promise<void>)[] = [];
    await window.page.route('**/api-keys', (route) =>
      route.request().method() === 'POST' ? void held.push(() => route.continue()) : route.continue(),
    );
    await window.field('Name').fill('Slow');
    await window.field('Everything, including permissions').check();
    await window.field('Reason').fill(reason);
    await window.button('Create the key').click();
    await eventually(() => expect(held).toHaveLength(1));
    await accounts();
    await window.sees('Leave while the key is being created?');
    await dialog().getByRole('button', { name: 'Stay' }).click();
    await held[0]!();
    await window.sees('Copy the secret now.');
    await window.button('Copy the secret').click();
    await window.page.unroute('**/api-keys');
  });

  it('a form that is half filled asks, whether it is a page or a dialog', async () => {
    const accountId = await stack.openAccount();
    await window.open(`/accounts/${accountId}/api-keys`);
    await window.open(`/accounts/${accountId}/new-key`);
    await window.field('Name').fill('Half');
    await accounts();
    await window.sees('What you have typed is not saved.');
    await dialog().getByRole('button', { name: 'Leave' }).click();
    await window.page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
    const { keyId } = await stack.issueKey();
    await goTo(keyId);
    await eventually(() => expect(window.page.url()).toContain(keyId));
    await window.choose('Actions', 'Edit…');
    await dialog().getByLabel('Name').fill('Half as well');
    await window.page.goBack();
    await window.sees('Discard what you have typed?');
    await window.button('Keep typing').click();
    expect(await dialog().getByLabel('Name').inputValue()).toBe('Half as well');
    await window.page.goBack();
    await window.button('Discard').click();
    await window.page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
  });

  it('an invitation that was not copied asks; it signs in once, and a password is chosen', async () => {
    const admin = await browser.signedIn('admin');
    await admin.open('/staff');
    await admin.button('Add a member').click();
    await admin.field('E-mail address').fill('handed-over@staff.test');
    await admin.confirm('Add');
    const link = await admin.page.getByLabel('The invitation', { exact: true }).textContent();
    await admin.page.getByRole('link', { name: 'Accounts' }).first().click();
    await admin.sees('Leave without the invitation?');
    const invited = await browser.visitor();
    await invited.page.goto(link!);
    await invited.sees('You are invited.');
    expect(invited.page.url()).not.toContain('#');
    await invited.button('Sign in').first().click();
    await invited.field('New password').first().fill('four unrelated plain words');
    await invited.field('New password again').fill('four unrelated plain words');
    await invited.button('Change the password').click();
    await invited.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await invited.close();
    await admin.open('/staff?search=handed-over');
    await admin.sees('just now');
    await admin.close();
  });

  it('in a browser whose storage throws, the secret is shown all the same', async () => {
    const strict = await browser.signedIn('account_manager');
    await strict.page.addInitScript({
      content: `for (const name of ['getItem', 'setItem'])
        Storage.prototype[name] = () => { throw new DOMException('No room.', 'QuotaExceededError'); };`,
    });
    const accountId = await stack.openAccount();
    await strict.open(`/accounts/${accountId}/new-key`);
    await strict.field('Name').fill('Strict');
    await strict.field('Everything, including permissions').check();
    await strict.field('Reason').fill(reason);
    await strict.button('Create the key').click();
    await strict.sees('Copy the secret now.');
    await strict.close();
  });
});

describe('a list', () => {
  it('is as it was before a filter when the reader goes back, and a typed search is one step', async () => {
    await window.open('/accounts');
    await window.choose('Add filter', 'Tier');
    await window.page.getByRole('combobox', { name: 'Tier' }).selectOption('pro');
    await window.button('Tier: pro').waitFor();
    const search = window.page.locator('[data-search]').first();
    for (const letters of ['no', 'nobo', 'nobody']) {
      await search.fill(letters);
      await eventually(() => expect(window.page.url()).toContain(`search=${letters}`));
    }
    await window.page.goBack();
    await eventually(() => expect(window.page.url()).not.toContain('search='));
    await window.button('Tier: pro').waitFor();
    await window.page.goBack();
    await eventually(() => expect(window.page.url()).not.toContain('tier='));
    await window.button('Tier: pro').waitFor({ state: 'detached' });
  });

  it('whose last page has become empty leads back to the first', async () => {
    const [first, second] = [await stack.openAccount(), await stack.openAccount()];
    for (const [id, name] of [
      [first, 'paged one'],
      [second, 'paged two'],
    ])
      await world.manager.patch(`/admin/accounts/${id}`, { name, reason }, ANY);
    const { body } = await world.manager.get('/admin/accounts?search=paged&limit=1');
    const [left] = (body.items as { id: string }[]).map(({ id }) => (id === first ? second : first));
    await world.manager.patch(`/admin/accounts/${left}`, { name: 'gone', reason }, ANY);
    await window.open(`/accounts?search=paged&cursor=${String(body.next_cursor)}`);
    await window.sees('Nothing more');
    await window.button('First page').click();
    await window.sees(/paged (one|two)/);
  });

  it('offers ops no filter by an account, which they may not read', async () => {
    const ops = await browser.signedIn('ops');
    await ops.open('/dead-letters');
    await ops.button('Add filter').click();
    await ops.page.getByRole('menuitem', { name: 'Created since' }).waitFor();
    expect(await ops.page.getByRole('menuitem', { name: 'Account' }).count()).toBe(0);
    await ops.close();
  });
});

it('a sign-out that fails is not taken for one', async () => {
  const leaving = await browser.signedIn('support');
  await leaving.open('/');
  await leaving.page.route('**/admin/auth/sign-out', (route) => route.abort());
  await leaving.choose(/^support-/i, 'Sign out');
  await leaving.sees('You are still signed in');
  await leaving.page.unroute('**/admin/auth/sign-out');
  await leaving.button('Try again').click();
  await eventually(() => expect(leaving.page.url()).toContain('/sign-in'));
  await leaving.close();
});

it('a draft of an allow-list outlives that the change before it is kept', async () => {
  const { keyId } = await stack.issueKey({ accountId: world.accountId });
  const path = `/admin/api-keys/${keyId}/allowed-ips`;
  const list = { text: '192.0.2.1', confirm: true, undo_after_minutes: 30, reason };
  await world.manager.send('PUT', path, list, ANY);
  await window.open(`/api-keys/${keyId}/allow-list`);
  const editor = window.page.getByLabel('Addresses and CIDR blocks');
  await editor.fill('192.0.2.1\n192.0.2.2');
  await window.button('Keep the change…').click();
  await window.confirm('Keep it');
  await window.sees('The change is kept.');
  expect(await editor.inputValue()).toBe('192.0.2.1\n192.0.2.2');
});

it('an untouched editor of an allow-list shows what is stored now', async () => {
  const { keyId } = await stack.issueKey({ accountId: world.accountId, name: 'Changed elsewhere' });
  const path = `/admin/api-keys/${keyId}/allowed-ips`;
  await world.manager.send('PUT', path, { text: '192.0.2.1', confirm: true, reason }, ANY);
  await window.open(`/api-keys/${keyId}/allow-list`);
  await world.manager.send('PUT', path, { text: '192.0.2.77', confirm: true, reason }, ANY);
  const editor = window.page.getByLabel('Addresses and CIDR blocks');
  await eventually(async () => {
    await window.page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
    expect(await editor.inputValue()).toContain('192.0.2.77/32');
  });
});
