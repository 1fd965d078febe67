import type { AuditEvent } from '@app/database/audit/audit-event.entity';
import type { AuditedActivity } from '@app/domain/audit/audit-actions';

export interface OcsfUser {
  uid: string;
  name: string;
  type_id: number;
  type: string;
}

/** The constant fields of an event. */
export interface OcsfSubject {
  user: OcsfUser;
  /** From where the request came. */
  address: string | null;
  requestId: string | null;
}

/**
 * The one mapping of audit events to OCSF 1.6 (https://schema.ocsf.io): for accounts, who read their own, and for the stream to
 * a collector. What differs between the two is who is named and what is left unmapped.
 */
export function toOcsf<T extends object>(
  event: Pick<AuditEvent, 'id' | 'at' | 'action' | 'targetType' | 'targetId'>,
  { classUid, className, activityId, activityName }: AuditedActivity,
  { user, address, requestId }: OcsfSubject,
  unmapped: T,
) {
  return {
    id: event.id,
    metadata: {
      version: '1.6.0' as const,
      product: { name: 'Greenroom', vendor_name: 'Greenroom' },
      event_code: event.action,
      correlation_uid: requestId,
    },
    time: event.at.getTime(),
    time_dt: event.at.toISOString(),
    category_uid: 3 as const,
    category_name: 'Identity & Access Management',
    class_uid: classUid,
    class_name: className,
    activity_id: activityId,
    activity_name: activityName,
    type_uid: classUid * 100 + activityId,
    type_name: `${className}: ${activityName}`,
    severity_id: 1 as const,
    status_id: 1 as const,
    actor: { user },
    device: address === null ? null : { ip: address },
    message: `${activityName} by ${user.name}: ${event.targetType} ${event.targetId}`,
    unmapped,
  };
}
