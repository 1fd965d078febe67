import { ListReader } from '@app/database/list-reader';
import type { AuditEvent } from '@app/database/audit/audit-event.entity';
import {
  AuditLogRepository,
  type AuditFilter,
  type AuditReader,
} from '@app/database/audit/audit-log.repository';
import type { AuditHead } from '@app/domain/audit/audit-chain';
import { auditScopeOf } from '@app/domain/staff/staff-permissions';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { readPage, toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import type { Staff } from '@app/domain/staff/staff';
import { byStaff } from '@app/administration/audit/audit-actors';
import { AuditLog, type DayVerdict } from '@app/administration/audit/audit-log';

/** A page of events, and the names of those they are about. */
interface NamedPage {
  page: Page<AuditEvent>;
  names: ReadonlyMap<string, string>;
}

@Injectable()
export class AuditLogService {
  constructor(
    private readonly events: AuditLogRepository,
    private readonly auditLog: AuditLog,
    private readonly reader: ListReader,
  ) {}

  /** The events that this member of staff may see, newest first. */
  async list(staff: Staff, filter: AuditFilter, query: PageQuery): Promise<NamedPage> {
    const reader = toReader(staff);
    const list: ListIdentity = { name: 'audit-log', filter: { ...filter, ...reader } };
    const { limit, after } = readPage(query, list, 1);
    const beforeId = after === null ? null : toEventId(after[0]);
    const [rows, total] = await this.reader.read((em) =>
      Promise.all([
        this.events.list(filter, reader, { beforeId, limit: limit + 1 }, em),
        this.events.count(filter, reader, em),
      ]),
    );
    const page = toPage(rows, limit, list, total, (event) => [event.id]);
    const namesOf = (em: EntityManager) => this.events.namesOf(page.items, em);
    const [names, ofCell] = await this.reader.readBoth(namesOf, namesOf);
    return { page, names: new Map([...names, ...(ofCell ?? [])]) };
  }

  /** The same events, oldest first and all of them. The export is an event itself. */
  async export(staff: Staff, filter: AuditFilter): Promise<AsyncGenerator<AuditEvent>> {
    await this.auditLog.recordAlone({
      actor: byStaff(staff),
      action: 'audit.exported',
      target: { type: 'audit_log', id: 'audit_log' },
      after: { filter },
    });
    return this.events.stream(filter, toReader(staff));
  }

  /** The chain of each of these days, followed to its end. */
  async verifyDays(first: string, last: string): Promise<DayVerdict[]> {
    return this.auditLog.verifyDays(first, last);
  }

  /** The end of the chain of each day, to be stored elsewhere. */
  async listHeads(): Promise<AuditHead[]> {
    return this.events.listHeads();
  }
}

function toReader({ id, role }: Staff): AuditReader {
  return { id, scope: auditScopeOf(role) };
}

/** The position in a cursor is text that any client can write: what is not an id sorts before everything. */
export function toEventId(part: string | number | null | undefined): string {
  return /^\d{1,18}$/.test(String(part)) ? String(part) : '0';
}
