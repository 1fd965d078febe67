import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { childEnvironment } from '../../libs/config/app-config';
import { migrateDatabase } from '../../libs/database/migrate';
import { wavOf } from '../support/audio/signals';
import { blockFor } from '../support/chapters';
import { eventually } from '../support/eventually';
import { makeVoice } from '../support/previews';
import { PRESENT_MAIN } from '../support/previous-release';
import { queryAs } from '../support/query-as';
import { TEXT } from '../support/samples';
import { Stack } from '../support/stack';
import { addPerson, StaffClient } from '../support/staff-client';
import { TemporaryFolder } from '../support/temporary-folder';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { testServerUrls } from '../support/test-server';

let database: TestDatabase;
let stack: Stack;
let folder: TemporaryFolder;

beforeAll(async () => {
  database = await createTestDatabase();
  stack = await Stack.start({ database });
  folder = TemporaryFolder.make('greenroom-chapters-');
});

afterAll(async () => {
  await stack.stop();
  folder.remove();
});

/** Runs a block as a person does who types it, and ends at the first command that fails. */
async function runBlock(block: string): Promise<string> {
  const greenroom = `greenroom() { '${process.execPath}' '${PRESENT_MAIN}' "$@"; }`;
  const child = spawn('bash', ['-e', '-u', '-o', 'pipefail', '-c', `${greenroom}\n${block}`], {
    cwd: folder.path,
    env: childEnvironment({
      DATABASE_URL: database.url,
      MIGRATION_DATABASE_URL: database.ownerUrl,
      APP_SECRET: stack.config.requireAppSecret(),
      DATA_DIR: join(folder.path, 'data'),
    }),
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  if (status !== 0) throw new Error(`The block ends with ${status}:\n${block}\n${stdout}${stderr}`);
  return stdout;
}

it('two roles are created, and the schema for them', async () => {
  const name = `chapter_${process.pid}`;
  const { owner: server } = testServerUrls('postgres');
  const sql = blockFor('two-roles').replaceAll('greenroom', name).trim();
  for (const statement of sql.split('\n')) await queryAs(server, statement);
  const as = (role: string) => {
    const url = new URL(testServerUrls(name).owner);
    return Object.assign(url, { username: `${name}_${role}`, password: 'secret' }).href;
  };
  try {
    expect((await migrateDatabase(as('owner'), as('app'))).length).toBeGreaterThan(10);
    expect(await queryAs(as('app'), 'SELECT FROM account')).toEqual([]);
  } finally {
    await queryAs(server, `DROP DATABASE ${name} WITH (FORCE)`);
    await queryAs(server, `DROP ROLE ${name}_owner`);
    await queryAs(server, `DROP ROLE ${name}_app`);
  }
});

it('settings are exported, planned, applied and compared', async () => {
  const output = await runBlock(blockFor('settings'));
  expect(output).toMatch(/^ok +settings +The settings are those of settings.yaml\.$/m);
});

it('the heads of the audit log are compared', async () => {
  const admin = await StaffClient.signedIn(stack, 'admin');
  const heads = await admin.get('/admin/audit-log/heads');
  writeFileSync(join(folder.path, 'heads-2026-11-21.json'), JSON.stringify(heads.body));
  expect(await runBlock(blockFor('heads'))).toMatch(/^ok +audit log /m);
});

it('a program gets its credential, and opens an account', async () => {
  const ana = await addPerson(stack, 'admin');
  const block = blockFor('management').replace('ana@example.com', ana.email);
  const at = block.indexOf('curl');
  const created = await runBlock(
    block.slice(0, at).replace('--allow-ip 203.0.113.7', '--allow-ip 127.0.0.1'),
  );
  const secret = /grm_\w+/.exec(created)![0];
  const curl = block
    .slice(at)
    .replace('grm_…', secret)
    .replace('https://greenroom.example.com', stack.baseUrl);
  expect(JSON.parse(await runBlock(curl.replace('curl', 'curl -sS --fail-with-body')))).toMatchObject({
    name: 'Acme',
  });
});

it('support learn who spoke a clip, and why one is too short', async () => {
  const { secret, accountId } = await stack.issueKey();
  const { voiceId } = await makeVoice(stack, secret);
  const path = `/v1/text-to-speech/${voiceId}`;
  const { headers, bytes } = await stack.request('POST', path, { secret, body: { text: TEXT } });
  const clip = join(folder.path, 'clip.mp3');
  writeFileSync(clip, bytes);
  await eventually(async () => expect(await runBlock(blockFor('spoken'))).toContain(TEXT));
  const output = await runBlock(blockFor('spoken'));
  expect(output).toMatch(/^agreement +(9\d|100) % over \d+\.\d s$/m);
  for (const part of [accountId, voiceId, headers.get('history-item-id')!, TEXT])
    expect(output).toContain(part);
  writeFileSync(clip, wavOf(new Float32Array(1.96 * 16_000), 16_000));
  await expect(runBlock(blockFor('spoken'))).rejects.toThrow(
    'clip.mp3: Input should be at least 2 s of a recording; found 1.9 s.',
  );
});
