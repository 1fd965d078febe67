import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { configFor } from './greenroom.mjs';

const require = createRequire(import.meta.url);

/** Adds an admin who can sign in with this password. */
export async function addAdmin(databaseUrl) {
  const { withServices } = require('../../dist/src/cli/cli.module.js');
  const { StaffService } = require('../../dist/libs/administration/staff/staff.service.js');
  const { bySystem } = require('../../dist/libs/administration/audit/audit-actors.js');
  const { OWN_PASSWORD } = require('../../dist/libs/administration/staff/staff-changes.js');
  const { StaffRepository } = require('../../dist/libs/database/staff/staff.repository.js');
  const { DataSource } = require('typeorm');
  const email = `bench-${randomBytes(4).toString('hex')}@example.com`;
  return withServices(configFor(databaseUrl), async (services) => {
    const input = { email, role: 'admin', reason: 'Measurement' };
    const { member, password } = await services.get(StaffService).add(bySystem('bench'), input);
    const staff = services.get(StaffRepository, { strict: false });
    const dataSource = services.get(DataSource, { strict: false });
    await dataSource.transaction((em) => staff.update(member.id, OWN_PASSWORD, em));
    return { email, password };
  });
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
