import { CreditLedger } from '../../libs/credits/credit-ledger';
import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { AGENCY, callFrom, flushTraffic, furnish, OFFICE, type World } from '../support/console-world';
import { eventually } from '../support/eventually';

const { stack, browser } = ConsoleBrowser.ofFile({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
let window: ConsolePage;

beforeAll(async () => {
  window = await browser.signedIn('account_manager');
});

const clipboard = () => window.page.evaluate<string>('navigator.clipboard.readText()');

async function auditOf(target: string): Promise<string[]> {
  const rows: { action: string }[] = await stack.dataSource.query(
    'SELECT action FROM audit_event WHERE target_id = $1 ORDER BY id',
    [target],
  );
  return rows.map(({ action }) => action);
}

describe('a key', () => {
  it('is created, refused first for its missing permissions, copied once, warned about before leaving, and works', async () => {
    const accountId = await stack.openAccount('enterprise');
    await stack.dataSource.query('UPDATE account SET ip_allow_list_enabled = true WHERE id = $1', [
      accountId,
    ]);
    await window.open(`/accounts/${accountId}`);
    await window.page.getByRole('link', { name: 'New API key' }).click();
    await window.button('Reading only').click();
    await window.sees('5 permissions picked');
    await window.field('Allowed addresses').fill('203.0.113.5/24');
    await window.sees(/203\.0\.113\.0\/24/);
    await window.field('Allowed addresses').fill(`${OFFICE} # Office`);
    await window.sees('1 entry would be stored');
    await window.field('Name').fill('Created in the browser');
    await window.field('Search the permissions').fill('models');
    await window.field('models_read').check();
    await window.field('Credits a period').fill('many');
    await window.field('Reason').fill('Ticket 4711');
    await window.button('Create the key').click();
    await window.sees(/should be .*(number|integer)/i);
    await window.field('Credits a period').fill('10,000');
    await window.button('Create the key').click();
    const secret = (await window.page.getByLabel('The secret', { exact: true }).textContent()) ?? '';
    expect(secret).toMatch(/^grk_[0-9A-Za-z]{38}$/);

    await window.page.getByRole('link', { name: 'To the key' }).click();
    await window.sees('Leave without the secret?');
    await window.button('Stay').click();
    await window.button('Copy the secret').click();
    expect(await clipboard()).toBe(secret);
    await window.page.getByRole('link', { name: 'To the key' }).click();
    await window.page.getByText('0 of 10,000 credits').first().waitFor();
    await window.sees('models_read');
    expect(await callFrom(stack, { secret }, OFFICE)).toBe(200);
  });

  it('is rotated: both secrets work, the old one is ended early, and the receipt says since when', async () => {
    const key = await stack.issueKey();
    await window.open(`/api-keys/${key.keyId}`);
    await window.choose('Actions', 'Rotate the secret…');
    await window.confirm('Rotate');
    await window.sees('The key has a new secret.');
    await window.sees(/In effect on 1 server, \d+ ms after it was saved\./);
    const secret = (await window.page.getByLabel('The secret', { exact: true }).textContent()) ?? '';
    await window.button('Copy the secret').click();
    expect([await callFrom(stack, key, OFFICE), await callFrom(stack, { secret }, OFFICE)]).toEqual([
      200, 200,
    ]);
    await window.button('End the old secret now…').click();
    await window.confirm('End it');
    await window.sees('The old secret has been ended.');
    expect([await callFrom(stack, key, OFFICE), await callFrom(stack, { secret }, OFFICE)]).toEqual([
      401, 200,
    ]);
  });

  it('is disabled and enabled, with what it means said before and the reason on record', async () => {
    const key = await stack.issueKey();
    await window.open(`/api-keys/${key.keyId}`);
    await window.choose('Actions', 'Disable…');
    await window.sees('Programs that use it are refused at once');
    await window.page.getByRole('dialog').getByRole('button', { name: 'Disable', exact: true }).click();
    expect(await callFrom(stack, key, OFFICE)).toBe(200);
    await window.confirm('Disable');
    await window.sees('The key is disabled.');
    expect(await callFrom(stack, key, OFFICE)).toBe(401);
    await window.choose('Actions', 'Enable…');
    await window.confirm('Enable');
    await window.sees('The key is enabled.');
    expect(await callFrom(stack, key, OFFICE)).toBe(200);
    expect(await auditOf(key.keyId)).toEqual(expect.arrayContaining(['key.disabled', 'key.enabled']));
  });

  it('is deleted, found among the deleted ones, and restored as it was', async () => {
    const key = await stack.issueKey();
    await window.open(`/api-keys/${key.keyId}`);
    await window.choose('Actions', 'Delete…');
    await window.sees(/It can be restored for 30 days/);
    await window.page
      .getByRole('dialog')
      .getByLabel(/^Type /)
      .fill(key.secret.slice(-4));
    await window.confirm('Delete');
    await window.page.waitForURL(/\/api-keys$/);
    expect(await callFrom(stack, key, OFFICE)).toBe(401);
    await window.open(`/api-keys?status=deleted&account_id=${key.accountId}`);
    await window.page.locator(`a[href$="/api-keys/${key.keyId}"]`).first().click();
    await window.sees('Can be restored until');
    await window.choose('Actions', 'Restore…');
    await window.confirm('Restore');
    await window.sees('The key is restored.');
    await window.sees(/In effect on 1 server/);
    await window.page.getByRole('link', { name: 'Explain a request' }).waitFor();
    expect(await callFrom(stack, key, OFFICE)).toBe(200);
    expect((await auditOf(key.keyId)).slice(-2)).toEqual(['key.deleted', 'key.restored']);
  });

  it('when two people edit it, the second sees what the first has changed, and decides', async () => {
    const key = await stack.issueKey({ name: 'First name' });
    await window.open(`/api-keys/${key.keyId}`);
    await window.choose('Actions', 'Edit…');
    await window.field('Requests a minute').fill('60');
    const { manager } = await furnish(stack);
    const change = { name: 'Second name', reason: 'Faster' };
    await manager.patch(`/admin/api-keys/${key.keyId}`, change, { 'if-match': '*' });
    await window.confirm('Save');
    await window.sees('This has changed in the meantime.');
    await window.sees('name: was “First name”, is “Second name”');
    await window.page.getByRole('dialog').getByLabel('Name').fill('Second name');
    await window.page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await window.sees('The key has been saved.');
    const { body } = await manager.get(`/admin/api-keys/${key.keyId}`);
    expect(body).toMatchObject({ name: 'Second name', requests_per_minute: 60 });
  });

  it('shows what it has cost, day by day, as a chart, in words and as a table', async () => {
    const { keyId, accountId } = await stack.issueKey();
    const charge = { keyId, accountId, operation: 'text_to_voice_design' };
    for (const cost of [300, 120])
      await stack.api.get(CreditLedger).charge({ ...charge, cost, requestId: `${keyId} ${cost}` });
    await window.open(`/api-keys/${keyId}`);
    await window.field('What is shown').selectOption('Credits, 30 days');
    const chart = window.page.getByRole('figure', { name: 'Credits by day and operation' });
    await chart.getByText('420 credits for 2 requests in the last 30 days.').waitFor();
    await chart.getByRole('application').waitFor();
    await chart.getByText('As a table').click();
    const rows = chart.getByRole('table').locator('tbody tr');
    expect(await rows.count()).toBe(30);
    const used = await rows.locator('td:last-child').allTextContents();
    expect(used.filter((credits) => credits !== '0')).toEqual(['420']);
  });

  it('whose list refuses traffic is on the first screen of its manager, one click from the list of such keys', async () => {
    const world = await furnish(stack, { name: 'Refuses the agency' });
    const list = { entries: [{ address: OFFICE }], confirm: true, reason: 'A test' };
    await world.manager.send('PUT', `/admin/api-keys/${world.keyId}/allowed-ips`, list, { 'if-match': '*' });
    expect(await callFrom(stack, world, AGENCY)).toBe(403);
    await flushTraffic(stack);
    await window.open('/');
    const waiting = window.page.getByRole('listitem').filter({ hasText: 'Refuses the agency' });
    await waiting.getByRole('link', { name: '1 allow-list refused traffic since yesterday' }).click();
    await window.sees('1 in all');
    await window.sees('Refuses the agency');
  });

  it('that was refused for credits long before its quota is used up is named on Home, one click from the list of such keys', async () => {
    const { manager, ...key }: World = await furnish(stack, { name: 'Asks for too much' });
    const limit = { credit_limit: 100, reason: 'A test' };
    await manager.patch(`/admin/api-keys/${key.keyId}`, limit, { 'if-match': '*' });
    const { keyId, accountId } = key;
    const charge = { keyId, accountId, operation: 'text_to_voice_design', cost: 20, requestId: keyId };
    await stack.api.get(CreditLedger).charge(charge);
    const body = { voice_description: 'A calm, warm woman in her forties.', text: 'Quiet. '.repeat(20) };
    const { status } = await stack.request('POST', '/v1/text-to-voice/design', { secret: key.secret, body });
    expect(status).toBe(402);
    await flushTraffic(stack);
    const home = await browser.signedIn('account_manager');
    const manages = { staff_id: home.person.id, reason: 'A test' };
    await manager.send('PUT', `/admin/accounts/${key.accountId}/manager`, manages, { 'if-match': '*' });
    await home.open('/');
    await home.sees(/“.Asks for too much.”/);
    await home.page.getByRole('link', { name: '1 key was refused for credits since yesterday' }).click();
    await home.sees('1 in all');
    await home.sees('Asks for too much');
    await home.sees('Refused by: Credits');
    await home.close();
  });

  it('whose allow-list goes back unless it is kept is on Home until then', async () => {
    const { manager, ...key }: World = await furnish(stack, { name: 'Goes back' });
    const home = await browser.signedIn('account_manager');
    const manages = { staff_id: home.person.id, reason: 'A test' };
    await manager.send('PUT', `/admin/accounts/${key.accountId}/manager`, manages, { 'if-match': '*' });
    const list = { entries: [{ address: OFFICE }], confirm: true, reason: 'A test', undo_after_minutes: 15 };
    await manager.send('PUT', `/admin/api-keys/${key.keyId}/allowed-ips`, list, { 'if-match': '*' });
    await home.open('/');
    const waits = home.page.getByRole('link', {
      name: /^The allow-list of “.Goes back.” goes back in 1[45] min unless it is kept$/,
    });
    await waits.click();
    await home.button('Keep the change…').click();
    await home.confirm('Keep it');
    await home.sees('The change is kept.');
    await home.open('/');
    await home.page.getByText(/or is about to go back/).waitFor({ state: 'attached' });
    expect(await waits.count()).toBe(0);
    await home.close();
  });

  it('of others is not on the Home of an account manager whose accounts are all suspended', async () => {
    const key = await furnish(stack, { name: 'Of others' });
    const { manager } = key;
    const any = { 'if-match': '*' };
    const list = { entries: [{ address: OFFICE }], confirm: true, reason: 'A test' };
    await manager.send('PUT', `/admin/api-keys/${key.keyId}/allowed-ips`, list, any);
    expect(await callFrom(stack, key, AGENCY)).toBe(403);
    await flushTraffic(stack);
    const home = await browser.signedIn('account_manager');
    const accountId = await stack.openAccount();
    const account = `/admin/accounts/${accountId}`;
    const body = { staff_id: home.person.id, reason: 'A test' };
    expect((await manager.send('PUT', `${account}/manager`, body, any)).status).toBe(200);
    expect((await manager.post(`${account}/suspend`, { reason: 'A test' }, any)).status).toBe(200);
    await home.open('/');
    const calm = home.page.getByText(/No allow-list has refused a request since yesterday/);
    await calm.waitFor({ state: 'attached' });
    await home.open(`/accounts/${accountId}`);
    await home.sees('Refused, 30 days');
    // The figure says so: no empty frame below it does again.
    expect(await home.page.getByText('No request was refused').count()).toBe(0);
    await home.close();
  });

  it('that is refused for its requests a minute leads to the setting', async () => {
    const key = await furnish(stack, { name: 'Too fast' });
    const limit = { requests_per_minute: 1, reason: 'A test' };
    await key.manager.patch(`/admin/api-keys/${key.keyId}`, limit, { 'if-match': '*' });
    const call = () => stack.request('GET', '/v1/models', { secret: key.secret });
    await eventually(async () => expect((await call()).status).toBe(429));
    await flushTraffic(stack);
    await window.open(`/api-keys/${key.keyId}`);
    await window.page.getByRole('link', { name: 'Edit the key' }).first().click();
    const focused = () => window.page.evaluate('document.activeElement.name');
    await eventually(async () => expect(await focused()).toBe('requests_per_minute'));
  });

  it('explains, gate by gate, why a request is refused', async () => {
    const world: World = await furnish(stack);
    const list = { entries: [{ address: OFFICE }], confirm: true, reason: 'A test' };
    await world.manager.send('PUT', `/admin/api-keys/${world.keyId}/allowed-ips`, list, { 'if-match': '*' });
    await window.open(`/api-keys/${world.keyId}`);
    await window.page.getByRole('link', { name: 'Explain a request' }).click();
    await window.field('Address of the client').fill(AGENCY);
    await window.page.getByLabel('Method').selectOption('GET');
    await window.field('Path').fill('/v1/models');
    await window.button('Explain').click();
    await window.sees('Refused with 403 ip_not_allowed.');
    const deciding = window.page.locator('li[aria-current=true]');
    expect(await deciding.textContent()).toMatch(/Addressthis one decides$/);
    // What a gate says stands in one place: above where it refuses, else in the list of the gates.
    const decision = window.page.getByText(`${AGENCY} is not on the allow-list (1 entry).`);
    expect([await decision.count(), await window.page.getByText('The account is active.').count()]).toEqual([
      1, 1,
    ]);
    const form = window.field('Address of the client');
    expect((await decision.boundingBox())!.y).toBeLessThan((await form.boundingBox())!.y);
    const step = window.page.getByRole('link', { name: `Add ${AGENCY} to the list…` });
    expect(await step.getAttribute('href')).toContain(`/api-keys/${world.keyId}/allow-list?add=`);
    await window.field('Address of the client').fill(OFFICE);
    await window.button('Explain').click();
    await window.sees('Let in.');
  });

  it('explains a request that was refused for its credits with what it would have cost', async () => {
    const key: World = await furnish(stack);
    const limit = { credit_limit: 10, reason: 'A test' };
    await key.manager.patch(`/admin/api-keys/${key.keyId}`, limit, { 'if-match': '*' });
    const body = {
      voice_description: 'A calm, warm woman in her forties.',
      text: 'The harbour is quiet. '.repeat(6),
    };
    const { status } = await stack.request('POST', '/v1/text-to-voice/design', { secret: key.secret, body });
    expect(status).toBe(402);
    await flushTraffic(stack);
    const [refusal] = await stack.dataSource.query<{ request_id: string; address: string }[]>(
      'SELECT request_id, address FROM key_refusal WHERE key_id = $1',
      [key.keyId],
    );
    await window.open(`/explain?find=${refusal!.request_id}`);
    await window.sees('Refused with 402 insufficient_credits.');
    await window.sees(/It costs 132 credits\. Left: the key has 10 of 10/);
    await window.sees(/was refused with 402: insufficient credits, from \S+, for 132 credits/);
    await window.open(`/api-keys/${key.keyId}`);
    await window.page.getByRole('table', { name: 'Recent refusals' }).getByText('Explain').click();
    await window.sees('Refused with 402 insufficient_credits.');
    expect(await window.field('Credits it costs').inputValue()).toBe('132');
    // Opened from the key without a request, it offers those that were refused.
    await window.open(`/api-keys/${key.keyId}`);
    await window.page.getByRole('link', { name: 'Explain a request' }).click();
    await window.page.waitForURL(/explain$/);
    const refusals = window.page.getByRole('table', { name: 'Recent refusals' });
    await refusals.getByRole('row', { name: /Credits.*POST \/v1\/text-to-voice\/design/ }).waitFor();
    await refusals.getByRole('link', { name: 'Explain' }).click();
    await window.sees('Refused with 402 insufficient_credits.');
    await window.sees(/was refused with 402: insufficient credits, from \S+, for 132 credits/);
    expect(await window.field('Credits it costs').inputValue()).toBe('132');
    expect(await refusals.count()).toBe(0);
    const { keyId: calm } = await stack.issueKey();
    await window.open(`/api-keys/${calm}/explain`);
    await window.sees('No request of this key was refused lately');
    // Of a refusal by an earlier release it is not known.
    await stack.asOwner('UPDATE key_refusal SET cost = NULL WHERE key_id = $1', [key.keyId]);
    await window.open(`/explain?find=${refusal!.request_id}`);
    await window.sees(
      'It would be let in now with the newest secret, unless it costs more credits than are left.',
    );
  });

  it('says that a request that was refused would be let in now; hands a change over by a link that opens', async () => {
    const key: World = await furnish(stack);
    const save = (entries: object[]) =>
      key.manager.send(
        'PUT',
        `/admin/api-keys/${key.keyId}/allowed-ips`,
        { entries, confirm: true, reason: 'A test' },
        { 'if-match': '*' },
      );
    await save([{ address: OFFICE }]);
    expect(await callFrom(stack, key, AGENCY)).toBe(403);
    await flushTraffic(stack);
    const [refusal] = await stack.dataSource.query<{ request_id: string }[]>(
      'SELECT request_id FROM key_refusal WHERE key_id = $1',
      [key.keyId],
    );
    const support = await browser.signedIn('support');
    await support.open(`/explain?find=${refusal!.request_id}`);
    await support.sees(`Only admins and account managers may add ${AGENCY} to the list.`);
    await support.button('Copy the request for them').click();
    const copied = await support.page.evaluate<string>('navigator.clipboard.readText()');
    await window.page.goto(/http\S+$/.exec(copied)![0]);
    await window.page
      .getByRole('heading', { name: 'IP allow-list of the key Production, text to voice' })
      .waitFor();
    expect(await window.page.title()).toBe('Production, text to voice · IP allow-list · Greenroom');
    await save([{ address: OFFICE }, { address: AGENCY }]);
    await support.page.reload();
    await support.sees('It would be let in now with the newest secret.');
    await support.sees(/was refused with 403/);
    // The screen of the key, which has the refusal still, says what the list is now.
    await window.open(`/api-keys/${key.keyId}`);
    await window.sees('on the list now');
    expect(await window.page.getByText('not on the list').count()).toBe(0);
    expect(await window.page.getByRole('link', { name: 'Add address' }).count()).toBe(0);
    await save([{ address: OFFICE }]);
    await window.page.reload();
    await window.sees('not on the list');
    expect(await window.page.getByText('on the list now').count()).toBe(0);
    await support.close();
  });

  it('says that a request with a secret that has ended would be let in with the newest one only', async () => {
    const key: World = await furnish(stack);
    const leaked = { overlap_days: 0, cause: 'leaked', reason: 'A test' };
    await key.manager.post(`/admin/api-keys/${key.keyId}/rotate`, leaked, { 'if-match': '*' });
    expect(await callFrom(stack, key, OFFICE)).toBe(401);
    await flushTraffic(stack);
    const [refusal] = await stack.dataSource.query<{ request_id: string }[]>(
      'SELECT request_id FROM key_refusal WHERE key_id = $1',
      [key.keyId],
    );
    await window.open(`/explain?find=${refusal!.request_id}`);
    await window.sees('It would be let in now with the newest secret.');
    await window.sees(/was refused with 401: secret retired/);
    await window.field('Secret, by its number').fill('1');
    await window.page.getByRole('button', { name: 'Explain', exact: true }).click();
    await window.sees(/^Refused at gate \d+ of \d+: State/);
  });
});

describe('the list of keys', () => {
  it('keeps its search in the address', async () => {
    const accountId = await stack.openAccount('pro');
    await Promise.all([1, 2, 3].map((n) => stack.issueKey({ accountId, name: `many ${n}` })));
    await window.open(`/api-keys?account_id=${accountId}`);
    await window.sees('3 in all');
    await window.field('Name or id').fill('many 2');
    await window.sees('1 in all');
    expect(window.page.url()).toContain('search=many+2');
    await window.page.reload();
    expect(await window.field('Name or id').inputValue()).toBe('many 2');
  });

  it('shows hostile names as text, and runs nothing of them', async () => {
    const name = '<img src=x onerror="document.title=1"> =cmd()|a';
    await stack.issueKey({ name });
    await window.open('/api-keys');
    await window.sees(name);
    expect(await window.page.locator('main img').count()).toBe(0);
  });

  it('is sorted, paged and walked by the keyboard alone', async () => {
    await window.open('/api-keys?limit=1');
    await window.page.locator('body').press('/');
    expect(await window.page.evaluate('document.activeElement.ariaLabel')).toBe('Name or id');
    await window.button('Next page').focus();
    await window.page.keyboard.press('Enter');
    await window.sees('continued');
    await window.button('Back').press('Enter');
    await window.page.getByText('continued').waitFor({ state: 'detached' });
    await window.button('Key').press('Enter');
    await window.page.waitForURL(/sort=name/);
    await window.page.keyboard.press('g');
    await window.page.keyboard.press('a');
    await window.page.getByRole('heading', { name: 'Accounts' }).waitFor();
  });
});

describe('a finding', () => {
  const findingsOf = async (keyId: string) =>
    (
      await stack.dataSource.query<{ kind: string }[]>('SELECT kind FROM key_finding WHERE key_id = $1', [
        keyId,
      ])
    ).map(({ kind }) => kind);

  it('leads to its key, whose permissions are suggested, run dry, saved with a timer, and reverted by it', async () => {
    const key = await stack.issueKey({ name: 'May do everything', tier: 'pro' });
    await callFrom(stack, key, OFFICE, 5);
    await flushTraffic(stack);
    await stack.dataSource.query('INSERT INTO key_finding_due (id) VALUES ($1)', [key.keyId]);
    await eventually(async () => expect(await findingsOf(key.keyId)).toContain('unused_permissions'));
    await window.open(`/accounts/${key.accountId}/key-safety`);
    await window.page.getByRole('link', { name: 'Has every permission and uses few' }).click();
    await window.page.getByRole('link', { name: 'May do everything' }).click();
    await window.sees('May do everything, and used 1 permission in 30 days.');

    await window.choose('Actions', 'Edit…');
    await window.button('Suggest permissions').click();
    await window.sees('The key used 1 of 51 permissions for 5 requests in 30 days.');
    await window.button('Dry run').click();
    await window.sees('The permissions would have refused 0 of 5 requests in 30 days.');
    await window.field('Undo automatically').selectOption('5');
    await window.confirm('Save');
    await window.sees('It is undone in');
    const user = async () => (await stack.request('GET', '/v1/user', { secret: key.secret })).status;
    expect([await callFrom(stack, key, OFFICE), await user()]).toEqual([200, 403]);
    await eventually(async () => expect(await findingsOf(key.keyId)).not.toContain('unused_permissions'));

    await stack.dataSource.query('UPDATE key_undo SET due_at = now() WHERE subject_id = $1', [key.keyId]);
    await eventually(async () => expect(await user()).toBe(200));
    await window.open(`/api-keys/${key.keyId}`);
    await window.sees('Everything, including permissions that are added later.');
    expect(await auditOf(key.keyId)).toEqual(expect.arrayContaining(['key.edited', 'key.edit_undone']));
  });
});

describe('a key policy', () => {
  it('of an account says what it would touch, and when, is saved and applied; all keys come back', async () => {
    const key = await stack.issueKey({ name: 'Works for ever', tier: 'pro' });
    const [account] = await stack.dataSource.query<{ name: string }[]>(
      'SELECT name FROM account WHERE id = $1',
      [key.accountId],
    );
    await window.open('/alerts');
    await window.page.getByRole('link', { name: 'Key policies' }).click();
    await window.button('New policy…').click();
    const dialog = window.page.getByRole('dialog');
    const forWhom = dialog.getByLabel('For', { exact: true });
    await forWhom.waitFor();
    // A tier is for administrators.
    expect(await forWhom.locator('option').allTextContents()).toEqual(['Choose…', 'one account']);
    await forWhom.selectOption('account');
    await dialog.getByPlaceholder('A part of its name').fill(account!.name);
    await window.page.getByRole('option', { name: account!.name }).click();
    await dialog.getByLabel('Disable after the warning').fill('14');
    await window.sees('idle_warn_days');
    await dialog.getByLabel('Disable after the warning').fill('');
    await dialog.getByLabel('Longest lifetime').fill('90');
    await window.sees('1 works for longer than that');
    await window.sees('in place of never');
    await window.confirm('Save');
    await window.sees('The key policy was saved.');

    await window.button(/^Apply the policy/).click();
    await dialog.getByLabel('Type 1 to confirm').fill('1');
    await window.confirm('Let them expire');
    await window.sees('1 key expires earlier now.');
    const expiry = () =>
      stack.dataSource.query<object[]>('SELECT expires_at FROM api_key WHERE id = $1', [key.keyId]);
    expect(await expiry()).not.toEqual([{ expires_at: null }]);
    await window.button('Undo it now…').click();
    await window.confirm('Undo it');
    await window.sees('The change is undone: 1 key as before.');
    expect(await expiry()).toEqual([{ expires_at: null }]);

    await window.button(/^Remove the policy/).click();
    await window.confirm('Remove');
    await window.sees('No key policies');
  });
});
