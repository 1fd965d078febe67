import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { ReviewItemRepository } from '../../libs/database/reviews/review-item.repository';
import { RecordingSpeakerRepository } from '../../libs/database/reviews/recording-speaker.repository';
import { toUnitVector } from '../../libs/domain/voices/speaker-vector';
import { STAFF_ROLES, type StaffRole } from '../../libs/domain/staff/staff-permissions';
import { AGENCY, callFrom, flushTraffic, furnish, OFFICE, type World } from '../support/console-world';
import { ALL_BUT_COLOURS, findings, ONLY_COLOURS, tooWide } from '../support/page-findings';
import { Stack } from '../support/stack';
import { ANY_VERSION, StaffClient } from '../support/staff-client';
import { WebhookReceiver } from '../support/webhook-receiver';
import {
  speechFile,
  storeDeadLetter,
  storeGradedVoice,
  storeVoice,
  waitForReview,
} from '../support/stored-voices';

const ROOT = join(__dirname, '../..');
const STORED_FOLDER = join(ROOT, 'docs/screenshots');
const STORED = [
  ...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/docs\/screenshots\/([\w-]+\.webp)/g),
].map(([, file]) => file!);
/** From a phone to a wide desk. axe looks at the first, where rows are cards, and at the usual one. */
const NARROW = 320;
const WIDTHS = [NARROW, 390, 820, 1280, 1440, 1920, 2560];
const USUAL = { width: 1280, height: 860 };

let stack: Stack;
let browser: ConsoleBrowser;
let world: World;
let voiceId: string;
let webhookId: string;
let receiver: WebhookReceiver;

beforeAll(async () => {
  stack = await Stack.start({
    env: {
      TRUSTED_PROXIES: '127.0.0.1',
      WEBHOOK_PRIVATE_NETWORKS: 'allow',
      APPROVAL_OF_CREDITS_ABOVE: '100000',
    },
  });
  receiver = await WebhookReceiver.start();
  browser = await ConsoleBrowser.open(stack);
  world = await furnish(stack);
  const list = {
    entries: [{ address: `${OFFICE}/32`, note: 'the office' }],
    reason: 'Ticket 4711',
    confirm: true,
  };
  const path = `/admin/api-keys/${world.keyId}`;
  const any = { 'if-match': '*' };
  await world.manager.send('PUT', `${path}/allowed-ips`, { ...list, undo_after_minutes: 60 }, any);
  await world.manager.post(`${path}/rotate`, { overlap_days: 7, reason: 'Yearly rotation' }, any);
  await callFrom(stack, world, AGENCY, 2);
  await flushTraffic(stack);
  await stack.issueKey({ accountId: world.accountId, name: '<img src=x onerror=alert(1)>' });
  await stack.issueKey({
    accountId: world.accountId,
    name: `\u202Egnp.exe e${'\u0301'.repeat(150)} and more`,
  });
  await useCredits();
  const grant = { kind: 'grant', amount: 250_000, reason: 'Ticket 4711' };
  await world.manager.post(`/admin/accounts/${world.accountId}/credits`, grant, any);
  await tellOthers();
  await fillQueues();
});

/** Three weeks of a key's life. */
async function useCredits(): Promise<void> {
  const { keyId, accountId } = world;
  for (let day = 0; day < 21; day++) {
    const cost = 200 + ((day * 311) % 700);
    const charge = {
      keyId,
      accountId,
      cost,
      operation: 'text_to_voice_design',
      requestId: `${keyId} ${day}`,
    };
    await stack.api.get(CreditLedger).charge(charge);
    await stack.asOwner(
      `UPDATE ledger_line SET created_at = created_at - make_interval(days => $2) WHERE request = ledger_request($1, ledger_request_form($1))`,
      [charge.requestId, day],
    );
  }
}

