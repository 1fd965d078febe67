import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { AGENCY, callFrom, flushTraffic, furnish, OFFICE, type World } from '../support/console-world';
import { chargeDaysAgo } from '../support/charges';
import { Stack } from '../support/stack';

let stack: Stack;
let browser: ConsoleBrowser;
let world: World;
let window: ConsolePage;

beforeAll(async () => {
  stack = await Stack.start({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  browser = await ConsoleBrowser.open(stack);
  world = await furnish(stack);
  const any = { 'if-match': '*' };
  const list = {
    entries: [{ address: `${OFFICE}/32`, note: 'the office' }],
    reason: 'A test',
    confirm: true,
  };
  await world.manager.send('PUT', `/admin/api-keys/${world.keyId}/allowed-ips`, list, any);
  await callFrom(stack, world, AGENCY, 2);
  await flushTraffic(stack);
  const batch = await stack.issueKey({ accountId: world.accountId, name: 'Night batch' });
  await chargeDaysAgo(stack, world, { cost: 12_000, operation: 'text_to_voice_design', days: 3 });
  await chargeDaysAgo(stack, batch, {
    cost: 3,
    operation: 'text_to_voice_remix',
    days: 1,
    endUser: 'ann & <b>co</b>',
  });
  await stack.asOwner(`UPDATE account SET created_at = now() - interval '60 days' WHERE id = $1`, [
    world.accountId,
  ]);
  const limit = { credit_limit: 15_000, reason: 'A test' };
  const limited = await world.manager.patch(`/admin/accounts/${world.accountId}`, limit, any);
  expect(limited.status).toBe(200);
  window = await browser.signedIn('account_manager');
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

afterEach(() => expect(browser.complaints).toEqual([]));

const tab = (name: string) => window.page.locator('nav.gr-tabs').getByRole('link', { name, exact: true });
const chart = (label: string) => window.page.getByRole('figure', { name: label });

/** The contrast of two opaque colours, `rgb(1, 2, 3)` (WCAG 2.2, "contrast ratio"). */
function contrast(a: string, b: string): number {
  const luminance = (colour: string) => {
    const parts = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(colour)?.slice(1) ?? [];
    if (parts.length !== 3) throw new Error(`not an opaque colour: ${colour}`);
    const [red, green, blue] = parts.map((part) => {
      const value = Number(part) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark, light] = [luminance(a), luminance(b)].sort((one, other) => one - other) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

describe('the overview', () => {
  it('says what is left, and when the credits run out at this pace', async () => {
    await window.open(`/accounts/${world.accountId}`);
    await window.sees('12,003 of 15,000 used');
    await window.sees(/^2,997/);
    const at = new Date(Date.now() + (2_997 / (12_003 / 7)) * 86_400_000);
    const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'Europe/Berlin' });
    await window.sees(`At this pace the credits end on ${day.format(at)}`);
    await window.sees(/1,715 credits a day over the last 7 days/);
    const rising = chart('Credits of this billing period as they add up');
    await rising.getByText('used 12,003, and forecast').waitFor();
    await rising.getByText(/^out on \w{3} \d{1,2} \w{3}$/).waitFor();
    await window.page.getByRole('link', { name: 'Grant…' }).click();
    await window.page.getByRole('dialog', { name: /^Grant credits for this period/ }).waitFor();
  });

  it('grants credits from its actions', async () => {
    await window.open(`/accounts/${world.accountId}`);
    await window.choose('Actions', 'Grant credits…');
    await window.page.getByRole('dialog', { name: /^Grant credits for this period/ }).waitFor();
  });

  it('says which tier has allow-lists before anyone tries to switch them on, and the list of a key leads there', async () => {
    const { keyId } = await stack.issueKey({ tier: 'pro', name: 'Of a smaller tier' });
    await window.open(`/api-keys/${keyId}/allow-list`);
    await window.page.getByRole('link', { name: 'What switches them on' }).click();
    await window.sees(
      /New lists need the tier enterprise: change the tier of the account first, which is pro\./,
    );
    expect(await window.button('Switch on…').count()).toBe(0);
  });

  it('stacks credits by day and key or operation, and says the same as a table', async () => {
    await window.open(`/accounts/${world.accountId}`);
    const byKey = chart('Credits by day and key');
    await byKey.getByText(/^12,003 credits for 2 requests in the last 30 days, .+ to .+\.$/).waitFor();
    await byKey.getByText('As a table').click();
    const row = byKey.getByRole('row').filter({ hasText: '12,000' }).first();
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      expect.stringMatching(/^\d{1,2} \w{3} \d{4}$/),
      '12,000',
      '0',
      '12,000',
    ]);
    expect(await byKey.getByRole('row').count()).toBe(31);
    await window.field('Stacked by').selectOption('operation');
    await chart('Credits by day and operation')
      .getByText(/^12,003 credits/)
      .waitFor();
  });

  it('stacks them by end user and by tag, and offers the file of each', async () => {
    await window.open(`/accounts/${world.accountId}`);
    await window.field('Stacked by').selectOption('end_user');
    const byEndUser = chart('Credits by day and end user');
    await byEndUser.getByText('As a table').click();
    expect((await byEndUser.getByRole('columnheader').allTextContents()).slice(1, 3)).toEqual([
      'no end user',
      'ann & <b>co</b>',
    ]);
    const file = window.page.getByRole('link', { name: 'CSV' });
    expect(await file.getAttribute('href')).toMatch(/\/usage\/export\?by=end_user&from=.+&to=.+/);
    await window.field('Stacked by').selectOption('tag');
    await chart('Credits by day and tag')
      .getByText(/A key with several tags counts for each of them/)
      .waitFor();
  });

  it('shows 3 credits beside 12,000, and a day without any as none', async () => {
    await window.open(`/accounts/${world.accountId}`);
    await chart('Credits by day and key').getByRole('application').waitFor();
    const heights = await window.page.evaluate<number[]>(`
      [...document.querySelectorAll('figure[aria-label="Credits by day and key"] .gr-chart-bar')]
        .map((bar) => bar.getBoundingClientRect().height)`);
    expect(heights).toHaveLength(30);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(0.9);
    expect(heights.filter((height) => height > 1.9)).toHaveLength(2);
  });

  it('reads its charts by keyboard, day by day', async () => {
    await window.open(`/accounts/${world.accountId}`);
    const surface = chart('Credits by day and key').getByRole('application');
    await surface.focus();
    await window.page.keyboard.press('ArrowRight');
    const words = chart('Credits by day and key').getByRole('status');
    await words.waitFor();
    const before = await words.textContent();
    expect(before).toMatch(/\d{1,2} \w{3} \d{4}.*Production, text to voice: 0/);
    await window.page.keyboard.press('ArrowRight');
    await words.filter({ hasNotText: before!.slice(0, 11) }).waitFor();
  });

  it('shows refusals by the gate that refused', async () => {
    await window.open(`/accounts/${world.accountId}`);
    await chart('Refused requests by day and gate')
      .getByText('2 of 10 requests refused: 2 by Address.')
      .waitFor();
    await window.page.getByRole('link', { name: 'Keys whose allow-list refused a request' }).click();
    await window.page.getByRole('link', { name: 'Production, text to voice' }).waitFor();
  });

  it.each(['light', 'dark'] as const)(
    'its charts can be read in the %s theme: texts at 4.5 to 1, bars at 3 to 1',
    async (colorScheme) => {
      await window.open(`/accounts/${world.accountId}`);
      await window.page.emulateMedia({ colorScheme });
      await window.page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      await chart('Credits by day and key').getByRole('application').waitFor();
      await chart('Refused requests by day and gate').getByRole('application').waitFor();
      const drawn = await window.page.evaluate<{ what: string; colour: string; ground: string }[]>(`
        [...document.querySelectorAll('.gr-chart .gr-lines')].flatMap((drawing) => {
          const ground = getComputedStyle(drawing.closest('.gr-surface')).backgroundColor;
          const of = (what, property) => (element) => ({ what, colour: getComputedStyle(element)[property], ground });
          return [
            ...[...drawing.querySelectorAll('span, b')].map(of('text', 'color')),
            ...[...drawing.querySelectorAll('.gr-chart-bar')].map(of('bar', 'fill')),
          ];
        })`);
      const low = drawn.filter(
        ({ what, colour, ground }) => contrast(colour, ground) < (what === 'text' ? 4.5 : 3),
      );
      expect(low).toEqual([]);
      expect(new Set(drawn.map(({ what }) => what))).toEqual(new Set(['text', 'bar']));
      await window.page.emulateMedia({ colorScheme: null });
    },
  );

  it('prints its charts with the tables beneath them', async () => {
    await window.open(`/accounts/${world.accountId}`);
    const table = chart('Credits by day and key').getByRole('table');
    expect(await table.isVisible()).toBe(false);
    await window.page.emulateMedia({ media: 'print' });
    await table.waitFor();
    await window.page.emulateMedia({ media: null });
  });
});

describe('credits', () => {
  it('are granted for this period: what will be left first, then a receipt, and a line of the ledger', async () => {
    await window.open(`/accounts/${world.accountId}/credits`);
    await window.sees('The ledger adds up.');
    await window.button('Grant credits…').click();
    await window.page
      .getByRole('dialog')
      .getByLabel(/^Credits/)
      .fill('5,000');
    await window.sees('The account: 2,997 now, 7,997 afterwards.');
    await window.confirm('Grant', 'Quarterly goodwill, ticket 4711');
    await window.sees('5,000 credits granted for this period.');
    await window.sees('7,997');
    const line = window.page.getByRole('table', { name: 'Ledger' }).getByRole('row').nth(1);
    await line.getByText('+5,000').waitFor();
    const [name] = window.person.email.split('@');
    expect(await line.getByTitle(window.person.email).textContent()).toBe(name);
    const [granted] = await stack.dataSource.query<{ request_id: string }[]>(
      `SELECT request_id FROM credit_ledger WHERE account_id = $1 AND kind = 'grant'`,
      [world.accountId],
    );
    await line.getByText(granted!.request_id).waitFor();
  });

  it('are adjusted within their bounds; what is beyond them is refused at its field', async () => {
    await window.open(`/accounts/${world.accountId}/credits`);
    await window.button('Adjust…').click();
    const dialog = window.page.getByRole('dialog');
    await dialog.getByText('From -7,997 to 12,003.').waitFor();
    await dialog.getByLabel(/^Credits/).fill('20,000');
    await window.confirm('Adjust');
    await dialog
      .getByText(/12,?003/)
      .nth(1)
      .waitFor();
    await dialog.getByLabel(/^Credits/).fill('3');
    await dialog.getByRole('button', { name: 'Adjust', exact: true }).click();
    await window.sees('3 credits returned.');
  });

  it('are prepaid with an end or none, listed with what is left, and taken back', async () => {
    await window.open(`/accounts/${world.accountId}/credits`);
    await window.button('Grant prepaid credits…').click();
    const dialog = window.page.getByRole('dialog');
    await dialog.getByLabel(/^Credits/).fill('1,000');
    await dialog.getByLabel('End').fill('2020-01-01T12:00');
    await window.confirm('Grant', 'Bought in advance');
    await window.sees(/should be a time after/);
    await dialog.getByLabel('End').fill('2099-01-01T12:00');
    await dialog.getByRole('button', { name: 'Grant', exact: true }).click();
    await window.sees('1,000 prepaid credits granted.');
    const grants = window.page.getByRole('table', { name: 'Prepaid credits' });
    await grants.getByText('1,000 of 1,000').waitFor();
    await grants.getByText('Bought in advance').waitFor();
    await window.button('Take back: 1,000 prepaid credits').click();
    await window.confirm('Take them back', 'A mistake');
    await window.sees('1,000 prepaid credits taken back.');
    await grants.getByText('0 of 1,000').waitFor();
  });

  it('are held to a budget of a tag or a key, which is edited and deleted', async () => {
    await window.open(`/accounts/${world.accountId}/credits`);
    await window.sees('Charges are held to the limits of the account and of its keys only.');
    await window.button('New budget…').click();
    const dialog = window.page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Night <b>work</b>');
    await dialog.getByLabel('Credits').fill('10,000');
    await dialog.getByLabel('Renews').selectOption('day');
    await dialog.getByLabel('Time zone').fill('Mars/Olympus');
    await dialog.getByLabel('Counts charges').selectOption('tag');
    await dialog.getByLabel('Tag').fill('no-such-tag');
    await window.confirm('Create it');
    await window.sees(/This should be the name of a time zone/);
    await dialog.getByLabel('Time zone').fill('Europe/Berlin');
    await window.confirm('Create it');
    await window.sees(/This should be a tag that a key of the account has/);
    await dialog.getByLabel('Counts charges').selectOption('key');
    await dialog.getByLabel('Key').selectOption({ label: 'Night batch' });
    await window.confirm('Create it');
    await window.sees('The budget counts from now on.');
    const row = window.page.getByRole('table', { name: 'Budgets' }).getByRole('row').nth(1);
    await row.getByText('0 of 10,000 credits').waitFor();
    await row.getByRole('link', { name: 'Night batch' }).waitFor();
    await row.getByText('(Europe/Berlin)').waitFor();

    await window.button('Edit Night <b>work</b>').click();
    await dialog.getByLabel('Credits').fill('2');
    await window.sees(/It would have refused \d+ of \d+ requests? in 30 days\./);
    await window.confirm('Save');
    await row.getByText('0 of 2 credits').waitFor();
    await window.button('Delete Night <b>work</b>').click();
    await window.confirm('Delete');
    await window.sees('The budget was deleted.');
    await window.sees('No budgets');

    await window.button('New budget…').click();
    await dialog.getByLabel('Name').fill('Each');
    await dialog.getByLabel('Credits').fill('500');
    await dialog.getByLabel('Counts charges').selectOption({ label: 'Of each end user separately' });
    await dialog.getByLabel('Only for the operations').fill('text_to_speech, design');
    await window.sees(/It would have refused 0 of 0 requests in 30 days\./);
    await window.confirm('Create it');
    await row.getByText('each end user, only for design, text_to_speech').waitFor();
    await row.getByText('0 by all, 500 credits each').waitFor();
  });

  it('are raised for a time, of the account and of a budget, and the increase is kept or undone by hand', async () => {
    const any = { 'if-match': '*' };
    const until = { revert_at: new Date(Date.now() + 86_400_000).toISOString(), reason: 'Ticket 4712' };
    const path = `/admin/accounts/${world.accountId}`;
    const created = await world.manager.post(`${path}/budgets`, {
      name: 'Raised',
      subject: 'account',
      window: 'day',
      amount: 700,
      reason: 'A test',
    });
    const budget = `${path}/budgets/${(created.body as { id: string }).id}`;
    for (const [url, change] of [
      [path, { credit_limit: 25_000 }],
      [budget, { amount: 900 }],
    ] as const)
      expect((await world.manager.patch(url, { ...change, ...until }, any)).status).toBe(200);

    await window.open(`/accounts/${world.accountId}/settings`);
    await window.sees(/changed credit limit.*Previously: 15,000\./);
    await window.button('Undo the credit limit…').click();
    await window.sees(/The previous setting is restored: 15,000\./);
    await window.confirm('Undo it');
    await window.sees('The previous setting applies again.');
    expect((await world.manager.get(path)).body).toMatchObject({ limits: { credits_override: 15_000 } });

    await window.open(`/accounts/${world.accountId}/credits`);
    await window.sees(/changed amount.*Previously: 700\./);
    await window.button('Keep the amount…').click();
    await window.confirm('Keep it');
    await window.sees('The change is kept.');
    expect((await world.manager.get(budget)).body).toMatchObject({ amount: 900, undo: { due_at: null } });
  });

  it('of the ledger are narrowed, and the address says to what', async () => {
    await window.open(`/accounts/${world.accountId}/credits`);
    await window.choose('Add filter', 'What');
    await window.page.getByRole('dialog').getByLabel('What').selectOption('grant');
    await window.page.waitForURL(/kind=grant/);
    await window.sees('1 in all');
  });

  it('name the account before and after they are granted from a list, and are taken back there', async () => {
    await window.open('/accounts?search=northwind');
    await window.button('Grant credits: Northwind Audio').click();
    const dialog = window.page.getByRole('dialog');
    await dialog.getByLabel(/^Credits/).fill('5,000');
    await dialog
      .and(window.page.getByLabel('Grant 5,000 credits for this period: Northwind Audio'))
      .waitFor();
    await window.confirm('Grant');
    await window.sees('Northwind Audio: 5,000 credits granted for this period.');
    await window.button('Take back: Northwind Audio').click();
    await dialog.and(window.page.getByLabel('Take back 5,000 credits: Northwind Audio')).waitFor();
    await window.confirm('Adjust');
    await window.sees('Northwind Audio: 5,000 credits charged.');
    expect(await window.button('Take back: Northwind Audio').count()).toBe(0);
  });
});

it('an account manager is assigned, and finds the account among their own', async () => {
  await window.open(`/accounts/${world.accountId}/settings`);
  await window.button('Assign…').click();
  const me = window.page.getByRole('option', { name: /^Me: / });
  await window.page
    .getByLabel('Account manager', { exact: true })
    .selectOption((await me.textContent()) ?? '');
  await window.confirm('Assign');
  await window.sees('The account manager is assigned.');
  await window.open('/accounts?manager=none');
  await window.button('Account manager: None yet').click();
  await window.page.getByRole('dialog').getByLabel('Account manager').selectOption('me');
  await window.page.waitForURL(/manager=me/);
  await window.page.getByRole('link', { name: 'Northwind Audio' }).waitFor();
  await window.sees('1 in all');
});

it('an account manager who suspends an account has a sentence for its customer to copy', async () => {
  const accountId = await stack.openAccount();
  const sentence =
    'Your account is suspended. Requests with any of its API keys are refused until it is active again.';
  await window.open(`/accounts/${accountId}`);
  await window.choose('Actions', 'Suspend…');
  await window.confirm('Suspend');
  await window.sees('The account is suspended.');
  await window.sees(sentence);
  await window.button('Copy the sentence for the customer').click();
  expect(await window.page.evaluate('navigator.clipboard.readText()')).toBe(sentence);
});

it('every part has an address of its own, and the way back leads through them', async () => {
  await window.open(`/accounts/${world.accountId}`);
  for (const [name, path, text] of [
    ['Credits', 'credits', 'This billing period'],
    ['Voices', 'voices', 'No voice was graded in the last 30 days'],
    ['API keys', 'api-keys', 'Night batch'],
    ['Allow-lists', 'allow-lists', `${OFFICE}/32`],
    ['Webhooks', 'webhooks', 'Nothing was sent in the last 30 days'],
    ['Settings', 'settings', 'Tier and limits'],
    ['Alerts', 'alerts', 'No separate rules'],
    ['Activity', 'activity', 'What was done to accounts that you have acted on.'],
  ] as const) {
    await tab(name).click();
    await window.page.waitForURL(`**/accounts/${world.accountId}/${path}`);
    await window.sees(text);
    expect(await tab(name).getAttribute('aria-current')).toBe('page');
    expect(await tab('Overview').getAttribute('aria-current')).toBeNull();
  }
  await window.page.goBack();
  await window.sees('No separate rules');
});

it('support reads all of it and is offered no change', async () => {
  const support = await browser.signedIn('support');
  await support.open(`/accounts/${world.accountId}/credits`);
  await support.sees('The ledger adds up.');
  expect(await support.button(/^(Grant|Adjust)/).count()).toBe(0);
  await support.open(`/accounts/${world.accountId}/settings`);
  await support.sees('Tier and limits');
  expect(await support.button(/…$/).count()).toBe(0);
  await support.close();
});

// Last: what it grants changes the figures of the others.
it('support requests a credit for a charge, and reads who changed the key; an account manager approves it', async () => {
  const support = await browser.signedIn('support');
  await support.open(`/accounts/${world.accountId}/credits`);
  expect(await support.button(/Grant|Adjust/).count()).toBe(0);
  const charge = support.page.getByRole('row').filter({ hasText: '-12,000' });
  await charge.getByRole('button', { name: /Request a credit/ }).click();
  await support.sees(/added to the limit once an account manager or an administrator approves/);
  const credits = support.page.getByRole('textbox', { name: 'Credits' });
  expect(await credits.inputValue()).toBe('12000');
  await credits.fill('300');
  await support.field('Reason').fill('Ticket 4711');
  await support.button('Send the request').click();
  await support.sees('Waits for a second person');
  expect(await support.page.getByRole('link', { name: 'See it on Approvals' }).count()).toBe(1);
  await support.button('Close').last().click();
  await support.sees(/Give 300 requested credits to .*\. You requested it/);
  await support.button('Withdraw…').waitFor();
  await support.open(`/api-keys/${world.keyId}`);
  await support.sees(/changed the allow-list/);
  await support.sees('Only admins and account managers may change this key.');
  await window.open('/approvals');
  await window.sees('Give 300 requested credits to');
  await window.page.keyboard.press('j');
  await window.page.keyboard.press('Space');
  await window.sees(/amount -12,000/);
  await window.page.keyboard.press('a');
  await window.page.getByRole('dialog').locator('button:focus', { hasText: 'Go back' }).waitFor();
  await window.page.keyboard.press('Control+Enter');
  await window.sees('The change is applied.');
  await support.open(`/accounts/${world.accountId}/credits`);
  await support.page.getByRole('row').filter({ hasText: '+300' }).waitFor();
  await support.close();
});
