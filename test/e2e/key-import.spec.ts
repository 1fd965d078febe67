import { createHash, randomBytes } from 'node:crypto';
import type { Problem } from '../../apps/api/src/http/problem-json';
import { KeyImportService } from '../../libs/administration/keys/key-import.service';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { DESCRIPTION, TEXT } from '../support/samples';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const stack = Stack.ofFile({ worker: false });
const manager = StaffClient.ofFile(stack, 'account_manager');

const reason = 'Moved from another system';
const newSecret = () => `sk_live_${randomBytes(18).toString('base64url')}`;
const sha256 = (secret: string) => createHash('sha256').update(secret).digest();
const call = async (secret: string) => (await stack.request('GET', '/v1/models', { secret })).status;

const importCsv = (accountId: string, lines: string[], more: object = {}) =>
  manager.post(`/admin/accounts/${accountId}/api-keys/import`, { csv: lines.join('\n'), reason, ...more });

const countOf = async (accountId: string) =>
  (await manager.get(`/admin/api-keys?account_id=${accountId}`)).body.total;

describe('200', () => {
  it('a secret of another system works against /v1, whether it was imported by its value or its digest', async () => {
    const accountId = await stack.openAccount();
    const [a, b, c] = [newSecret(), newSecret(), newSecret()];
    // Known to be unknown for some seconds.
    expect(await call(a)).toBe(401);
    const lines = [
      'name,secret,sha256,prefix,last_four,permissions,credit_limit,external_id',
      `a,${a},,,,,,one`,
      `b,,${sha256(b).toString('hex')},sk_live_,${b.slice(-4)},models_read,,`,
      `"c, with a comma",,${sha256(c).toString('base64')},,${c.slice(-4)},,${TEXT.length},`,
    ];
    const tried = await importCsv(accountId, lines, { dry_run: true });
    expect(tried.body).toEqual({ dry_run: true, keys: 3, problems: [], problem_lines: 0 });
    expect(await countOf(accountId)).toBe(0);
    const done = await importCsv(accountId, lines);
    expect([done.status, done.body]).toEqual([
      200,
      { dry_run: false, keys: 3, problems: [], problem_lines: 0 },
    ]);
    expect([await call(a), await call(b), await call(c)]).toEqual([200, 200, 200]);
    const design = () =>
      stack.request('POST', '/v1/text-to-voice/design', {
        secret: c,
        body: { voice_description: DESCRIPTION, text: TEXT },
      });
    expect([(await design()).status, (await design()).status]).toEqual([200, 402]);
    const { body } = await manager.get(`/admin/api-keys?account_id=${accountId}&sort=name`);
    expect(body.items).toMatchObject([
      { name: 'a', hint: `sk_l…${a.slice(-4)}`, external_id: 'one', permissions: 'all' },
      { name: 'b', hint: `sk_live_…${b.slice(-4)}`, permissions: ['models_read'] },
      { name: 'c, with a comma', hint: `…${c.slice(-4)}`, credits: { limit: TEXT.length } },
    ]);
    const events = await stack.dataSource.query<{ after: object; reason: string }[]>(
      `SELECT after, reason FROM audit_event WHERE action = 'keys.imported' AND account_id = $1`,
      [accountId],
    );
    expect(events).toMatchObject([{ after: { keys: 3 }, reason }]);
    expect(JSON.stringify(events)).not.toContain(a);
  });

  it('many at once', async () => {
    const accountId = await stack.openAccount();
    const count = Number(process.env.IMPORTED_KEYS ?? 3_000);
    const last = newSecret();
    const digests = Array.from({ length: count - 1 }, () => randomBytes(32).toString('hex'));
    const csv = ['name,sha256,last_four', ...digests.map((digest, i) => `key ${i},${digest},abcd`)];
    const startedAt = performance.now();
    const { keys } = await stack.api.get(KeyImportService).import(
      bySystem('test'),
      {
        accountId,
        csv: [...csv, `last,${sha256(last).toString('hex')},${last.slice(-4)}`].join('\n'),
        dryRun: false,
      },
      reason,
    );
    expect(keys).toBe(count);
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    expect(await call(last)).toBe(200);
  });
});

describe('422', () => {
  it('collisions and weak formats, by line, and then nothing is imported', async () => {
    const accountId = await stack.openAccount();
    const taken = await stack.issueKey({ accountId, externalId: 'mine' });
    const fresh = newSecret();
    const lines = [
      'name,secret,external_id',
      `fresh,${fresh},`,
      `taken,${taken.secret},`,
      `named,${newSecret()},mine`,
      `again,${fresh},`,
      'short,secret,',
    ];
    const tried = await importCsv(accountId, lines, { dry_run: true });
    expect(tried.body).toMatchObject({
      keys: 1,
      problem_lines: 4,
      problems: [
        { line: 3, problem: 'A key here has this secret already.' },
        { line: 4, problem: 'A key of the account has this external_id already.' },
        { line: 5, problem: 'Line 2 has the same secret.' },
        { line: 6, problem: expect.stringContaining('20 to 256') },
      ],
    });
    const refused = await importCsv(accountId, lines);
    expect([refused.status, (refused.body as unknown as Problem).errors?.length]).toEqual([422, 4]);
    expect(JSON.stringify(refused.body)).not.toContain(fresh);
    expect([await countOf(accountId), await call(fresh)]).toEqual([1, 401]);
  });

  it('only those may import who may create keys, and into an account that exists', async () => {
    const support = await StaffClient.signedIn(stack, 'support');
    const accountId = await stack.openAccount();
    const body = { csv: `name,secret\na,${newSecret()}`, reason };
    const path = (id: string) => `/admin/accounts/${id}/api-keys/import`;
    expect((await support.post(path(accountId), body)).status).toBe(403);
    expect((await manager.post(path('00000000-0000-4000-8000-000000000000'), body)).status).toBe(404);
    expect((await manager.post(path('x'), body)).status).toBe(404);
  });
});
