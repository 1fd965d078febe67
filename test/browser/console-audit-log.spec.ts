import { CreditLedger } from '../../libs/credits/credit-ledger';
import { ReviewItemRepository } from '../../libs/database/reviews/review-item.repository';
import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { StaffClient } from '../support/staff-client';
import { storeDeadLetter, storeVoice, waitForReview } from '../support/stored-voices';

const ANY = { 'if-match': '*' };

const { stack, browser } = ConsoleBrowser.ofFile();
let window: ConsolePage;
let manager: StaffClient;

beforeAll(async () => {
  manager = await StaffClient.signedIn(stack, 'account_manager');
  window = await browser.signedIn('admin');
});

/** A key that the manager has disabled. */
async function disabledKey(name: string): Promise<{ keyId: string; accountId: string }> {
  const { keyId, accountId } = await stack.issueKey({ name });
  const body = { disable_reason: 'exposed_publicly', reason: 'leaked in a public repository' };
  const { status } = await manager.post(`/admin/api-keys/${keyId}/disable`, body, ANY);
  expect(status).toBe(200);
  return { keyId, accountId };
}

describe('the audit log', () => {
  it('says what was done as a sentence whose names are links, on its page and in the activity of the account', async () => {
    const { keyId, accountId } = await disabledKey('production');
    for (const path of [`/audit-log?account_id=${accountId}`, `/accounts/${accountId}/activity`]) {
      await window.open(path);
      const row = window.page.getByRole('row').filter({ hasText: 'leaked in a public repository' });
      await row.getByText(/ disabled production of .+: leaked in a public repository$/).waitFor();
      const { email } = manager.person;
      expect(await row.getByTitle(email).textContent()).toBe(email.split('@')[0]);
      await row.getByText('Details', { exact: true }).click();
      await window.sees('exposed_publicly');
      await window.page.keyboard.press('Escape');
      const panel = window.page.getByRole('complementary', { name: /details$/ });
      await panel.waitFor({ state: 'detached' });
      // A press anywhere on the row opens it as well, and the next one closes it.
      await row.getByText(/ disabled /).click({ position: { x: 2, y: 2 } });
      await panel.waitFor();
      await row.getByRole('cell').first().click();
      await panel.waitFor({ state: 'detached' });
      await row.getByRole('link', { name: 'production' }).click();
      await window.page.waitForURL((url) => url.pathname.endsWith(`/api-keys/${keyId}`));
    }
  });

  it('is narrowed by an action and a member of staff out of lists, and by a part of an e-mail address', async () => {
    const { keyId } = await disabledKey('narrowed');
    await window.open(`/audit-log?target=${keyId}`);
    await window.choose('Add filter', 'Action');
    await window.page.getByRole('combobox', { name: 'Action' }).selectOption('Key: enabled');
    await window.sees('No event matches these filters.');
    await window.button(/^Action: /).click();
    await window.page.getByRole('combobox', { name: 'Action' }).selectOption('Key: disabled');
    await window.sees('1 in all');
    await window.choose('Add filter', 'Member of staff');
    await window.page.getByRole('combobox', { name: 'Member of staff' }).selectOption(manager.person.id);
    await window.page.waitForURL((url) => url.searchParams.get('actor_id') === manager.person.id);
    await window.sees('1 in all');
    await window.field('Who: a name or an e-mail address').fill(manager.person.email.slice(1, 12));
    await window.page.waitForURL((url) => url.searchParams.has('actor'));
    await window.sees('1 in all');
    await window.field('Who: a name or an e-mail address').fill('nobody of ours');
    await window.sees('No event matches these filters.');
  });

  it('is verified day by day, and shows where a day breaks', async () => {
    await disabledKey('verified');
    await window.open('/audit-log');
    const days = window.page.getByRole('list', { name: 'Verified days' });
    await window.button('Verify these days').click();
    await days.getByText('verified').first().waitFor();
    await stack.asOwner(`SET session_replication_role = replica;
      UPDATE audit_event SET reason = 'never said' WHERE seq = 2`);
    await window.open('/audit-log');
    await window.button('Verify these days').click();
    await days.getByText('at event 2 of the day: the row was changed').waitFor();
    const manages = await browser.signedIn('account_manager');
    await manages.open('/audit-log');
    await manages.page.getByRole('table', { name: 'Audit log' }).waitFor();
    expect(await manages.button('Verify these days').count()).toBe(0);
    await manages.close();
  });
});

it('a voice has its reviews, the grade that a person gave it and who listened to it in one history', async () => {
  const { accountId } = await stack.issueKey();
  const voiceId = await storeVoice(stack, { accountId, name: 'Harbour narrator' });
  await waitForReview(stack, voiceId, 'completed');
  const support = await StaffClient.signedIn(stack, 'support');
  const override = { grade: 'bad', reason: 'Clipped throughout' };
  const { status } = await support.post(`/admin/voices/${voiceId}/override`, override, ANY);
  expect(status).toBe(200);
  await window.open(`/voices/${voiceId}`);
  await window.page.getByText('How the review went').click();
  const history = window.page.getByRole('list', { name: 'History, newest first' });
  await history.getByText(/ set the grade of Harbour narrator of .+ to bad: Clipped throughout/).waitFor();
  await history.getByText('Clipped throughout').first().waitFor();
  await history
    .getByText(/Verdict of review/)
    .first()
    .waitFor();
  const times = await history
    .locator('time')
    .evaluateAll((all) => all.map((time) => time.getAttribute('datetime')));
  expect(times.length).toBeGreaterThan(2);
  expect(times).toEqual([...times].sort().toReversed());
});

