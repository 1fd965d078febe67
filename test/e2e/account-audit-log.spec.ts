import type { AuditAction } from '../../libs/domain/audit/audit-actions';
import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import { randomUUID } from 'node:crypto';
import { AuditLog } from '../../libs/administration/audit/audit-log';
import { bySystem, type AuditActor } from '../../libs/administration/audit/audit-actors';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

const PATH = '/v1/workspace/audit-logs';

interface Entry {
  id: string;
  time: number;
  activity_name: string;
  class_name: string;
  actor: { user: { uid: string; name: string } };
  device: { ip: string } | null;
  metadata: { event_code: string; correlation_uid: string | null };
  unmapped: { target_id: string; changed_fields: string[] };
}

interface Page {
  entries: Entry[];
  has_more: boolean;
  next_cursor: string | null;
}

async function read({ secret }: IssuedKey, query: Record<string, string> = {}): Promise<Page> {
  const search = new URLSearchParams(query).toString();
  const { status, body } = await stack.request('GET', `${PATH}?${search}`, { secret });
  expect(status).toBe(200);
  return body as unknown as Page;
}

const codesOf = ({ entries }: Page) => entries.map(({ metadata }) => metadata.event_code);

/** Writes an event of an account, as a change would. */
async function record(accountId: string, action: string, actor: Partial<AuditActor> = {}): Promise<void> {
  const target = { type: 'api_key', id: randomUUID(), accountId };
  const entry = { actor: { ...bySystem('test'), ...actor }, action: action as AuditAction, target };
  await stack.dataSource.transaction((em) => stack.api.get(AuditLog).record(entry, em));
}

describe('200', () => {
  it('lists what the own keys did, in the form that the client library reads, without their secrets', async () => {
    const owner = await stack.issueKey();
    const client = new ElevenLabsClient({ apiKey: owner.secret, baseUrl: stack.baseUrl, maxRetries: 0 });
    const { serviceAccountUserId: id } = await client.serviceAccounts.create({ name: 'CI' });
    const created = await client.serviceAccounts.apiKeys.create(id, {
      name: 'ci',
      permissions: ['models_read'],
      characterLimit: 5,
    });
    await client.serviceAccounts.apiKeys.update(id, created.keyId, { characterLimit: 7 });
    const { entries, hasMore } = await client.workspace.auditLogs.list();
    expect(hasMore).toBe(false);
    expect(entries).toHaveLength(3);
    expect(entries[0]).toMatchObject({
      activityId: 3,
      activityName: 'API Key Update',
      categoryUid: 3,
      classUid: 3004,
      className: 'Entity Management',
      typeUid: 300_403,
      severityId: 1,
      statusId: 1,
      actor: { user: { uid: owner.keyId, name: `API key ${owner.keyId}`, type: 'Service' } },
      device: { ip: '127.0.0.1' },
      unmapped: { target_type: 'api_key', target_id: created.keyId, changed_fields: ['credit_limit'] },
    });
    expect(entries[0]!.timeDt).toBe(new Date(entries[0]!.time!).toISOString());
    expect(entries.map(({ activityName }) => activityName)).toEqual([
      'API Key Update',
      'API Key Creation',
      'Service Account Creation',
    ]);
    const text = JSON.stringify(entries);
    for (const secret of [owner.secret, created.xiApiKey]) expect(text).not.toContain(secret);
  });

  it('shows what staff did, and of the staff member nothing', async () => {
    const manager = await StaffClient.signedIn(stack, 'account_manager');
    const owner = await stack.issueKey();
    const reason = 'Suspected of fraud, ticket 4711';
    const { status } = await manager.post(
      `/admin/api-keys/${owner.keyId}/rotate`,
      { overlap_days: 1, reason },
      { 'if-match': '*' },
    );
    expect(status).toBe(200);
    const page = await read(owner);
    expect(page.entries).toMatchObject([
      {
        activity_name: 'API Key Rotation',
        actor: { user: { uid: 'greenroom-staff', name: 'Greenroom staff' } },
        device: null,
        metadata: { correlation_uid: null },
      },
    ]);
    const text = JSON.stringify(page);
    const { id, email } = manager.person;
    for (const stored of [id, email, reason, '127.0.0.1', 'account_manager'])
      expect(text).not.toContain(stored);
    expect(codesOf(await read(owner, { actor_uid: id }))).toEqual([]);
  });

  it('shows nothing of other accounts, and no action that is for staff only', async () => {
    const [owner, other] = [await stack.issueKey(), await stack.issueKey()];
    await record(other.accountId, 'key.disabled');
    await record(owner.accountId, 'key.flagged_by_staff');
    await record(owner.accountId, 'voice.deleted');
    expect(codesOf(await read(owner))).toEqual(['voice.deleted']);
    expect(codesOf(await read(owner, { actor_uid: other.keyId }))).toEqual([]);
  });

  it('narrows by time, actor, class and activity', async () => {
    const owner = await stack.issueKey();
    const { accountId } = owner;
    await record(accountId, 'key.created', { kind: 'customer', id: owner.keyId, name: 'API key' });
    await record(accountId, 'credits.grant', { kind: 'staff', id: randomUUID(), name: 'ana@staff.test' });
    await record(accountId, 'key.disabled');
    const all = await read(owner);
    expect(codesOf(all)).toEqual(['key.disabled', 'credits.grant', 'key.created']);
    const [newest, middle] = all.entries.map(({ time }) => String(time));
    const seen = async (query: Record<string, string>) => codesOf(await read(owner, query));
    expect(await seen({ actor_uid: owner.keyId })).toEqual(['key.created']);
    expect(await seen({ actor_uid: 'greenroom-staff' })).toEqual(['credits.grant']);
    expect(await seen({ actor_uid: 'greenroom' })).toEqual(['key.disabled']);
    expect(await seen({ class_name: 'Account Change' })).toEqual(['credits.grant']);
    expect(await seen({ activity_name: 'API Key Deactivation' })).toEqual(['key.disabled']);
    expect(await seen({ class_name: 'Account Change', activity_name: 'API Key Creation' })).toEqual([]);
    expect(await seen({ class_name: 'Group Management' })).toEqual([]);
    expect(await seen({ time_from_unix_ms: newest! })).toContain('key.disabled');
    expect(await seen({ time_from_unix_ms: String(Number(newest) + 1) })).toEqual([]);
    expect(await seen({ time_to_unix_ms: middle! })).toContain('credits.grant');
    expect(await seen({ time_to_unix_ms: '0' })).toEqual([]);
    expect(await seen({ time_to_unix_ms: '253402300799999' })).toHaveLength(3);
  });

  it('pages stay stable while events are added', async () => {
    const owner = await stack.issueKey();
    for (let count = 0; count < 5; count += 1) await record(owner.accountId, 'key.disabled');
    const requested = (await read(owner)).entries.map(({ id }) => id);
    const seen: string[] = [];
    let page = await read(owner, { limit: '2' });
    for (;;) {
      seen.push(...page.entries.map(({ id }) => id));
      expect(page.has_more).toBe(page.next_cursor !== null);
      if (page.next_cursor === null) break;
      await record(owner.accountId, 'key.enabled');
      page = await read(owner, { limit: '2', cursor: page.next_cursor });
    }
    expect(seen).toEqual(requested);
  });
});

