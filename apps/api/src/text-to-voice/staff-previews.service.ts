import type { PreviewPreference } from '@app/database/voices/preview-preference.entity';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { PreferenceRepository } from '@app/database/voices/preference.repository';
import { PreviewRepository, type AgedPreview } from '@app/database/voices/preview.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { Injectable } from '@nestjs/common';
import { byStaff } from '@app/administration/audit/audit-actors';
import { AuditLog } from '@app/administration/audit/audit-log';
import { readPage, toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import { toPosition } from '../http/sorted-list';
import type { Staff } from '@app/domain/staff/staff';

@Injectable()
export class StaffPreviewsService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly previews: PreviewRepository,
    private readonly preferences: PreferenceRepository,
    private readonly auditLog: AuditLog,
  ) {}

  /** The previews of an account that still have their audio, newest first. */
  async list(accountId: string, query: PageQuery): Promise<Page<AgedPreview>> {
    await this.accounts.get(accountId);
    const list: ListIdentity = { name: 'previews', filter: { accountId } };
    const { limit, after } = readPage(query, list, 2);
    const [rows, total] = await Promise.all([
      this.previews.list(accountId, after && toPosition(after, 'timestamptz', list, isPublicId), limit + 1),
      this.previews.count(accountId),
    ]);
    return toPage(rows, limit, list, total, ({ position, preview }) => [position, preview.id]);
  }

  /** Every preference, or those of one account. The export is an event of the audit log. */
  async exportPreferences(staff: Staff, accountId?: string): Promise<AsyncGenerator<PreviewPreference>> {
    if (accountId !== undefined) await this.accounts.get(accountId);
    await this.auditLog.recordAlone({
      actor: byStaff(staff),
      action: 'preferences.exported',
      target: { type: 'preferences', id: accountId ?? 'all', accountId },
    });
    return this.preferences.stream(accountId);
  }
}
