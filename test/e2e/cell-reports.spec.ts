import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig, type AppConfig } from '../../libs/config/app-config';
import { OPENAPI_FILE } from '../../libs/config/openapi-file';
import { publish } from '../../libs/database/cells/report-publication';
import { REPORTED_TABLES } from '../../libs/database/cells/report-tables';
import { migrateDatabase } from '../../libs/database/migrate';
import { withOwner } from '../../src/cli/cells/cell-connection';
import { examineDatabase } from '../../src/cli/doctor/doctor';
import { Launched } from '../launcher/launched';
import { eventually } from '../support/eventually';
import { OwnPostgres } from '../support/own-postgres';
import { makeVoice } from '../support/previews';
import { queryAs } from '../support/query-as';
import { Stack, type IssuedKey } from '../support/stack';
import { ANY_VERSION, StaffClient } from '../support/staff-client';
import { TemporaryFolder } from '../support/temporary-folder';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';
const CELLS = ['00', '01'];

let folder: TemporaryFolder;
let server: OwnPostgres;
let stacks: Stack[];
let keys: IssuedKey[];
let admin: StaffClient;

beforeAll(async () => {
  folder = TemporaryFolder.make('greenroom-cells-');
  server = await OwnPostgres.startLogical(() => undefined);
  const databases = await Promise.all(['cell_00', 'cell_01'].map(createDatabase));
  await server.query('CREATE DATABASE report');
  const report = urlsOf('report');
  stacks = [];
  for (const [index, database] of databases.entries())
    stacks.push(
      await Stack.start({
        worker: false,
        database,
        env: { CELL: CELLS[index], DATABASE_READ_URL: report.url },
      }),
    );
  // Copied when the cells are followed; what comes later is replicated.
  keys = [await stacks[0]!.issueKey({ name: 'key of 00' }), await stacks[1]!.issueKey({ name: 'key of 01' })];
  for (const cell of CELLS) await follow(cell);
  admin = await StaffClient.signedIn(stacks[0]!, 'admin');
});

afterAll(async () => {
  await Promise.all(stacks.map((stack) => stack.stop()));
  await server.stop();
  folder.remove();
});