/** Voices of every kind: good, bad, and without a verdict. */
async function fillQueues(): Promise<void> {
  const { accountId } = world;
  const good = await storeVoice(stack, { accountId, name: 'Lighthouse keeper' });
  const loud = speechFile(20);
  voiceId = await storeVoice(stack, { accountId, name: 'Harbour narrator', bytes: loud });
  await storeDeadLetter(stack, 'connect ECONNREFUSED 192.0.2.1:9000', {
    accountId,
    name: 'Night watch',
  });
  await storeDeadLetter(stack, 'no space left on device', { accountId, name: 'Market crier' });
  await Promise.all([good, voiceId].map((id) => waitForReview(stack, id, 'completed')));
  await liveThrough(voiceId, loud);
  await stack.api
    .get(ReviewItemRepository)
    .open(voiceId, ['complaint'], stack.dataSource.manager, 'Ticket 4711');
}

/** A voice that was held, commented on and reviewed again, with a copy that sounds like it. */
async function liveThrough(id: string, bytes: Uint8Array): Promise<void> {
  await storeGradedVoice(stack, {
    accountId: world.accountId,
    name: 'Harbour narrator, again',
    bytes,
  });
  const [recording] = await stack.dataSource.query<{ digest: string }[]>(
    'SELECT audio_digest AS digest FROM voice_sample WHERE voice_id = $1',
    [id],
  );
  const vector = toUnitVector(Array.from({ length: 32 }, (_, n) => n + 1));
  await stack.api
    .get(RecordingSpeakerRepository)
    .store(recording!.digest, 'speakers.onnx 0123456789ab', vector);
  const support = await StaffClient.signedIn(stack, 'support');
  const path = `/admin/voices/${id}`;
  const reason = 'Ticket 4711';
  for (const state of ['held', 'released'])
    expect(await support.send('PUT', `${path}/safety`, { state, reason }, ANY_VERSION)).toMatchObject({
      status: 200,
    });
  expect((await support.post(`${path}/comments`, { text: 'Compare with the film' })).status).toBe(201);
  expect((await support.post(`${path}/re-review`, { reason }, { 'if-match': '*' })).status).toBe(202);
  await waitForReview(stack, id, 'completed');
}

/** A webhook and a service with a credential. */
async function tellOthers(): Promise<void> {
  const url = receiver.url('/greenroom');
  const webhook = { name: 'Production', url, events: ['voice.reviewed'], reason: 'Ticket 4711' };
  const created = await world.manager.post(`/admin/accounts/${world.accountId}/webhooks`, webhook);
  if (created.status !== 201) throw new Error(created.text);
  webhookId = String(created.body.id);
  const admin = await StaffClient.signedIn(stack, 'admin');
  await admin.post('/admin/service-credentials', { name: 'dubbing', reason: 'Ticket 4711' });
  await admin.post('/admin/management-credentials', {
    name: 'sign-up page',
    purpose: 'Opens accounts with their first key',
    permissions: ['accounts.write', 'keys.write'],
    accounts: 'created',
    allowed_ips: ['203.0.113.7'],
    expires_at: new Date(Date.now() + 30 * 86_400_000).toISOString(),
    reason: 'Ticket 4711',
  });
  const policy = { max_lifetime_days: 3_650, idle_warn_days: 90, reason: 'Ticket 4711' };
  await admin.send('PUT', '/admin/key-policies/starter', policy, ANY_VERSION);
  await admin.send('PUT', `/admin/accounts/${world.accountId}/key-policy`, policy, ANY_VERSION);
}

afterAll(async () => {
  await browser.close();
  await stack.stop();
  await receiver.stop();
});

interface Screen {
  name: string;
  path: () => string;
  /** Who looks; an administrator unless it is said. */
  as?: StaffRole;
  prepare?: (window: ConsolePage) => Promise<void>;
}

