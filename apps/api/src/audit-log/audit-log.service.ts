import { isUuid } from '@app/domain/common/uuid';
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
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { readPage, toPage, type ListIdentity, type Page } from '../http/pagination';
import type { Staff } from '@app/domain/staff/staff';
import { ValidationProblem } from '../http/wire-problem';
import { byStaff } from '@app/administration/audit/audit-actors';
import type { AuditQuery } from './audit-event.dto';
import { AuditLog } from '@app/administration/audit/audit-log';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

@Injectable()
export class AuditLogService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: AuditLogRepository,
    private readonly auditLog: AuditLog,
    private readonly reader: ListReader,
  ) {}

  /** The events that this member of staff may see, newest first. */
  async list(staff: Staff, query: AuditQuery): Promise<Page<AuditEvent>> {
    const filter = toFilter(query);
    const reader = toReader(staff);
    const list: ListIdentity = { name: 'audit-log', filter: { ...filter, ...reader } };
    const { limit, after } = readPage(query, list, 1);
    const beforeId = after === null ? null : toId(after[0]);
    const [rows, total] = await this.reader.read((em) =>
      Promise.all([
        this.events.list(filter, reader, { beforeId, limit: limit + 1 }, em),
        this.events.count(filter, reader, em),
      ]),
    );
    return toPage(rows, limit, list, total, (event) => [event.id]);
  }

  /** The same events, oldest first and all of them. The export is an event itself. */
  async export(staff: Staff, query: AuditQuery): Promise<AsyncGenerator<AuditEvent>> {
    const filter = toFilter(query);
    await this.dataSource.transaction((em) =>
      this.auditLog.record(
        {
          actor: byStaff(staff),
          action: 'audit.exported',
          target: { type: 'audit_log', id: 'audit_log' },
          after: { filter },
        },
        em,
      ),
    );
    return this.events.stream(filter, toReader(staff));
  }

  /** The end of the chain of each day, to be kept elsewhere. */
  async listHeads(): Promise<AuditHead[]> {
    return this.events.listHeads();
  }
}

function toReader({ id, role }: Staff): AuditReader {
  return { id, scope: auditScopeOf(role) };
}

function toFilter(query: AuditQuery): AuditFilter {
  return {
    actor: query.actor,
    action: query.action,
    targetId: query.target,
    accountId: toUuid('account_id', query.account_id),
    from: toTime('from', query.from),
    to: toTime('to', query.to),
  };
}

function toUuid(name: string, given: string | undefined): string | undefined {
  if (given === undefined || isUuid(given)) return given;
  throw refuse(name, given, 'the id of an account');
}

function toTime(name: string, given: string | undefined): Date | undefined {
  if (given === undefined) return undefined;
  const time = new Date(given);
  if (ISO_TIME.test(given) && !Number.isNaN(time.getTime())) return time;
  throw refuse(name, given, 'a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z');
}

/** The position in a cursor is text that any client can write: what is not an id sorts before everything. */
function toId(part: string | number | null | undefined): string {
  return /^\d{1,18}$/.test(String(part)) ? String(part) : '0';
}

function refuse(name: string, input: string, accepted: string): ValidationProblem {
  const msg = `Input should be ${accepted}`;
  return new ValidationProblem([
    { type: 'value_error', loc: ['query', name], msg, input, ctx: { accepted } },
  ]);
}
