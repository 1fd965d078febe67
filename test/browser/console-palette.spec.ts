import { setTimeout } from 'node:timers/promises';
import { AGENCY, callFrom, flushTraffic, furnish, OFFICE, type World } from '../support/console-world';
import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { designPreviews } from '../support/previews';
import { StaffClient } from '../support/staff-client';
import { eventually } from '../support/eventually';
import { storeDeadLetter, storeVoice } from '../support/stored-voices';

const { stack, browser } = ConsoleBrowser.ofFile({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
let window: ConsolePage;
let world: World;

beforeAll(async () => {
  world = await furnish(stack);
  window = await browser.signedIn('account_manager');
});

const palette = () => window.page.getByRole('dialog', { name: 'Find anything' });
const options = () => palette().getByRole('option');
const path = () => new URL(window.page.url()).pathname.replace('/console', '');

/** Opens the palette and types, with the keyboard only. */
async function find(text: string): Promise<void> {
  await window.page.keyboard.press('Control+k');
  await palette().getByRole('combobox').waitFor();
  await window.page.keyboard.insertText(text);
}

async function isAt(expected: string): Promise<void> {
  await eventually(() => expect(path()).toBe(expected));
}

describe('by keyboard', () => {
  beforeEach(async () => {
    await window.open('/');
  });

  it.each<[string, () => string, () => string]>([
    ['an account by its name', () => 'northwind', () => `/accounts/${world.accountId}`],
    ['a key by its id', () => world.keyId, () => `/api-keys/${world.keyId}`],
    ['a key by its last four', () => world.secret.slice(-4), () => `/api-keys/${world.keyId}`],
    ['a key by the address that it is used from', () => OFFICE, () => `/api-keys/${world.keyId}`],
    ['a screen', () => 'audit l', () => '/audit-log'],
    ['an action', () => 'explain a', () => '/explain'],
    ['a screen with a letter wrong', () => 'aproval', () => '/approvals'],
  ])('opens %s', async (_what, typed, expected) => {
    await find(typed());
    const requested = options().first();
    await requested.waitFor();
    await palette()
      .getByText(/^\d+ found$/)
      .waitFor();
    await eventually(() => window.page.keyboard.press('Enter').then(() => expect(path()).toBe(expected())));
    expect(await palette().count()).toBe(0);
  });

  it('has what was typed before its file was there', async () => {
    await window.page.route(/assets\/palette-.*\.js/, async (route) => {
      await setTimeout(700);
      await route.continue();
    });
    await window.open('/');
    await window.page.keyboard.press('Control+k');
    await window.page.keyboard.type('audit l');
    await options().first().waitFor();
    await window.page.keyboard.type('og');
    expect(await palette().getByRole('combobox').inputValue()).toBe('audit log');
    await window.page.unrouteAll();
  });

  it('opens with a keyboard that is not Latin, and keeps open while an input method has Enter', async () => {
    const devtools = await window.context.newCDPSession(window.page);
    const press = (event: { key: string; code: string; windowsVirtualKeyCode: number; modifiers?: number }) =>
      devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...event });
    await press({ key: '\u043b', code: 'KeyK', windowsVirtualKeyCode: 75, modifiers: 2 });
    await palette().getByRole('combobox').waitFor();
    await window.page.keyboard.insertText('northwind');
    await palette()
      .getByText(/^\d+ found$/)
      .waitFor();
    await press({ key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 });
    await window.page.evaluate('new Promise((done) => setTimeout(done, 300))');
    expect(await palette().count()).toBe(1);
    expect(path()).toBe('/');
    await window.page.keyboard.press('Enter');
    await isAt(`/accounts/${world.accountId}`);
  });

  it('moves with the arrow keys, says which one is active, and goes around at the ends', async () => {
    await find('');
    const active = () => palette().locator('[aria-selected=true]').textContent();
    const first = await active();
    await window.page.keyboard.press('ArrowDown');
    expect(await active()).not.toBe(first);
    const id = await palette().getByRole('combobox').getAttribute('aria-activedescendant');
    expect(await palette().locator(`#${id}`).getAttribute('aria-selected')).toBe('true');
    await window.page.keyboard.press('ArrowUp');
    await window.page.keyboard.press('ArrowUp');
    expect(await active()).toContain(await options().last().textContent());
  });

  it('closes with Esc, and the focus returns to where it was', async () => {
    const link = window.page
      .getByRole('navigation', { name: 'Screens' })
      .getByRole('link', { name: 'API keys' });
    await link.focus();
    await find('anything');
    await window.page.keyboard.press('Escape');
    await palette().waitFor({ state: 'detached' });
    await eventually(async () =>
      expect(await link.evaluate('document.activeElement.textContent')).toContain('API keys'),
    );
  });

  it('opens a new key of the account that is on the screen', async () => {
    await window.open(`/accounts/${world.accountId}`);
    await find('new key');
    await window.page.keyboard.press('Enter');
    await isAt(`/accounts/${world.accountId}/new-key`);
  });
});