const SCREENS: Screen[] = [
  ...STAFF_ROLES.map((role): Screen => ({ name: `home-${role}`, path: () => '/', as: role })),
  { name: 'security', path: () => '/security' },
  { name: 'accounts', path: () => '/accounts' },
  { name: 'account', path: () => `/accounts/${world.accountId}` },
  { name: 'account-keys', path: () => `/accounts/${world.accountId}/api-keys` },
  { name: 'account-credits', path: () => `/accounts/${world.accountId}/credits` },
  {
    name: 'account-grant',
    path: () => `/accounts/${world.accountId}/credits`,
    prepare: async (window) => {
      await window.button('Grant credits…').click();
      await window.page
        .getByRole('dialog')
        .getByLabel(/^Credits/)
        .fill('5,000');
      await window.sees('What will be left');
    },
  },
  { name: 'account-voices', path: () => `/accounts/${world.accountId}/voices` },
  { name: 'account-allow-lists', path: () => `/accounts/${world.accountId}/allow-lists` },
  {
    name: 'account-key-safety',
    path: () => `/accounts/${world.accountId}/key-safety`,
    prepare: (window) => window.sees('Open findings'),
  },
  { name: 'account-activity', path: () => `/accounts/${world.accountId}/activity` },
  { name: 'account-settings', path: () => `/accounts/${world.accountId}/settings` },
  {
    name: 'account-suspend',
    path: () => `/accounts/${world.accountId}`,
    prepare: async (window) => {
      await window.choose('Actions', 'Suspend…');
      await window.page.getByRole('dialog').waitFor();
    },
  },
  { name: 'account-report', path: () => `/accounts/${world.accountId}/report` },
  { name: 'new-key', path: () => `/accounts/${world.accountId}/new-key` },
  { name: 'api-keys', path: () => '/api-keys' },
  {
    name: 'api-keys-add-filter',
    path: () => '/api-keys',
    prepare: async (window) => {
      await window.button('Add filter').click();
      await window.page.getByRole('menuitem', { name: 'Status' }).waitFor();
    },
  },
  {
    name: 'api-keys-selected',
    path: () => '/api-keys?status=enabled&unused_since=%2B1d',
    prepare: async (window) => {
      await window.page.getByLabel('Select this page').check();
      await window.button('Status: enabled').click();
      await window.page.getByRole('dialog').getByLabel('Status').waitFor();
    },
  },
  {
    name: 'key-safety',
    path: () => '/key-safety',
    prepare: async (window) => {
      await window.page.getByRole('table', { name: 'Findings' }).waitFor();
    },
  },
  { name: 'key-policies', path: () => '/key-safety/policies' },
  { name: 'approvals', path: () => '/approvals' },
  { name: 'account-allow-list', path: () => `/accounts/${world.accountId}/allow-list` },
  { name: 'api-key', path: () => `/api-keys/${world.keyId}` },
  {
    name: 'allow-list',
    path: () => `/api-keys/${world.keyId}/allow-list`,
    prepare: async (window) => {
      await window
        .field('Addresses and CIDR blocks')
        .fill('203.0.113.5/24 # the office\n010.0.0.1\n::ffff:192.0.2.1');
      await window.sees('2 mistakes to fix before it can be saved.');
    },
  },
  {
    name: 'allow-list-dry-run',
    path: () => `/api-keys/${world.keyId}/allow-list`,
    prepare: async (window) => {
      await window
        .field('Addresses and CIDR blocks')
        .fill(`${OFFICE} # the office\n192.0.2.0/24 # the new agency`);
      await window.field('Is this address allowed?').fill(AGENCY);
      await window.sees(`No: ${AGENCY} is on none of the entries.`);
      await window.sees(/would have been refused\./);
    },
  },
  {
    name: 'explain',
    path: () => `/api-keys/${world.keyId}/explain`,
    prepare: async (window) => {
      await window.field('Address of the client').fill(AGENCY);
      await window.button('Explain').click();
      await window.sees('this one decides');
    },
  },
  {
    name: 'explain-paste',
    path: () => '/explain',
    prepare: async (window) => {
      await window.field('Paste the request').fill('text to voice');
      await window.button('Read it').click();
      await window.sees('Address of the client');
    },
  },
  {
    name: 'palette',
    path: () => '/',
    prepare: async (window) => {
      await window.button('Find anything').click();
      await window.page.getByRole('combobox').fill('no');
      await window.page
        .getByRole('option', { name: /Northwind Audio/ })
        .first()
        .waitFor();
    },
  },
  { name: 'voices', path: () => '/voices', as: 'support' },
  {
    name: 'voice',
    path: () => `/voices/${voiceId}`,
    as: 'support',
    prepare: async (window) => {
      await window.field('Why are you listening?').fill('Ticket 4711');
      await window.button('Listen').click();
      await window.button('Spectrogram').click();
      await window.page.locator('canvas').first().waitFor();
      // The journey goes back, too: a hold that ended, and a second review.
      await window.page.getByText('How the review went').click();
      await window.page.getByText('Other recordings: compare').click();
      await window.page
        .getByRole('list', { name: 'States of the voice' })
        .getByText('2 times')
        .first()
        .waitFor();
      await window.page.getByRole('list', { name: 'Voices that sound like this one' }).waitFor();
    },
  },
  {
    name: 'review-desk',
    path: () => '/review-desk',
    as: 'support',
    prepare: async (window) => {
      // Each window is another person's, and one of them has it still.
      await stack.dataSource.query('UPDATE review_item SET taken_until = now()');
      await window.page.keyboard.press('n');
      await window.page.getByRole('button', { name: 'Play', exact: true }).click();
      await window.page.getByRole('img', { name: /^Waveform/ }).waitFor();
    },
  },
  {
    name: 'rulesets',
    path: () => '/rulesets?to=greenroom-2026-11-strict-4',
    as: 'support',
    prepare: (window) => window.sees(/of 2 would change/),
  },
  {
    name: 'screening',
    path: () => '/screening',
    as: 'support',
    prepare: async (window) => {
      await window.button('Add an entry…').click();
      await window.field('Text').fill('scoundrel');
      await window.button('Try it on the stored voices').click();
      await window.sees(/It would have matched 0 of/);
    },
  },
  { name: 'queues', path: () => '/queues', as: 'ops' },
  { name: 'timers', path: () => '/timers', as: 'ops' },
  { name: 'dead-letters', path: () => '/dead-letters' },
  { name: 'webhooks', path: () => `/accounts/${world.accountId}/webhooks` },
  { name: 'webhook', path: () => `/accounts/${world.accountId}/webhooks/${webhookId}` },
  { name: 'account-alerts', path: () => `/accounts/${world.accountId}/alerts` },
  { name: 'alerts', path: () => '/alerts' },
  {
    name: 'contact-new',
    path: () => `/accounts/${world.accountId}/settings`,
    prepare: async (window) => {
      await window.button('New contact…').click();
      await window.page.getByRole('dialog').waitFor();
    },
  },
  { name: 'service-credentials', path: () => '/service-credentials' },
  { name: 'management-credentials', path: () => '/management-credentials' },
  ...['Edit', 'Rotate'].map((action) => ({
    name: `management-credential-${action.toLowerCase()}`,
    path: () => '/management-credentials',
    prepare: async (window: ConsolePage) => {
      await window.button(`${action} sign-up page`).click();
      await window.page.getByRole('dialog').waitFor();
    },
  })),
  { name: 'audit-log', path: () => '/audit-log' },
  {
    name: 'audit-log-details',
    path: () => '/audit-log',
    prepare: async (window) => {
      await window.button('Details').first().click();
      await window.page.getByRole('complementary', { name: 'Audit log: details' }).waitFor();
    },
  },
  { name: 'staff', path: () => '/staff' },
  { name: 'not-found', path: () => '/nothing-here' },
];

