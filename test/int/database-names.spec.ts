import { loadConfig } from '../../libs/config/app-config';
import { createDataSource } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { toConnection } from '../../src/cli/cells/libpq-connection';
import { queryAs } from '../support/query-as';
import { testServerUrls } from '../support/test-server';

const ADMIN = testServerUrls('postgres').owner;

/** As a person escapes a name, all of it, and as our URLs have it. */
const configured = (url: string) => loadConfig({ DATABASE_URL: url }).requireDatabaseUrl();

describe.each(['a b', 'a/b', 'a%b', 'a%2Fb', `a:@&=+$,;'é`])('a database with the name %s', (name) => {
  const urls = testServerUrls(encodeURIComponent(name));

  beforeAll(async () => {
    await queryAs(ADMIN, `CREATE DATABASE "${name}" TEMPLATE template0`);
  });

  afterAll(async () => {
    await queryAs(ADMIN, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  });

  it('is migrated and read by its escaped name', async () => {
    await migrateDatabase(configured(urls.owner), configured(urls.application));
    expect(await migrateDatabase(configured(urls.owner), configured(urls.application))).toEqual([]);
    const dataSource = await createDataSource(configured(urls.application), 'test').initialize();
    const rows = await dataSource.query<object[]>('SELECT current_database() AS name');
    await dataSource.destroy();
    expect(rows).toEqual([{ name }]);
    expect(toConnection(configured(urls.owner))).toContain(
      `dbname='${name.replaceAll("'", String.raw`\'`)}'`,
    );
  });
});
