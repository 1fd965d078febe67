import { setImmediate as nextTurn } from 'node:timers/promises';
import { PostgresClient } from '../../libs/database/common/postgres-client';
import { databaseOfFile } from '../support/test-database';

const database = databaseOfFile();

describe('a process that is busy for longer than a server may take to accept a connection', () => {
  const twoPlaces = (url: string) => {
    const { host } = new URL(url);
    return `${url}?hosts=${host},${host}`;
  };

  it.each([
    ['to a server', (url: string) => url],
    ['to the primary of two servers', twoPlaces],
  ])('connects %s', async (_, toUrl) => {
    const client = new PostgresClient({ connectionString: toUrl(database.url) });
    const connecting = client.connect();
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    const freeAtMs = performance.now() + 2_200;
    while (performance.now() < freeAtMs);
    await connecting;
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await client.end();
  });
});

it('a connection that is cut while its session is set fails without ending the process', async () => {
  const client = new PostgresClient({ connectionString: database.url });
  client.once('connect', () => client.connection.stream.destroy());
  await expect(client.connect()).rejects.toThrow('Connection terminated unexpectedly');
  await nextTurn();
});
