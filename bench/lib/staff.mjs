import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { configFor } from './greenroom.mjs';

const require = createRequire(import.meta.url);

/** Adds an admin who can sign in with this password. */
export async function addAdmin(databaseUrl) {
  const { createDataSource } = require('../../dist/libs/database/data-source.js');
  const { staffServiceFor } = require('../../dist/src/cli/staff.command.js');
  const { bySystem } = require('../../dist/libs/administration/audit/audit-actors.js');
  const { OWN_PASSWORD } = require('../../dist/libs/administration/staff/staff-changes.js');
  const { StaffRepository } = require('../../dist/libs/database/staff/staff.repository.js');
  const dataSource = await createDataSource(databaseUrl, 'greenroom-bench').initialize();
  const email = `bench-${randomBytes(4).toString('hex')}@example.com`;
  const service = staffServiceFor(configFor(databaseUrl), dataSource);
  const { member, password } = await service.add(bySystem('bench'), {
    email,
    role: 'admin',
    reason: 'Measurement',
  });
  await dataSource.transaction((em) => new StaffRepository(dataSource).update(member.id, OWN_PASSWORD, em));
  await dataSource.destroy();
  return { email, password };
}

/** A signed-in admin: sends requests to any api of the installation. */
export async function signInAdmin(databaseUrl, baseUrl) {
  const admin = await addAdmin(databaseUrl);
  const answer = await send(baseUrl, 'POST', '/admin/auth/sign-in', '', admin);
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  return (method, path, body) => send(baseUrl, method, path, cookie, body);
}

async function send(baseUrl, method, path, cookie, body) {
  const answer = await fetch(baseUrl + path, {
    method,
    headers: { cookie, 'if-match': '*', ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path} responded ${answer.status}: ${json.detail}`);
  return { headers: answer.headers, body: json };
}
