import type { AuditEvent } from '@app/database/audit/audit-event.entity';
import { AuditLogRepository, type AccountAuditFilter } from '@app/database/audit/audit-log.repository';
import { ListReader } from '@app/database/list-reader';
import type { Caller } from '@app/domain/keys/caller';
import { Injectable } from '@nestjs/common';
import { decodeCursor, encodeCursor, type ListIdentity } from '../http/pagination';
import { toEventId } from './audit-log.service';

/** One page of an account's events. */
export interface AuditPage {
  events: AuditEvent[];
  nextCursor: string | null;
}

/** The audit log as a customer sees it: the events of the account. */
@Injectable()
export class AccountAuditLogService {
  constructor(
    private readonly events: AuditLogRepository,
    private readonly reader: ListReader,
  ) {}

  /** Events of the caller's account, newest first. */
  async list(
    { key: { accountId } }: Caller,
    filter: AccountAuditFilter,
    { cursor, limit }: { cursor?: string; limit: number },
  ): Promise<AuditPage> {
    const list: ListIdentity = { name: 'account-audit-log', filter: { accountId, ...filter } };
    const beforeId = cursor ? toEventId(decodeCursor(cursor, list, 1)[0]) : null;
    const page = { beforeId, limit: limit + 1 };
    const found = await this.reader.readOfCell((em) =>
      this.events.listOfAccount(accountId, filter, page, em),
    );
    const events = found.slice(0, limit);
    const last = events.at(-1);
    return { events, nextCursor: found.length > limit && last ? encodeCursor([last.id], list) : null };
  }
}