/** Opens what a screen can open over itself, once each: menus, and the dialogs whose buttons end in "…". */
class Popups {
  private readonly seen = new Set<string>();

  async findingsOf(window: ConsolePage): Promise<string[]> {
    const { page } = window;
    const found: string[] = [];
    const check = async (opener: string, key = opener) => {
      const here = await findings(page);
      found.push(...here.map((finding) => `${opener}: ${finding}`));
      this.seen.add(key);
    };
    for (const button of await page.locator('button[aria-haspopup=menu]:enabled').all()) {
      const menu = page.getByRole('menu');
      const open = async () => {
        await button.click();
        await menu.waitFor();
      };
      const name = (await button.textContent()) ?? '';
      await open();
      const items = await menu.getByRole('menuitem').allTextContents();
      const all = [name, ...items].join();
      if (!this.seen.has(all)) await check(name, all);
      for (const item of items.filter((each) => each.endsWith('…'))) {
        const key = `${page.url()} ${item}`;
        if (this.seen.has(key)) continue;
        if ((await menu.count()) === 0) await open();
        const entry = menu.getByRole('menuitem', { name: item, exact: true });
        if (await entry.isDisabled()) continue;
        await entry.click();
        await this.checkDialog(window, () => check(item, key));
      }
      await page.keyboard.press('Escape');
      await menu.waitFor({ state: 'detached' });
    }
    for (const button of await page.locator('button:enabled', { hasText: /…$/ }).all()) {
      const name = (await button.textContent()) ?? '';
      if (this.seen.has(name)) continue;
      await button.click();
      await this.checkDialog(window, () => check(name));
    }
    return found;
  }

