import { readFile } from 'node:fs/promises';
import { TIMER_NAMES } from '../../libs/domain/common/timers';
import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { StaffClient } from '../support/staff-client';
import { RecordingSpeakerRepository } from '../../libs/database/reviews/recording-speaker.repository';
import { toUnitVector } from '../../libs/domain/voices/speaker-vector';
import { speechFile, storeDeadLetter } from '../support/stored-voices';

/** What every name ends with, to find it by. */
const MARK = 'hostile';
const FORMULA = `=cmd|' /C calc'!A0 \u202E\u2067gnp.exe <img src=x onerror="globalThis.hasRun=1"> ${MARK}`;
const NAMES = {
  'a formula, markup and writing turned around': FORMULA,
  '10,000 marks on a letter, then 449 characters, Arabic and Chinese':
    `e${'\u0301'.repeat(10_000)} ` + `${MARK} شركة الصوت الشمالية 北方聲音股份有限公司 `.padEnd(449, 'W聲ص'),
};

const RECORDING = speechFile();

const { stack, browser } = ConsoleBrowser.ofFile({ worker: false });
let window: ConsolePage;

beforeAll(async () => {
  window = await browser.signedIn('admin');
});

interface Named {
  accountId: string;
  keyId: string;
  voiceId: string;
  itemId: string;
}

/** An account, a key and a voice of this name, however long it is: older ones may have had no limit. */
async function nameAll(name: string): Promise<Named> {
  const { accountId, keyId } = await stack.issueKey({ creditLimit: 10 });
  // Each voice has the recording, and so the speaker, of the others.
  const voiceId = await storeDeadLetter(stack, name, { accountId, name, bytes: RECORDING });
  await stack.dataSource.query('UPDATE account SET name = $1 WHERE id = $2', [name, accountId]);
  const manager = await StaffClient.signedIn(stack, 'account_manager');
  const change = { name: 'Tame', reason: 'A test' };
  await manager.patch(`/admin/api-keys/${keyId}`, change, { 'if-match': '*' });
  await stack.dataSource.query('UPDATE api_key SET name = $1 WHERE id = $2', [name, keyId]);
  // Home names the keys that are near their limit.
  await stack.dataSource.query('UPDATE credit_balance SET used = 9 WHERE subject_id = $1', [keyId]);
  await stack.dataSource.query(
    `WITH c AS (
       INSERT INTO contact (id, account_id, name, channel, email, categories)
       VALUES (gen_random_uuid(), $1, $3, 'chat', 'a@example.com', '{credits}') RETURNING id
     ), r AS (
       INSERT INTO alert_rule (id, scope, account_id, key_id, kind, channels)
       VALUES (gen_random_uuid(), 'key', $1, $2, 'key_leaked', '{chat}') RETURNING id
     ), a AS (
       INSERT INTO alert (rule_id, kind, account_id, key_id, subject, period, data)
       SELECT id, 'key_leaked', $1, $2, $2::uuid::text, 'x', '{}' FROM r RETURNING id
     ), m AS (
       INSERT INTO alert_message (account_id, channel, recipient_id, recipient, kinds, alerts, state)
       SELECT $1, 'chat', id, $3, '{key_leaked}', 1, 'delivered' FROM c RETURNING id
     )
     INSERT INTO alert_message_alert (message_id, alert_id) SELECT m.id, a.id FROM m, a`,
    [accountId, keyId, name],
  );
  return { accountId, keyId, voiceId, itemId: await writeElsewhere({ accountId, keyId, voiceId }, name) };
}

