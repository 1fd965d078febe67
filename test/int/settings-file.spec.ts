import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { SettingsFile } from '../../libs/administration/installation/settings-file';
import { Launched } from '../launcher/launched';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';
const SHA256 = 'ab'.repeat(32);

let folder: string;
let cells: TestDatabase[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-settings-'));
  cells = [await createTestDatabase(), await createTestDatabase()];
});

afterEach(async () => {
  await Promise.all(cells.map((cell) => cell.drop()));
  rmSync(folder, { recursive: true });
});

/** The command as built, in one of the cells. */
async function greenroom(
  cell: number,
  ...args: string[]
): Promise<{ code: number | string; output: string }> {
  const variables = { DATABASE_URL: cells[cell]!.url, APP_SECRET, DATA_DIR: folder, CELL: `0${cell}` };
  const command = Launched.greenroom(args, variables);
  return { code: await command.ended(), output: command.output };
}

const fileOf = (content: Partial<SettingsFile>) => {
  const file = join(folder, 'settings.yaml');
  writeFileSync(file, stringify({ version: 1, ...content }));
  return file;
};

const applying = (cell: number, file: string) =>
  greenroom(cell, 'settings', 'apply', file, '--reason', 'The same in all cells');

async function examined(cell: number, file: string) {
  const { output } = await greenroom(cell, 'doctor', '--json', '--settings', file);
  const report = JSON.parse(output) as { check: string; status: string; detail: string }[];
  return report.find(({ check }) => check === 'settings');
}

const CONTENT: Partial<SettingsFile> = {
  key_policies: [
    {
      tier: 'pro',
      max_lifetime_days: 365,
      rotation_age_days: 90,
      idle_warn_days: null,
      idle_disable_days: null,
    },
  ],
  profanity: true,
  screening: [{ list: 'blocked_words', text: 'forbidden', account_id: null }],
  alert_rules: [{ kind: 'credits_used', tier: 'pro', threshold: 90, channels: ['email'], enabled: true }],
  roles: [{ role: 'support', second_factor_required: true }],
  service_credentials: [{ name: 'speech', sha256: SHA256, last_four: 'Ab3d' }],
};

it('makes the settings of two cells the same, and says what a cell has changed since', async () => {
  const file = fileOf(CONTENT);
  const planned = await greenroom(0, 'settings', 'plan', file);
  expect(planned).toMatchObject({ code: 0, output: expect.stringMatching(/^\+ key_policies: pro$/m) });
  expect(planned.output).toMatch(/^~ profanity: profanity\n {4}profanity: false -> true$/m);
  expect(planned.output).toMatch(/^- alert_rules: key_leaked all all$/m);
  expect(await queryAs(cells[0]!.ownerUrl, 'SELECT FROM key_policy')).toEqual([]);

  for (const cell of [0, 1]) {
    expect(await applying(cell, file)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^\d\d changes applied\.$/m),
    });
    expect(await examined(cell, file)).toMatchObject({ status: 'ok' });
    expect(await greenroom(cell, 'settings', 'plan', file)).toMatchObject({
      output: 'The settings are as the file says.\n',
    });
  }
  const exported = await Promise.all([0, 1].map((cell) => greenroom(cell, 'settings', 'export')));
  expect(exported[0]!.output).toBe(exported[1]!.output);
  expect(parse(exported[0]!.output)).toMatchObject({
    ...CONTENT,
    roles: expect.arrayContaining(CONTENT.roles!),
  });

  const events = await queryAs<{ action: string }>(
    cells[1]!.ownerUrl,
    'SELECT DISTINCT action, reason FROM audit_event',
  );
  expect(events).toEqual(
    expect.arrayContaining(
      [
        'key_policy.saved',
        'screening.profanity_set',
        'screening.entry_added',
        'service_credential.created',
      ].map((action) => ({ action, reason: 'The same in all cells' })),
    ),
  );

  await queryAs(cells[1]!.ownerUrl, 'UPDATE key_policy SET max_lifetime_days = 30');
  expect(await examined(0, file)).toMatchObject({ status: 'ok' });
  expect(await examined(1, file)).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining(`Not as in ${file}: key_policies (pro).`),
  });
  expect(await applying(1, file)).toMatchObject({
    output: '~ key_policies: pro\n    max_lifetime_days: 30 -> 365\n1 change applied.\n',
  });
});