describe('home', () => {
  it('names the customer whose key is out of credits, worst first, and repeats no menu', async () => {
    const { keyId, accountId } = await stack.issueKey({ name: 'spent', creditLimit: 1_000 });
    const soon = new Date(Date.now() + 86_400_000).toISOString();
    const expiring = await stack.issueKey({ name: 'expiring' });
    await manager.patch(`/admin/api-keys/${expiring.keyId}`, { expires_at: soon, reason: 'Trial' }, ANY);
    const charge = { keyId, accountId, operation: 'text_to_voice_design', requestId: keyId };
    await stack.api.get(CreditLedger).charge({ ...charge, cost: 1_000 });
    const { body } = await manager.get(`/admin/accounts/${accountId}`);
    await window.open('/');
    const items = window.page
      .getByRole('list', { name: 'What waits for you, worst first' })
      .getByRole('listitem');
    const spent = items.filter({ hasText: 'spent' });
    await spent.getByText('has used 1,000 of 1,000 credits').waitFor();
    await spent.getByRole('link', { name: body.name as string }).waitFor();
    const levels = (await items.allTextContents()).map((text) => /^(now|soon)/.exec(text)?.[0]);
    expect(levels).toContain('soon');
    expect(levels).toEqual([...levels].sort());
    expect(await window.page.locator('main').getByRole('link', { name: 'Audit log' }).count()).toBe(0);
  });

  it('names the customers of dead letters and of overdue voices', async () => {
    const { accountId } = await stack.issueKey({ name: 'of the dead letter' });
    await stack.dataSource.query(`UPDATE account SET name = 'Harbour Radio' WHERE id = $1`, [accountId]);
    const voice = await storeDeadLetter(stack, 'no space left on device', { accountId });
    const desk = stack.api.get(ReviewItemRepository);
    await desk.open(voice, ['complaint'], stack.dataSource.manager, 'Ticket 4711');
    await stack.dataSource.query(
      `UPDATE review_item SET due_at = now() - interval '1 hour' WHERE voice_id = $1`,
      [voice],
    );
    await window.open('/');
    const items = window.page
      .getByRole('list', { name: 'What waits for you, worst first' })
      .getByRole('listitem');
    for (const text of [/\d+ dead letters?/, '1 voice is overdue at the review desk'])
      await items.filter({ hasText: text }).getByRole('link', { name: 'Harbour Radio' }).waitFor();
  });

  it('shows an account manager their accounts, with what is left and until when it lasts', async () => {
    const person = await browser.signedIn('account_manager');
    await person.open('/');
    await person.sees('No account is out of credits.');
    const [few, many] = [await stack.issueKey({ tier: 'free' }), await stack.issueKey({ tier: 'scale' })];
    const staff = await StaffClient.signedIn(stack, 'admin');
    const { body: members } = await staff.get(`/admin/staff?search=${person.person.email}`);
    const [{ id: staff_id }] = members.items as [{ id: string }];
    for (const { accountId } of [few, many]) {
      const change = { staff_id, reason: 'Looks after them' };
      const { status } = await staff.send('PUT', `/admin/accounts/${accountId}/manager`, change, ANY);
      expect(status).toBe(200);
    }
    const { body: usage } = await staff.get(`/admin/accounts/${few.accountId}`);
    const { limit } = (usage.usage as { credits: { limit: number } }).credits;
    const charge = { keyId: few.keyId, accountId: few.accountId, operation: 'text_to_voice_design' };
    await stack.api.get(CreditLedger).charge({ ...charge, requestId: few.keyId, cost: limit });
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const expiring = { name: 'mine expires', expires_at, reason: 'Trial' };
    await staff.patch(`/admin/api-keys/${many.keyId}`, expiring, ANY);
    const other = await stack.issueKey({ tier: 'scale', name: 'of another manager' });
    for (const { keyId } of [many, other])
      await staff.post(`/admin/api-keys/${keyId}/rotate`, { overlap_days: 1, reason: 'Yearly' }, ANY);
    await person.open('/');
    await person.sees('1 of your 2 customers runs out before their credits renew.');
    const list = person.page.getByRole('table', { name: 'Accounts, the first to run out first' });
    await list.getByRole('row').nth(2).waitFor();
    const rows = await list.getByRole('row').allTextContents();
    expect(rows[1]).toContain('out of credits');
    expect(rows[1]).toContain('100 %');
    expect(rows[2]).toContain('lasts');
    const lanes = list.getByRole('img', { name: /, renews .+/ });
    const lane = (row: number) => lanes.nth(row).getAttribute('aria-label');
    expect(await lane(0)).toMatch(/^is refused, renews [^,]+$/);
    expect(await lane(1)).toMatch(/^has credits, renews [^,]+, a key expires [^,]+$/);
    expect(await list.getByRole('button', { name: /^Grant credits/ }).count()).toBe(1);
    // What is of no account of theirs is not among them.
    await person.sees(/The old secret of “.*mine expires.*” stops working within 3 days/);
    expect(await person.page.getByText('of another manager').count()).toBe(0);
    const keys = person.page.getByRole('list', { name: 'Keys that expire, the first first' });
    await keys.getByRole('link', { name: 'mine expires', exact: true }).waitFor();
    expect(await keys.getByRole('listitem').count()).toBe(1);
    await person.close();
  });
});