describe('400', () => {
  it('a cursor of another account, of another filter and a damaged one are refused', async () => {
    const [owner, other] = [await stack.issueKey(), await stack.issueKey()];
    for (let count = 0; count < 2; count += 1) await record(other.accountId, 'key.disabled');
    const { next_cursor } = await read(other, { limit: '1' });
    const refusal = async ({ secret }: IssuedKey, query: string) => {
      const { status, body } = await stack.request('GET', `${PATH}?${query}`, { secret });
      return [status, body.detail!.code];
    };
    expect(await refusal(owner, `cursor=${next_cursor}`)).toEqual([400, 'invalid_cursor']);
    expect(await refusal(other, `cursor=${next_cursor}&actor_uid=x`)).toEqual([400, 'invalid_cursor']);
    expect(await refusal(owner, 'cursor=damaged')).toEqual([400, 'invalid_cursor']);
  });
});

describe('403', () => {
  it('a key needs audit_log_read, and workspace_read is not it', async () => {
    const { secret } = await stack.issueKey({ permissions: ['workspace_read', 'user_read'] });
    const { status, body } = await stack.request('GET', PATH, { secret });
    expect([status, body.detail!.code]).toEqual([403, 'insufficient_permissions']);
    expect(body.detail!.message).toContain('audit_log_read');
    const narrow = await stack.issueKey({ permissions: ['audit_log_read'] });
    expect(await read(narrow)).toEqual({ entries: [], has_more: false, next_cursor: null });
  });
});

describe('422', () => {
  it.each(['limit=0', 'limit=101', 'limit=many', 'time_from_unix_ms=-1', 'time_to_unix_ms=253402300800000'])(
    '%s',
    async (query) => {
      const { secret } = await stack.issueKey();
      const { status, body } = await stack.request('GET', `${PATH}?${query}`, { secret });
      expect(status).toBe(422);
      expect(body.detail![0]!.loc).toEqual(['query', query.split('=')[0]]);
    },
  );
});