it('offers what can be done with what was found: with a key, and with an address that it was used from', async () => {
  await window.open('/');
  await find(world.keyId);
  await options().filter({ hasText: 'Rotate the secret' }).click();
  await window.page.getByRole('dialog').getByLabel('The secret has leaked').waitFor();
  await isAt(`/api-keys/${world.keyId}`);
  await window.open('/');
  await find(OFFICE);
  await options()
    .filter({ hasText: `Add ${OFFICE} to the allow-list` })
    .click();
  await isAt(`/api-keys/${world.keyId}/allow-list`);
  await eventually(async () =>
    expect(await window.field('Addresses and CIDR blocks').inputValue()).toContain(OFFICE),
  );
});

it('opens from the button in the header, and says when nothing is found', async () => {
  await window.open('/');
  await window.button('Find anything').click();
  await palette().getByRole('combobox').waitFor();
  await window.page.keyboard.insertText('no such thing at all');
  await palette().getByText('Nothing found by this name, id or address.').waitFor();
});

it('shows the nearest names when nothing is called what was typed, in the palette and beneath a list', async () => {
  await window.open('/');
  await find('nortwind');
  await palette().getByText('Nothing is called “nortwind”. Did you mean:').waitFor();
  await options().first().getByText('Northwind Audio').waitFor();
  await window.page.keyboard.press('Enter');
  await isAt(`/accounts/${world.accountId}`);
  await find('audit l');
  await palette().getByText('Northwind Audio').waitFor();
  await options().first().getByText('Audit log').waitFor();
  await palette().getByRole('combobox').press('Escape');
  await window.open('/accounts?search=nortwind');
  await window.sees('Nothing is called “nortwind”. Did you mean Northwind Audio?');
  await window.page.getByRole('link', { name: 'Northwind Audio' }).click();
  await isAt(`/accounts/${world.accountId}`);
});

it('finds a voice and a preview', async () => {
  const voiceId = await storeVoice(stack, { accountId: world.accountId, name: 'Palette narrator' });
  const [previewId] = await designPreviews(stack, world);
  await window.open('/');
  await find('palette narr');
  await options().filter({ hasText: 'Palette narrator' }).click();
  await isAt(`/voices/${voiceId}`);
  await find(previewId!);
  await options().filter({ hasText: previewId! }).click();
  await isAt(`/accounts/${world.accountId}/voices`);
  await window.page.locator('tr[aria-current=true]').waitFor();
  await window.page
    .getByRole('navigation', { name: 'Screens' })
    .getByRole('link', { name: 'API keys' })
    .click();
  await window.page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
});

describe('a pasted secret', () => {
  it('leaves the browser as its last four only, and finds its key', async () => {
    await window.open('/');
    const sent: string[] = [];
    window.page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    await find(world.secret);
    await palette().getByText('Only the last four characters of the secret leave this browser.').waitFor();
    await options()
      .filter({ hasText: world.secret.slice(-4) })
      .first()
      .click();
    await isAt(`/api-keys/${world.keyId}`);
    expect(sent.join('\n')).toContain(`q=${world.secret.slice(-4)}`);
    expect(sent.join('\n')).not.toContain(world.secret);
  });

  it('whose end no key has is said to be unknown', async () => {
    await window.open('/');
    await find(`grk_${'0'.repeat(34)}zZzZ`);
    await palette().getByText('No secret ends like this one.').waitFor();
    await window.page.keyboard.press('Escape');
  });

  it('is cut to its last four in a filter, and in a link that somebody has sent', async () => {
    const sent: string[] = [];
    window.page.on('request', (request) => sent.push(request.url()));
    await window.open('/accounts');
    await window.page.locator('input[data-search]').first().fill(world.secret);
    await eventually(() => expect(window.page.url()).toContain('search='));
    expect([window.page.url(), ...sent].join('\n')).not.toContain(world.secret);
    await window.open(`/accounts?search=${world.secret}`);
    await eventually(() => expect(window.page.url()).not.toContain(world.secret));
    const requested = sent.filter((url) => url.includes('/admin/'));
    expect(requested.join('\n')).not.toContain(world.secret);
  });
});

