import { eventually } from '../support/eventually';
import { Launched, processesOf } from '../launcher/launched';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { makeTemporaryFolder, removeFolder } from '../launcher/temporary-folder';

let folder: string;
let database: TestDatabase;

beforeAll(async () => (database = await createTestDatabase()));
afterAll(async () => database.drop());
beforeEach(() => (folder = makeTemporaryFolder()));
afterEach(() => removeFolder(folder));

it('several processes of the api that are stopped while they start end in order', async () => {
  const api = Launched.greenroom(['api'], {
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    APP_SECRET: 'a-secret-that-only-the-tests-of-greenroom-use',
    PORT: '0',
    API_PROCESSES: '2',
  });
  await eventually(() => expect(processesOf(folder)).toHaveLength(3));
  expect([await api.end('SIGTERM'), api.output]).toEqual([0, '']);
  expect(processesOf(folder)).toEqual([]);
});
