import type { AuditEvent } from '@app/database/audit/audit-event.entity';
import { formatEvent, toSyslogFrame } from './stream-formats';

const EVENT: AuditEvent = {
  id: '7',
  day: '2026-11-23',
  seq: 3,
  at: new Date('2026-11-23T01:02:03.004Z'),
  actorKind: 'staff',
  actorId: 'a1',
  actorName: 'ana@staff.test',
  actorRole: 'admin',
  action: 'key.disabled',
  targetType: 'api_key',
  targetId: 'k1',
  accountId: 'c1',
  before: { disable_reason: null },
  after: { disable_reason: 'unused' },
  reason: 'a=b | c\\d\ne ü',
  address: '192.0.2.7',
  requestId: 'r1',
  hash: 'h',
  keyId: 'k',
};

it('writes OCSF with who, why and what, in one line', () => {
  const line = formatEvent(EVENT, 'ocsf');
  expect(line).not.toContain('\n');
  expect(JSON.parse(line)).toMatchObject({
    id: '7',
    metadata: { version: '1.6.0', event_code: 'key.disabled', correlation_uid: 'r1' },
    class_uid: 3004,
    type_uid: 300409,
    activity_name: 'API Key Deactivation',
    actor: { user: { uid: 'a1', name: 'ana@staff.test', type: 'Admin' } },
    device: { ip: '192.0.2.7' },
    unmapped: {
      account_id: 'c1',
      after: { disable_reason: 'unused' },
      chain: { seq: 3, hash: 'h', key_id: 'k' },
    },
  });
});

it('names an action that accounts do not see by its words', () => {
  const line = formatEvent({ ...EVENT, action: 'staff.password_reset' }, 'ocsf');
  expect(JSON.parse(line)).toMatchObject({ activity_id: 99, activity_name: 'Staff Password Reset' });
});

it('writes CEF whose separators cannot be forged', () => {
  const line = formatEvent({ ...EVENT, action: 'x|y\\z' }, 'cef');
  expect(line).toMatch(/^CEF:0\|Greenroom\|Greenroom\|1\|x\\\|y\\\\z\|/);
  expect(line).toContain(String.raw`reason=a\=b | c\\d\ne ü `);
  expect(line).not.toContain('\n');
});

it('frames a syslog message by its bytes', () => {
  const frame = toSyslogFrame(EVENT, 'ocsf', 'näme host').toString('utf8');
  const [, length, message] = /^(\d+) (.*)$/s.exec(frame)!;
  expect(Buffer.byteLength(message!)).toBe(Number(length));
  expect(message).toMatch(/^<110>1 2026-11-23T01:02:03\.004Z nmehost greenroom - key\.disabled - \{"id":"7"/);
});