it('offers what was opened lately before anything is typed, to the same person only', async () => {
  const me = await browser.signedIn('account_manager');
  const offered = () => me.page.getByRole('dialog', { name: 'Find anything' }).getByRole('option');
  await me.open(`/api-keys/${world.keyId}`);
  await me.sees('What ends it first');
  await me.open(`/accounts/${world.accountId}`);
  await me.sees('Credits left');
  await me.open('/');
  await me.page.keyboard.press('Control+k');
  await offered().nth(1).waitFor();
  expect((await offered().allTextContents()).slice(0, 2)).toEqual([
    'Northwind AudioAccount',
    'Production, text to voiceAPI key',
  ]);
  await me.page.keyboard.press('ArrowDown');
  await me.page.keyboard.press('Enter');
  await me.page.waitForURL(`**/api-keys/${world.keyId}`);
  // Another person at the same browser.
  await me.takeSession(await StaffClient.signedIn(stack, 'account_manager'), stack.baseUrl);
  await me.open('/');
  await me.page.keyboard.press('Control+k');
  await offered().first().waitFor();
  expect(await me.page.getByText('Opened lately').count()).toBe(0);
  await me.close();
});

it('a wrong address keeps the menu', async () => {
  await window.open('/accounts/1/2/3/4');
  await window.sees('This screen does not exist');
  await window.page
    .getByRole('navigation', { name: 'Screens' })
    .getByRole('link', { name: 'Accounts' })
    .click();
  await isAt('/accounts');
});

describe('explain', () => {
  it('reads a pasted curl command, finds its key and explains it; the link shows it again', async () => {
    await window.open('/explain');
    const secretless = () => expect(decodeURIComponent(window.page.url())).not.toContain(world.secret);
    await window
      .field('Paste the request')
      .fill(
        `curl -X POST 'https://api.example.com/v1/text-to-voice/design?key=${world.secret}' \\\n  -H 'xi-api-key: ${world.secret}' -d '{}'`,
      );
    await window.button('Read it').click();
    await window.field('Address of the client').fill(OFFICE);
    secretless();
    expect(await window.field('Method').inputValue()).toBe('POST');
    expect(await window.field('Path').inputValue()).toContain('/v1/text-to-voice/design?key=');
    expect(await window.field('Paste the request').inputValue()).not.toContain(world.secret);
    await window.button('Explain').click();
    await window.sees('Let in.');
    secretless();
    const link = window.page.url();
    await window.open('/');
    await window.page.goto(link);
    await window.sees('Let in.');
    expect(await window.field('Address of the client').inputValue()).toBe(OFFICE);
  });

  it('says what a request that was let in has cost and made, by its id', async () => {
    const { accountId, secret } = await stack.issueKey({ name: 'Let in' });
    const [previewId] = await designPreviews(stack, { accountId, secret, keyId: '' });
    const [line] = await stack.dataSource.query<{ request_id: string; amount: string }[]>(
      `SELECT request_id, amount FROM credit_ledger WHERE account_id = $1 AND kind = 'charge'`,
      [accountId],
    );
    await flushTraffic(stack);
    await window.open('/explain');
    await window.field('Paste the request').fill(line!.request_id);
    await window.button('Read it').click();
    await window.sees(`${line!.amount} credits charged for text to voice design`);
    await window.sees(
      /^POST \/v1\/text-to-voice\/design was let in, response 200 after [\d.]+ m?s, from 127\.0\.0\.1$/,
    );
    expect(await window.field('Credits it costs').inputValue()).toBe(line!.amount);
    expect(await window.field('Path').inputValue()).toBe('/v1/text-to-voice/design');
    expect(await window.field('Address of the client').inputValue()).toBe('127.0.0.1');
    await window.page.getByRole('link', { name: `Designed the preview ${previewId}` }).click();
    await isAt(`/accounts/${accountId}/voices`);
    await window.page.getByRole('row').filter({ hasText: previewId! }).waitFor();
  });

  it('explains a refused request by its id, from the palette', async () => {
    const list = { entries: [{ address: OFFICE }], confirm: true, reason: 'A test' };
    const any = { 'if-match': '*' };
    await world.manager.send('PUT', `/admin/api-keys/${world.keyId}/allowed-ips`, list, any);
    expect(await callFrom(stack, world, AGENCY)).toBe(403);
    await flushTraffic(stack);
    const [refusal] = await stack.dataSource.query<{ request_id: string }[]>(
      'SELECT request_id FROM key_refusal WHERE address = $1',
      [AGENCY],
    );
    await window.open('/');
    await find(refusal!.request_id);
    await options().filter({ hasText: 'refused with 403' }).click();
    await window.sees('Refused with 403 ip_not_allowed.');
    expect(await window.field('Address of the client').inputValue()).toBe(AGENCY);
    expect(await window.field('Path').inputValue()).toBe('/v1/models');
  });

  it('takes no key whose name only resembles what was pasted, and offers it', async () => {
    await window.open('/explain?find=prodction');
    await window.sees('Nothing is called that. Did you mean:');
    await window.page.getByRole('link', { name: 'Production, text to voice' }).click();
    await window.sees('Address of the client');
    expect(window.page.url()).toContain(`key=${world.keyId}`);
  });

  it('is offered by the palette for a pasted URL', async () => {
    await window.open('/');
    await find('https://api.example.com/v1/voices/search');
    await options().filter({ hasText: 'Explain this request' }).click();
    await isAt('/explain');
    expect(new URL(window.page.url()).searchParams.get('path')).toBe('/v1/voices/search');
  });
});