it('leaves what a file does not have, and disables a credential that it has no more', async () => {
  await applying(0, fileOf(CONTENT));
  const { output } = await applying(0, fileOf({ service_credentials: [] }));
  expect(output).toBe(`- service_credentials: ${SHA256}\n1 change applied.\n`);
  const [row] = await queryAs<{ is_disabled: boolean }>(
    cells[0]!.ownerUrl,
    'SELECT disabled_at IS NOT NULL AS is_disabled FROM service_credential',
  );
  expect(row).toEqual({ is_disabled: true });
  expect(await applying(0, fileOf({ service_credentials: CONTENT.service_credentials }))).toMatchObject({
    code: 1,
    output: expect.stringContaining('disabled'),
  });
});

it('has the credentials of programs by digest: adds, edits and disables them', async () => {
  await greenroom(0, 'staff', 'add', '--email', 'ana@example.com', '--role', 'admin');
  const credential = {
    name: 'sign-up page',
    purpose: 'Opens accounts',
    sha256: SHA256,
    last_four: 'Ab3d',
    creator: 'ana@example.com',
    permissions: ['keys.write', 'accounts.write'] as const,
    accounts: 'created' as const,
    account_ids: [],
    tag: null,
    allowed_ips: ['203.0.113.7'],
    requests_per_minute: 60,
    expires_at: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  };
  const fileWith = (...entries: object[]) =>
    fileOf({ management_credentials: entries as SettingsFile['management_credentials'] });
  expect(await applying(0, fileWith(credential))).toMatchObject({
    output: `+ management_credentials: ${SHA256}\n1 change applied.\n`,
  });
  expect(await applying(0, fileWith(credential))).toMatchObject({
    output: 'The settings are as the file says.\n',
  });
  const { output } = await applying(0, fileWith({ ...credential, requests_per_minute: 90 }));
  expect(output).toBe(
    `~ management_credentials: ${SHA256}\n    requests_per_minute: 60 -> 90\n1 change applied.\n`,
  );
  const beyond = { ...credential, permissions: ['staff.write'] };
  expect(await applying(0, fileWith(beyond))).toMatchObject({
    code: 1,
    output: expect.stringContaining('management_credentials'),
  });
  expect(
    await applying(0, fileWith({ ...credential, creator: 'nobody@example.com', sha256: 'cd'.repeat(32) })),
  ).toMatchObject({
    code: 1,
    output: expect.stringContaining('nobody@example.com'),
  });
  expect(await applying(0, fileWith())).toMatchObject({
    output: expect.stringContaining(`- management_credentials: ${SHA256}`),
  });
  expect(await applying(0, fileWith(credential))).toMatchObject({
    code: 1,
    output: expect.stringContaining('must not work again'),
  });
});

it('lets a protected name be used by its account in the cell of that account only', async () => {
  const id = '30310000-0000-8000-8000-000000000001';
  await queryAs(
    cells[1]!.ownerUrl,
    `INSERT INTO account (id, name, tier, voice_limit, concurrency_limit) VALUES ('${id}', 'Acme', 'pro', 1, 1)`,
  );
  const file = fileOf({ screening: [{ list: 'protected_names', text: 'Acme', account_id: id }] });
  for (const cell of [0, 1]) {
    expect((await applying(cell, file)).code).toBe(0);
    expect(await examined(cell, file)).toMatchObject({ status: 'ok' });
  }
  const accounts = await Promise.all(
    cells.map((cell) => queryAs(cell.ownerUrl, 'SELECT account_id FROM screening_entry')),
  );
  expect(accounts).toEqual([[{ account_id: null }], [{ account_id: id }]]);
});

it('names what a file has that is not accepted, by its line', async () => {
  const file = join(folder, 'settings.yaml');
  writeFileSync(file, 'version: 1\nroles:\n  - role: king\n    second_factor_required: true\nprofanity: 3\n');
  const { code, output } = await greenroom(0, 'settings', 'plan', file);
  expect(code).toBe(1);
  expect(output).toMatch(/^settings\.yaml:3:5: roles\[0\]\.role: .* \(given: "king"\)\.$/m);
  expect(output).toMatch(/^settings\.yaml:5:1: profanity: /m);
  writeFileSync(file, stringify({ version: 1, roles: [CONTENT.roles![0], CONTENT.roles![0]] }));
  expect((await greenroom(0, 'settings', 'plan', file)).output).toMatch(
    /roles\[1\]: The same entry stands at \[0\]/,
  );
});
