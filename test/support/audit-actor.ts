import { randomUUID } from 'node:crypto';
import type { AuditActor } from '../../libs/administration/audit/audit-actors';

export const ANA: AuditActor = {
  kind: 'staff',
  id: randomUUID(),
  name: 'ana@staff.test',
  role: 'admin',
  address: null,
  requestId: null,
};
