import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDataSource } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { examineRole, type RoleReport } from '../../libs/database/common/role-check';
import { OwnPostgres } from '../support/own-postgres';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

async function examine(url: string): Promise<RoleReport> {
  const dataSource = await createDataSource(url, 'test').initialize();
  try {
    return await examineRole(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

describe("the application's role", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('has what the application needs, and no more', async () => {
    expect(await examine(database.url)).toEqual({ role: 'greenroom_app', tooMuch: [], tooLittle: [] });
  });

  it('is not refused what it needs', async () => {
    await queryAs(database.url, 'SELECT FROM audit_event');
    await queryAs(database.url, `INSERT INTO audit_head (day, seq, hash, at) VALUES (now(), 0, '', now())`);
  });

  it('lacks nothing when an operator keeps a table beside its own', async () => {
    await queryAs(database.ownerUrl, 'CREATE TABLE another ()');
    expect(await examine(database.url)).toMatchObject({ tooMuch: [], tooLittle: [] });
    await queryAs(database.ownerUrl, 'DROP TABLE another');
  });

  it.each([
    [
      `COPY (SELECT 1) TO PROGRAM 'cat > /dev/null'`,
      /permission denied to COPY to or from an external program/,
    ],
    [`COPY outbox FROM '/etc/passwd'`, /permission denied to COPY from a file/],
    [`SELECT pg_read_file('/etc/passwd')`, /permission denied for function pg_read_file/],
    ['CREATE TABLE mine ()', /permission denied for schema public/],
    ['CREATE TEMP TABLE mine ()', /permission denied to create temporary tables/],
    ['CREATE SCHEMA mine', /permission denied for database/],
    ['CREATE EXTENSION hstore', /permission denied to create extension/],
    ['CREATE TABLE bullmq.mine ()', /permission denied for schema bullmq/],
    [`CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`, /permission denied for schema public/],
    ['DROP TABLE voice', /must be owner of table voice/],
    ['ALTER TABLE voice ADD COLUMN mine int', /must be owner of table voice/],
    ['DROP TRIGGER audit_event_append_only ON audit_event', /must be owner/],
    ['TRUNCATE voice', /permission denied for table voice/],
    ['DELETE FROM audit_event', /permission denied for table audit_event/],
    [`UPDATE audit_event SET reason = 'x'`, /permission denied for table audit_event/],
    ['DELETE FROM audit_head', /permission denied for table audit_head/],
    ['UPDATE ledger_line SET amount = 0', /permission denied for table ledger_line/],
    ['UPDATE ledger_line_other SET amount = 0', /permission denied for table ledger_line_other/],
    ['DELETE FROM migration', /permission denied for table migration/],
    ['CREATE ROLE mine', /permission denied to create role/],
    ['SET session_replication_role = replica', /permission denied to set parameter/],
    ['SET ROLE greenroom', /permission denied to set role/],
  ])('is refused %s', async (sql, problem) => {
    await expect(queryAs(database.url, sql)).rejects.toThrow(problem);
  });

  it('loses at the next migration what it was granted beyond that, and gets what it lacks', async () => {
    await queryAs(
      database.ownerUrl,
      'GRANT ALL ON audit_event TO greenroom_app; GRANT CREATE ON SCHEMA public TO greenroom_app; REVOKE ALL ON voice FROM greenroom_app',
    );
    const { tooMuch, tooLittle } = await examine(database.url);
    expect(tooMuch).toEqual([
      'may CREATE in the schema public',
      'may DELETE on public.audit_event',
      'may REFERENCES on public.audit_event',
      'may TRIGGER on public.audit_event',
      'may TRUNCATE on public.audit_event',
      'may UPDATE on public.audit_event',
    ]);
    expect(tooLittle).toContain('SELECT on public.voice');
    await migrateDatabase(database.ownerUrl, database.url);
    expect(await examine(database.url)).toMatchObject({ tooMuch: [], tooLittle: [] });
  });
});

describe('a PostgreSQL of your own, prepared as docs/operations.md says', () => {
  let server: OwnPostgres;

  beforeAll(async () => {
    server = await OwnPostgres.start(() => undefined);
  });
  afterAll(() => server.stop());

  const text = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
  const section = text.slice(text.indexOf('## Two roles'));
  const statements = /```sql\n([^`]*)```/.exec(section)![1]!;
  const as = (user: string) =>
    Object.assign(new URL(server.url), { username: user, password: 'secret', pathname: '/greenroom_two' })
      .href;

  it('is migrated by a role that is not a superuser, for one that owns nothing', async () => {
    const ours = statements
      .replaceAll('DATABASE greenroom', 'DATABASE greenroom_two')
      .replaceAll('greenroom_app', 'greenroom_two_app');
    for (const statement of ours.split(/;\n/).filter((each) => each.trim())) await server.query(statement);
    const [owner, application] = [as('greenroom_owner'), as('greenroom_two_app')];
    expect((await migrateDatabase(owner, application)).length).toBeGreaterThan(0);
    expect(await examine(application)).toEqual({ role: 'greenroom_two_app', tooMuch: [], tooLittle: [] });
    expect(await migrateDatabase(owner, application)).toEqual([]);
  });

  it('names both roles when the application has none yet and the migrating role may not create it', async () => {
    await expect(migrateDatabase(as('greenroom_owner'), as('greenroom_three'))).rejects.toThrow(
      /^The role "greenroom_three" of DATABASE_URL does not exist, and "greenroom_owner" cannot create it \(permission denied to create role\)\. Create it first: docs\/operations\.md, "Two roles"\.$/,
    );
  });
});