/** The same text as a reason and an appeal, and as much of it as fits as a note and an external id; the id of the item at the review desk. */
async function writeElsewhere(
  { accountId, keyId, voiceId }: Omit<Named, 'itemId'>,
  text: string,
): Promise<string> {
  const timer = TIMER_NAMES[named.size];
  const [item] = await stack.asOwner<{ id: string }>(
    `WITH e AS (
       UPDATE account SET allowed_ips = '{192.0.2.0/24}', external_id = left($3, 100) WHERE id = $1
     ), n AS (
       INSERT INTO allow_list_entry (key_id, cidr, note, added_by, added_at)
       SELECT id, '192.0.2.0/24', left($3, 100), 'a@example.com', now() FROM unnest(ARRAY[$1::uuid, $2::uuid]) AS o (id)
     ), l AS (
       UPDATE api_key SET allowed_ips = '{192.0.2.0/24}', external_id = left($3, 100) WHERE id = $2
     ), w AS (
       INSERT INTO approval (id, kind, target_type, target_id, account_id, args, action, before, after, reason,
         requested_by, requested_by_name, requested_at, expires_at)
       SELECT gen_random_uuid(), 'account_settings', 'account', $1, $1, '{}', 'account.edited',
         jsonb_build_object('name', 'Tame'), jsonb_build_object('name', $3), $3, 'x', 'a@example.com', now(), now() + '1 day'
     ), s AS (
       INSERT INTO screening_entry (id, list, text, account_id, added_by)
       VALUES (gen_random_uuid(), 'protected_names', $3, $1, 'a@example.com')
     ), t AS (
       INSERT INTO timer_order (name, paused_until, paused_by, pause_reason)
       VALUES ($5, now() + '1 day', 'a@example.com', $3)
     ), g AS (
       INSERT INTO no_go_recording (voice_id, audio_digest, keys, voice_name, account_id, reason, set_by)
       VALUES ($4, 'x', '{}', $3, $1, $3, 'a@example.com')
     ), m AS (
       INSERT INTO no_go_match (no_go_voice_id, voice_id, bit_error_rate) VALUES ($4, $4, 0)
     ), o AS (
       INSERT INTO voice_comment (id, voice_id, text, written_by)
       SELECT gen_random_uuid(), $4, left($3, 2000), gen_random_uuid()
     ), i AS (
       INSERT INTO review_item (id, voice_id, reasons, note, priority, due_at)
       VALUES (gen_random_uuid(), $4, '{appeal}', $3, 1, now()) RETURNING id
     ), a AS (
       INSERT INTO review_appeal (id, voice_id, item_id, generation, grade, text, made_by)
       SELECT gen_random_uuid(), $4, id, 1, 'bad', $3, 'a key' FROM i
     )
     SELECT id FROM i`,
    [accountId, keyId, text, voiceId, timer],
  );
  return item!.id;
}

/**
 * Texts of the page that reach out of their place: marks piled on a letter, or a change of direction that nothing closes.
 * What stands in a `bdi`, in a field, or between isolates (U+2068, U+2069) turns around nothing else.
 */
const reachingOut = () =>
  window.page.evaluate<string[]>(`(() => {
    const texts = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (parent.closest('script, style, textarea')) continue;
      texts.push(parent.closest('bdi') ? node.data.replace(/[\\u202a-\\u202e\\u2066-\\u2069]/g, '') : node.data);
    }
    return texts
      .filter((text) => /\\p{M}{5}/u.test(text) ||
        /[\\u202a-\\u202e\\u2066\\u2067]/.test(text.replace(/\\u2068[^\\u2069]*\\u2069/g, '')))
      .map((text) => text.slice(0, 80));
  })()`);

const named = new Map<string, Named>();

beforeAll(async () => {
  for (const [kind, name] of Object.entries(NAMES)) named.set(kind, await nameAll(name));
  const [recording] = await stack.dataSource.query<{ digest: string }[]>(
    'SELECT DISTINCT audio_digest AS digest FROM voice_sample',
  );
  const vector = toUnitVector(Array.from({ length: 32 }, (_, n) => n + 1));
  await stack.api.get(RecordingSpeakerRepository).store(recording!.digest, `${FORMULA}.onnx`, vector);
});

async function expectTextInItsPlace(): Promise<void> {
  expect(await reachingOut()).toEqual([]);
  expect(await window.page.evaluate('globalThis.hasRun')).toBeUndefined();
  expect(
    await window.page.locator('main img, main script, [role=dialog] img, [role=dialog] script').count(),
  ).toBe(0);
  const tooWide = 'document.documentElement.scrollWidth - innerWidth';
  expect(await window.page.evaluate<number>(tooWide)).toBeLessThanOrEqual(0);
}

async function openWithAllThatItHides(path: string): Promise<void> {
  await window.open(path);
  for (const more of await window.button(/^Show/).all()) await more.click();
}

