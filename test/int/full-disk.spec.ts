import type { DataSource } from 'typeorm';
import { loadConfig } from '../../libs/config/app-config';
import { DatabaseServerRepository } from '../../libs/database/common/database-server.repository';
import { createDataSource } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { OperationWatch } from '../../libs/operations/operation-watch';
import { OwnPostgres } from '../support/own-postgres';

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
});
