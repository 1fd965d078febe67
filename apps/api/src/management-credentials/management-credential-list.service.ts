import type { ManagementCredential } from '@app/database/staff/management-credential.entity';
import { ManagementCredentialRepository } from '@app/database/staff/management-credential.repository';
import { Injectable } from '@nestjs/common';
import { toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import { readSortedPage } from '../http/sorted-list';

const ORDERS = { created_at: { type: 'timestamptz' } } as const;
const LIST: ListIdentity = { name: 'management credentials' };

/** What programs sign in with that use the staff API, in pages. */
@Injectable()
export class ManagementCredentialListService {
  constructor(private readonly credentials: ManagementCredentialRepository) {}

  /** Credentials, newest first. */
  async list(query: PageQuery): Promise<Page<ManagementCredential>> {
    const { after, limit } = readSortedPage(ORDERS, '-created_at', query, LIST);
    const position = after && { createdAt: after.value, id: after.id };
    const [rows, total] = await Promise.all([
      this.credentials.list(position, limit + 1),
      this.credentials.count(),
    ]);
    const page = toPage(rows, limit, LIST, total, (row) => [row.position, row.credential.id]);
    return { ...page, items: page.items.map(({ credential }) => credential) };
  }
}