const OWN_SCREENS: [screen: string, path: (its: Named) => string][] = [
  ['account', ({ accountId }) => `/accounts/${accountId}`],
  ['account: keys', ({ accountId }) => `/accounts/${accountId}/api-keys`],
  ['account: credits', ({ accountId }) => `/accounts/${accountId}/credits`],
  ['account: voices', ({ accountId }) => `/accounts/${accountId}/voices`],
  ['account: allow-lists', ({ accountId }) => `/accounts/${accountId}/allow-lists`],
  ['account: activity', ({ accountId }) => `/accounts/${accountId}/activity`],
  ['account: alerts', ({ accountId }) => `/accounts/${accountId}/alerts`],
  ['account: settings', ({ accountId }) => `/accounts/${accountId}/settings`],
  ['key', ({ keyId }) => `/api-keys/${keyId}`],
  ['allow-list of the account', ({ accountId }) => `/accounts/${accountId}/allow-list`],
  ['allow-list', ({ keyId }) => `/api-keys/${keyId}/allow-list`],
  ['new key', ({ accountId }) => `/accounts/${accountId}/new-key`],
  ['webhooks', ({ accountId }) => `/accounts/${accountId}/webhooks`],
  ['voice', ({ voiceId }) => `/voices/${voiceId}`],
  ['review desk', ({ itemId }) => `/review-desk?item=${itemId}`],
  ['audit log', ({ keyId }) => `/audit-log?target=${keyId}`],
];

describe.each(Object.keys(NAMES))('%s as the name of an account, a key and a voice', (kind) => {
  it.each(OWN_SCREENS)('%s: is text in its place', async (_screen, path) => {
    await openWithAllThatItHides(path(named.get(kind)!));
    await expectTextInItsPlace();
    const height = await window.page.evaluate<number>('document.documentElement.scrollHeight');
    expect(height).toBeLessThan(5_000);
  });
});

it('a voice names those that have its recording and its speaker', async () => {
  const [one, other] = [...named.values()];
  await window.open(`/voices/${one!.voiceId}`);
  await window.page.getByText('Other recordings: compare').click();
  for (const name of ['Voices with the same recording', 'Voices that sound like this one'])
    await window.page.getByRole('list', { name }).locator(`a[href$="${other!.voiceId}"]`).waitFor();
});

describe('a screen on which all of these names stand', () => {
  it.each([
    '/',
    `/accounts?search=${MARK}`,
    `/api-keys?search=${MARK}`,
    '/voices',
    '/dead-letters',
    '/approvals',
    '/screening',
    '/timers',
    `/explain?find=${MARK}`,
  ])('%s: each is text in its place', async (path) => {
    await openWithAllThatItHides(path);
    await window.sees(MARK);
    await expectTextInItsPlace();
    const height = await window.page.evaluate<number>('document.documentElement.scrollHeight');
    expect(height).toBeLessThan(8_000);
  });

  it('a change of many keys: each is text in its place', async () => {
    await window.open(`/api-keys?search=${MARK}&account_id=${[...named.values()][0]!.accountId}`);
    await window.page.getByLabel('Select this page').check();
    await window.button('Set credit limit…').click();
    await window.page
      .getByRole('dialog')
      .getByLabel(/^Type 1/)
      .waitFor();
    await expectTextInItsPlace();
  });

  it('the palette: each is text in its place', async () => {
    await window.open('/');
    await window.page.keyboard.press('Control+k');
    await window.page.getByRole('combobox').fill(MARK);
    await window.page.getByRole('option').filter({ hasText: MARK }).first().waitFor();
    await expectTextInItsPlace();
  });
});

it('the table that is downloaded has no cell that a spreadsheet would run', async () => {
  await window.open(`/api-keys?search=${MARK}`);
  const [download] = await Promise.all([
    window.page.waitForEvent('download'),
    window.page.getByRole('link', { name: 'Export as CSV' }).click(),
  ]);
  const text = await readFile(await download.path(), 'utf8');
  expect(text).toContain(`"'${FORMULA.replaceAll('"', '""')}"`);
  const cells = text.split(/,|\r\n/).map((cell) => cell.replace(/^"/, ''));
  expect(cells.filter((cell) => /^[\s\u200b\ufeff]*[=+\-@|%]/u.test(cell))).toEqual([]);
});
