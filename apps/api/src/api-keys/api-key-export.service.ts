import type { AuditActor } from '@app/administration/audit/audit-actors';
import { AuditLog } from '@app/administration/audit/audit-log';
import type { ApiKeyFilter } from '@app/database/keys/api-key-filter';
import type { ApiKeyView } from '@app/database/keys/api-key-view';
import { Injectable } from '@nestjs/common';
import { ApiKeySearchService } from './api-key-search.service';

/** Every key that matches a filter, for a file. */
@Injectable()
export class ApiKeyExportService {
  constructor(
    private readonly auditLog: AuditLog,
    private readonly search: ApiKeySearchService,
  ) {}

  /** The export is an event itself. */
  async export(actor: AuditActor, filter: ApiKeyFilter): Promise<AsyncGenerator<ApiKeyView>> {
    await this.auditLog.recordAlone({
      actor,
      action: 'keys.exported',
      target: { type: 'api_keys', id: 'export', accountId: filter.accountId },
      after: { filter },
    });
    return this.search.stream(filter);
  }
}
