import type { AuditEvent } from '@app/database/audit/audit-event.entity';
import { activityOrOther } from '@app/domain/audit/audit-actions';
import { toOcsf, type OcsfUser } from './ocsf-event';

/** How events are written for a collector. */
export type StreamFormat = 'ocsf' | 'cef';

/** Facility 13 (log audit), severity 6 (informational): RFC 5424, 6.2.1. */
const PRIORITY = 13 * 8 + 6;

/** An event in one line, as a collector of the installation reads it: with names, reasons and values. */
export function formatEvent(event: AuditEvent, format: StreamFormat): string {
  return format === 'cef' ? toCef(event) : JSON.stringify(toStreamedOcsf(event));
}

function toStreamedOcsf(event: AuditEvent) {
  const { address, requestId } = event;
  return toOcsf(
    event,
    activityOrOther(event.action),
    { user: userOf(event), address, requestId },
    {
      target_type: event.targetType,
      target_id: event.targetId,
      account_id: event.accountId,
      before: event.before,
      after: event.after,
      reason: event.reason,
      // Where it stands in the chain of its day: gaps show.
      chain: { day: event.day, seq: event.seq, hash: event.hash, key_id: event.keyId },
    },
  );
}

function userOf({ actorKind, actorId, actorName }: AuditEvent): OcsfUser {
  if (actorKind === 'staff') return { uid: actorId, name: actorName, type_id: 2, type: 'Admin' };
  if (actorKind === 'system') return { uid: actorId, name: actorName, type_id: 3, type: 'System' };
  return { uid: actorId, name: actorName, type_id: 4, type: 'Service' };
}

/** ArcSight Common Event Format, version 0. */
function toCef(event: AuditEvent): string {
  const { activityName } = activityOrOther(event.action);
  const header = ['CEF:0', 'Greenroom', 'Greenroom', '1', event.action, activityName, '3'];
  const extension = {
    rt: String(event.at.getTime()),
    externalId: event.id,
    act: event.action,
    suser: event.actorName,
    suid: event.actorId,
    ...(event.address !== null && { src: event.address }),
    ...(event.reason !== null && { reason: event.reason }),
    cs1Label: 'target',
    cs1: `${event.targetType} ${event.targetId}`,
    ...(event.accountId !== null && { cs2Label: 'account', cs2: event.accountId }),
    ...(event.requestId !== null && { cs3Label: 'request', cs3: event.requestId }),
    cs4Label: 'chain',
    cs4: `${event.day} ${event.seq} ${event.hash}`,
    ...(event.after !== null && { cs5Label: 'after', cs5: JSON.stringify(event.after) }),
  };
  const pairs = Object.entries(extension).map(([name, value]) => `${name}=${escapeExtension(value)}`);
  return `${header.map(escapeHeader).join('|')}|${pairs.join(' ')}`;
}

const escapeHeader = (text: string) => text.replace(/[\\|]/g, String.raw`\$&`).replace(/[\r\n]+/g, ' ');

const escapeExtension = (text: string) =>
  text.replace(/[\\=]/g, String.raw`\$&`).replace(/\r?\n|\r/g, String.raw`\n`);

/** A message of RFC 5424 with the length before it that RFC 6587 and RFC 5425 put there. */
export function toSyslogFrame(event: AuditEvent, format: StreamFormat, hostname: string): Buffer {
  const name = printable(hostname, 255);
  const id = printable(event.action, 32);
  const text = `<${PRIORITY}>1 ${event.at.toISOString()} ${name} greenroom - ${id} - ${formatEvent(event, format)}`;
  const message = Buffer.from(text);
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

function printable(text: string, max: number): string {
  return text.replace(/[^\u0021-\u007e]/g, '').slice(0, max) || '-';
}
