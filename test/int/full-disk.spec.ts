import { spawnSync } from 'node:child_process';
import type { DataSource } from 'typeorm';
import { childEnvironment, loadConfig } from '../../libs/config/app-config';
import { DatabaseServerRepository } from '../../libs/database/common/database-server.repository';
import { createDataSource } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { OperationWatch } from '../../libs/operations/operation-watch';
import { OwnPostgres } from '../support/own-postgres';
import { PRESENT_MAIN } from '../support/previous-release';
import { queryAs } from '../support/query-as';

/** A mount takes the rights of root. */
const onDisk = process.getuid?.() === 0 ? describe : describe.skip;

onDisk('the disk of PostgreSQL', () => {
  let postgres: OwnPostgres;
  let dataSource: DataSource;
  let watch: OperationWatch;

  beforeAll(async () => {
    postgres = await OwnPostgres.start(() => undefined, { diskMb: 400 });
    await migrateDatabase(postgres.ownerUrl, postgres.url);
    dataSource = await createDataSource(postgres.url, 'test').initialize();
    const config = loadConfig({ DATABASE_URL: postgres.url, APP_SECRET: 'x'.repeat(32) });
    watch = new OperationWatch(config, dataSource, new DatabaseServerRepository(dataSource));
  });

  afterAll(async () => {
    await dataSource?.destroy();
    await postgres?.stop();
  });

  it('that is full is the one cause that is named, and no process can serve', async () => {
    await expect(watch.requireServing()).resolves.toBeUndefined();
    postgres.folder.fill();
    const later = new OperationWatch(
      loadConfig({ DATABASE_URL: postgres.url, APP_SECRET: 'x'.repeat(32) }),
      dataSource,
      new DatabaseServerRepository(dataSource),
    );
    await expect(later.requireServing()).rejects.toThrow(
      /^The disk of the database takes no writes \(.*No space left on device.*\)/,
    );
    const report = await later.read();
    expect(report.filter(({ status }) => status === 'failed').map(({ check }) => check)).toEqual(['disk']);
    postgres.folder.free();
    await expect(later.requireServing()).resolves.toBeUndefined();
  });

  it('that is full during a migration is named, and the migration continues when it has room', async () => {
    await postgres.query('CREATE DATABASE another');
    const urlOf = (url: string) => Object.assign(new URL(url), { pathname: '/another' }).href;
    const migrate = () =>
      spawnSync(process.execPath, [PRESENT_MAIN, 'migrate'], {
        encoding: 'utf8',
        env: childEnvironment({
          DATABASE_URL: urlOf(postgres.url),
          MIGRATION_DATABASE_URL: urlOf(postgres.ownerUrl),
          APP_SECRET: 'x'.repeat(32),
        }),
      });
    // The first connection to a database writes a file.
    await queryAs(urlOf(postgres.ownerUrl), 'SELECT 1');
    postgres.folder.fill();
    const { status, stderr } = migrate();
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^greenroom: The disk of the database is full \(.+\)\. .+ again\.\n$/),
    ]);
    expect(
      await queryAs(urlOf(postgres.ownerUrl), "SELECT FROM pg_tables WHERE schemaname = 'public'"),
    ).toEqual([]);
    postgres.folder.free();
    expect(migrate().status).toBe(0);
  });
});
