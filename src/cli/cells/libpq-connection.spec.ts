import { databaseUrl } from '@app/config/database-url';
import { toConnection } from './libpq-connection';

it.each([
  [
    'postgres://app:secret@db.example.net/greenroom',
    `host='db.example.net' port='5432' user='app' password='secret' dbname='greenroom'`,
  ],
  [
    'postgres://app:it%27s%5C@[::1]:5433/g',
    String.raw`host='::1' port='5433' user='app' password='it\'s\\' dbname='g'`,
  ],
  [
    'postgres://app@one,two:5433/g?sslmode=no-verify&target_session_attrs=primary',
    `host='one,two' port='5432,5433' user='app' dbname='g' sslmode='require' target_session_attrs='primary'`,
  ],
])('%s', (url, connection) => {
  expect(toConnection(databaseUrl(url)!)).toBe(connection);
});
