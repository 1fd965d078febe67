import { SessionCookies } from '../../apps/api/src/staff/session-cookies';
import { OUR_TABLES } from '../support/our-tables';
import { Stack } from '../support/stack';
import { addPerson, StaffClient } from '../support/staff-client';

let stack: Stack;
const written: string[] = [];

beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr]) {
    jest.spyOn(stream, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
  }
  stack = await Stack.start({ worker: false, env: { LOG_LEVEL: 'verbose' } });
});

afterAll(async () => {
  await stack.stop();
  jest.restoreAllMocks();
});

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const tables = await stack.dataSource.query<{ table: string }[]>(OUR_TABLES);
  const rows = [];
  for (const { table } of tables) rows.push(await stack.dataSource.query(`SELECT t::text FROM ${table} t`));
  return JSON.stringify(rows);
}

it('neither the database nor the log at its most talkative holds a secret of anybody', async () => {
  const secrets: string[] = [];
  const browser = await StaffClient.signedIn(stack, 'admin');
  const { password, email } = browser.person;
  secrets.push(password);

  const setup = await browser.post('/admin/me/second-factor', { password });
  const { totp_uri: uri, backup_codes: codes } = setup.body as { totp_uri: string; backup_codes: string[] };
  secrets.push(new URL(uri).searchParams.get('secret')!, ...codes);

  const newPassword = 'three lamps over the canary stage';
  await browser.post('/admin/me/password', { current_password: password, new_password: newPassword });
  const { prefix, sessionName } = stack.api.get(SessionCookies);
  const [token = ''] = browser.cookies.get(sessionName)!.split('.');
  const [device = ''] = browser.cookies.get(`${prefix}.device`)!.split('.');
  secrets.push(newPassword, token, device);

  const added = await browser.post('/admin/staff', {
    email: 'canary@staff.test',
    role: 'ops',
    reason: 'Canary',
  });
  secrets.push(added.body.one_time_password as string);

  // A password that is typed where the address belongs, is not right, or stands in a body that is broken.
  const mistyped = 'typed-in-the-wrong-field-canary';
  secrets.push(mistyped);
  await new StaffClient(stack.baseUrl).signIn({ email: mistyped, password: mistyped });
  await new StaffClient(stack.baseUrl).signIn({ email, password: mistyped });
  await browser.post('/admin/me/password', {
    current_password: mistyped,
    new_password: mistyped.slice(0, 11),
  });
  await browser.post('/admin/staff', { email: 'x@staff.test', role: 'ops', reason: 'x', password: mistyped });
  await fetch(`${stack.baseUrl}/admin/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"email": "${email}", "password": "${mistyped}`,
  });
  await browser.get(`/admin/me?password=${mistyped}`);
  await addPerson(stack, 'support');

  const [database, log] = [await dump(), written.join('')];
  expect(database).toContain(email);
  expect(log).toContain('/admin/staff');
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(9);
    expect([secret, database.includes(secret), log.includes(secret)]).toEqual([secret, false, false]);
  }
  expect(database).not.toContain(stack.config.appSecret);
  expect(log).not.toContain(stack.config.appSecret);
});