function urlsOf(database: string): { url: string; ownerUrl: string } {
  const on = (url: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
  return { url: on(server.url), ownerUrl: on(server.ownerUrl) };
}

async function createDatabase(name: string) {
  await server.query(`CREATE DATABASE ${name}`);
  const urls = urlsOf(name);
  await migrateDatabase(urls.ownerUrl, urls.url);
  return { ...urls, drop: async () => undefined };
}

const configOf = (database: string, more: Record<string, string> = {}): AppConfig =>
  loadConfig({
    DATABASE_URL: urlsOf(database).url,
    MIGRATION_DATABASE_URL: urlsOf(database).ownerUrl,
    APP_SECRET,
    ...more,
  });

/** The command as built, with the variables of a cell, or of the reporting database. */
async function greenroom(
  args: string[],
  database: string,
): Promise<{ code: number | string; output: string }> {
  const { url, ownerUrl } = urlsOf(database);
  const CELL = database.replace(/^cell_/, '').slice(0, 2);
  const env = { DATABASE_URL: url, MIGRATION_DATABASE_URL: ownerUrl, APP_SECRET, CELL };
  const command = Launched.greenroom(args, env);
  return { code: await command.ended(), output: command.output };
}

/** The variables of a cell, in a file. */
function variablesOf(cell: string): string {
  const { url, ownerUrl } = urlsOf(`cell_${cell}`);
  const file = join(folder.path, `cell-${cell}.env`);
  writeFileSync(file, `DATABASE_URL=${url}\nMIGRATION_DATABASE_URL=${ownerUrl}\nCELL=${cell}\n`);
  return file;
}

const subscribing = (cell: string, ...more: string[]) => [
  'cells',
  'subscribe',
  '--from',
  variablesOf(cell),
  ...more,
];

async function follow(cell: string): Promise<void> {
  const published = await greenroom(['cells', 'publish', '--apply'], `cell_${cell}`);
  expect(published).toMatchObject({
    code: 0,
    output: expect.stringContaining(`The cell '${cell}' publishes ${REPORTED_TABLES.length} tables.`),
  });
  expect(await greenroom(subscribing(cell, '--apply'), 'report')).toMatchObject({
    code: 0,
    output: expect.stringContaining(`follows the cell '${cell}'`),
  });
}

const itemsOf = async (path: string) => {
  const { status, body } = await admin.get(path);
  expect(status).toBe(200);
  return body.items as Record<string, unknown>[];
};

const inReport = <T>(sql: string) => queryAs<T>(urlsOf('report').ownerUrl, sql);

it('publishes no secret and no digest of one', async () => {
  await eventually(async () => expect(await inReport('SELECT FROM api_key_secret')).toHaveLength(2));
  expect(await inReport('SELECT FROM api_key_secret WHERE digest IS NOT NULL')).toEqual([]);
  const columns = await queryAs(
    urlsOf('cell_00').ownerUrl,
    `SELECT attname FROM pg_publication_tables, unnest(attnames) AS attname WHERE attname ~ '^(digest$|sealed_)'`,
  );
  expect(columns).toEqual([]);
});

describe('staff of one cell', () => {
  it('list accounts and keys of all', async () => {
    await eventually(async () => {
      const accounts = (await itemsOf('/admin/accounts')).map(({ id }) => id);
      expect(accounts).toEqual(expect.arrayContaining(keys.map(({ accountId }) => accountId)));
      const listed = (await itemsOf('/admin/api-keys')).map(({ name }) => name);
      expect(listed).toEqual(expect.arrayContaining(['key of 00', 'key of 01']));
    });
  });

  it('list voices of all', async () => {
    const created = await Promise.all(stacks.map((stack, index) => makeVoice(stack, keys[index]!.secret)));
    await eventually(async () => {
      const voices = (await itemsOf('/admin/voices')).map(({ voice_id: id }) => id);
      expect(voices).toEqual(expect.arrayContaining(created.map(({ voiceId }) => voiceId)));
    });
  });

  it('read the audit log of all, by time', async () => {
    const other = await StaffClient.signedIn(stacks[1]!, 'admin');
    // With ids that the cells give, those of the one with more events would come first.
    for (const client of [other, other, other, other, admin, other]) {
      const created = await client.post('/admin/accounts', {
        name: 'Audited',
        tier: 'creator',
        reason: 'Order of events',
      });
      expect(created.status).toBe(201);
    }
    await eventually(async () => {
      const events = await itemsOf('/admin/audit-log?action=account.created&limit=3');
      const actors = events.map(({ actor }) => (actor as { id: string }).id);
      expect(actors).toEqual([other.person.id, admin.person.id, other.person.id]);
    });
    const { body } = await admin.get('/admin/audit-log?action=account.created&limit=1');
    const next = await admin.get(
      `/admin/audit-log?action=account.created&limit=1&cursor=${encodeURIComponent(body.next_cursor as string)}`,
    );
    expect((next.body.items as { actor: object }[])[0]!.actor).toMatchObject({ id: admin.person.id });
  });

  it('find accounts and keys of all, and what only this cell has', async () => {
    await eventually(async () => {
      const { body } = await admin.get('/admin/search?q=key%20of%20');
      expect((body.items as { name: string }[]).map(({ name }) => name).sort()).toEqual([
        'key of 00',
        'key of 01',
      ]);
    });
    const { body } = await admin.get(`/admin/search?q=${encodeURIComponent(admin.person.email)}`);
    expect(body.items).toMatchObject([{ kind: 'staff', id: admin.person.id }]);
  });

  it('see a change within seconds', async () => {
    const other = await StaffClient.signedIn(stacks[1]!, 'admin');
    const { keyId } = keys[1]!;
    const changed = await other.patch(
      `/admin/api-keys/${keyId}`,
      { name: 'renamed in 01', reason: 'A test' },
      ANY_VERSION,
    );
    expect(changed.status).toBe(200);
    await eventually(
      async () => {
        const found = (await itemsOf('/admin/api-keys')).find(({ id }) => id === keyId);
        expect(found).toMatchObject({ name: 'renamed in 01' });
      },
      { withinMs: 5_000 },
    );
  });

  it('are sent to the cell of what they open or change', async () => {
    const { accountId, keyId } = keys[1]!;
    const [voice] = (await itemsOf(`/admin/voices?account_id=${accountId}`)) as { voice_id: string }[];
    const refused = [
      await admin.get(`/admin/accounts/${accountId}`),
      await admin.get(`/admin/api-keys/${keyId}`),
      await admin.get(`/admin/voices/${voice!.voice_id}`),
      await admin.patch(`/admin/accounts/${accountId}`, { name: 'x', reason: 'A test' }, ANY_VERSION),
    ];
    for (const { status, body } of refused) {
      expect({ status, code: body.code }).toEqual({ status: 421, code: 'other_cell' });
      expect(body.detail).toMatch(/belongs to the cell '01', .* open \/console\?cell=01 first\.$/);
    }
    expect((await admin.get('/admin/accounts/00000000-0000-4000-8000-000000000000')).status).toBe(404);
  });
});

it('every page of staff about what is in another cell is sent there', async () => {
  const { accountId, keyId } = keys[1]!;
  const [voice] = (await itemsOf(`/admin/voices?account_id=${accountId}`)) as { voice_id: string }[];
  const ids: Record<string, string> = { account_id: accountId, key_id: keyId, voice_id: voice!.voice_id };
  const { paths } = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')) as {
    paths: Record<string, { get?: object }>;
  };
  const pages = Object.keys(paths).filter(
    (path) => paths[path]!.get && /^\/admin\/.*\{(account|key|voice)_id\}/.test(path),
  );
  expect(pages.length).toBeGreaterThan(30);
  for (const page of pages) {
    const path = page.replace(
      /\{(\w+)\}/g,
      (_, name: string) => ids[name] ?? '00000000-0000-4000-8000-000000000000',
    );
    const { status } = await admin.get(`${path}${path.endsWith('/audio') ? '?reason=test' : ''}`);
    expect([page, status]).toEqual([page, 421]);
  }
});