  private async checkDialog({ page }: ConsolePage, check: () => Promise<void>): Promise<void> {
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await dialog.locator('[aria-label="Loading"]').first().waitFor({ state: 'detached' });
    await check();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
}

/** The page in the other theme, for as long as it is looked at: the themes differ in their colours alone. */
async function inTheDark({ page }: ConsolePage, check: () => Promise<void>): Promise<void> {
  const theme = (name: 'light' | 'dark') =>
    Promise.all([
      page.emulateMedia({ colorScheme: name }),
      page.locator(`html[data-mantine-color-scheme=${name}]`).waitFor(),
    ]);
  await theme('dark');
  await check();
  await theme('light');
}

it('docs/screenshots has the pictures that a document shows, and no others', async () => {
  expect((await readdir(STORED_FOLDER)).sort()).toEqual(STORED.toSorted());
});

describe('every screen', () => {
  const windows = new Map<StaffRole, ConsolePage>();
  const popups = new Popups();
  let visitor: ConsolePage;

  beforeAll(async () => {
    for (const role of STAFF_ROLES) windows.set(role, await browser.signedIn(role));
    visitor = await browser.visitor();
  });

  afterAll(async () => {
    for (const window of windows.values()) await window.close();
    await visitor.close();
  });

  const check = async (window: ConsolePage) => {
    expect(await findings(window.page)).toEqual([]);
    await inTheDark(window, async () => expect(await findings(window.page, ONLY_COLOURS)).toEqual([]));
    expect(await tooWide(window.page, WIDTHS)).toEqual([]);
    await window.page.setViewportSize({ ...USUAL, width: NARROW });
    expect(await findings(window.page, ALL_BUT_COLOURS)).toEqual([]);
    await window.page.setViewportSize(USUAL);
  };

  it.each(SCREENS)(
    '$name: nothing that axe finds in either theme, and nothing wider than the window',
    async ({ path, as = 'admin', prepare }) => {
      const window = windows.get(as)!;
      await window.open(path());
      await prepare?.(window);
      await window.settled();
      await check(window);
      expect(prepare ? [] : await popups.findingsOf(window)).toEqual([]);
      expect(browser.complaints).toEqual([]);
    },
  );

  it('sign-in: nothing that axe finds in either theme, and nothing wider than the window', async () => {
    await visitor.open('/accounts');
    await visitor.sees('E-mail address');
    await check(visitor);
  });
});
