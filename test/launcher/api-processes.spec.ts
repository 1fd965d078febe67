import { eventually } from '../support/eventually';
import { Launched, processesOf } from './launched';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

let folder: string;

beforeEach(() => (folder = makeTemporaryFolder()));
afterEach(() => removeFolder(folder));

it('several processes of the api that are stopped while they start end in order', async () => {
  const api = Launched.greenroom(['api'], {
    DATA_DIR: folder,
    DATABASE_URL: 'postgres://me@127.0.0.1:1/db',
    APP_SECRET: 'a-secret-that-only-the-tests-of-greenroom-use',
    PORT: '0',
    API_PROCESSES: '2',
  });
  await eventually(() => expect(processesOf(folder)).toHaveLength(3));
  expect([await api.end('SIGTERM'), api.output]).toEqual([0, '']);
  expect(processesOf(folder)).toEqual([]);
});