it.each([
  ['support', 'Operations', '1 dead letter'],
  ['account_manager', 'Voices', '1 voice without a verdict'],
] as const)('%s sees once, in the menu, that a voice needs a person', async (role, entry, count) => {
  await stack.dataSource.query(`UPDATE voice SET review_state = 'completed' WHERE review_state = 'stalled'`);
  await storeDeadLetter(stack, 'no space left on device', { accountId: world.accountId });
  const other = await browser.signedIn(role);
  await other.open('/');
  const menu = other.page.getByRole('navigation', { name: 'Screens' });
  await menu.getByRole('link', { name: entry }).getByTitle(count).waitFor();
  expect(await menu.getByTitle(/\d/).count()).toBe(1);
  await other.close();
});

it('breadcrumbs name the account and the key', async () => {
  await window.open(`/api-keys/${world.keyId}/allow-list`);
  const crumbs = window.page.getByRole('navigation', { name: 'Breadcrumbs' });
  await crumbs.getByText('Production, text to voice').waitFor();
  expect(await crumbs.getByRole('link').allTextContents()).toEqual([
    'Accounts',
    'Northwind Audio',
    'Production, text to voice',
  ]);
  await crumbs.getByRole('link', { name: 'Northwind Audio' }).click();
  await isAt(`/accounts/${world.accountId}`);
});

describe('the zone', () => {
  it('is named in the menu, and days of filters begin in it', async () => {
    await window.open('/voices');
    await window.sees(/^Times: Europe\/Berlin, UTC\+0[12]:00$/);
    const requested = window.page.waitForRequest(/created_since/);
    await window.choose('Add filter', 'Created since');
    await window.page.getByRole('dialog').getByLabel('Created since').fill('2026-07-01');
    await window.button('Apply').click();
    expect(new URL((await requested).url()).searchParams.get('created_since')).toBe(
      '2026-06-30T22:00:00.000Z',
    );
    expect(new URL(window.page.url()).searchParams.get('created_since')).toBe('2026-07-01');
  });
});

it('a table takes the width of a wide screen', async () => {
  const wide = await browser.signedIn('account_manager', { width: 2560 });
  await wide.open('/api-keys');
  const box = await wide.page.locator('.gr-table').first().boundingBox();
  expect(box!.width).toBeGreaterThan(2_000);
  await wide.close();
});