describe('the commands', () => {
  it('change nothing without --apply', async () => {
    await server.query('CREATE DATABASE cell_02');
    await server.query('CREATE DATABASE empty');
    await migrateDatabase(urlsOf('cell_02').ownerUrl, urlsOf('cell_02').url);
    expect(await greenroom(['cells', 'publish'], 'cell_02')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/greenroom_report: to be created.*\nNothing was changed/s),
    });
    expect(await greenroom(subscribing('02', '--apply'), 'empty')).toMatchObject({
      code: 1,
      output: expect.stringContaining('Run "greenroom cells publish --apply" in it first.'),
    });
    expect(await greenroom(subscribing('01'), 'empty')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/does not follow the cell '01'\.\nNothing was changed/),
    });
  });

  it('make no reporting database of a cell', async () => {
    expect(await greenroom(subscribing('01', '--apply'), 'cell_00')).toMatchObject({
      code: 1,
      output: expect.stringContaining('DATABASE_URL is the database of a cell.'),
    });
  });
});

describe('the doctor', () => {
  const examined = async (cell: string) => {
    const config = configOf(`cell_${cell}`, { CELL: cell, DATABASE_READ_URL: urlsOf('report').url });
    const [finding] = await examineDatabase(config, [], ['replica']);
    return finding;
  };

  it('says how far the reporting database is behind', async () => {
    await eventually(async () =>
      expect(await examined('00')).toMatchObject({
        status: 'ok',
        detail: expect.stringMatching(
          /^The reporting database is \d+\.\d s behind this cell, '00'; the last message of '01' is/,
        ),
      }),
    );
  });

  it('names a subscription that is stopped, and one that is followed again', async () => {
    await inReport('ALTER SUBSCRIPTION greenroom_01 DISABLE');
    expect(await examined('00')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining(`The subscription to the cell '01' is disabled.`),
    });
    expect((await greenroom(subscribing('01', '--apply'), 'report')).code).toBe(0);
    await eventually(async () => expect(await examined('01')).toMatchObject({ status: 'ok' }));
  });

  it('names what a cell does not publish, and a schema that differs', async () => {
    const owner = urlsOf('cell_00').ownerUrl;
    await queryAs(owner, 'ALTER PUBLICATION greenroom_report DROP TABLE voice');
    await queryAs(owner, `INSERT INTO migration (timestamp, name) VALUES (1, 'OfANewerRelease')`);
    const finding = await examined('00');
    await queryAs(owner, `DELETE FROM migration WHERE timestamp = 1`);
    await withOwner(configOf('cell_00'), (dataSource) => dataSource.transaction(publish));
    expect(finding).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/does not publish public\.voice .*lacks OfANewerRelease\./),
    });
    expect(await examined('00')).toMatchObject({ status: 'ok' });
  });
});
