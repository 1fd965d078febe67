import type { StaffMember } from '@app/database/staff/staff-member.entity';
import { StaffRepository, type StaffFilter } from '@app/database/staff/staff.repository';
import { Injectable } from '@nestjs/common';
import { readPage, toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';

export interface ListedMember {
  member: StaffMember;
  /** Null for never. */
  lastSignInAt: Date | null;
}

@Injectable()
export class StaffSearchService {
  constructor(private readonly staff: StaffRepository) {}

  /** Members, by e-mail address, and when they signed in last. */
  async list(filter: StaffFilter, query: PageQuery): Promise<Page<ListedMember>> {
    const list: ListIdentity = { name: 'staff', filter: { ...filter } };
    const { limit, after } = readPage(query, list, 1);
    const afterEmail = after === null ? null : String(after[0]);
    const [rows, total] = await Promise.all([
      this.staff.list(filter, { afterEmail, limit: limit + 1 }),
      this.staff.count(filter),
    ]);
    const page = toPage(rows, limit, list, total, (member) => [member.email]);
    const signIns = await this.staff.listLastSignIns(page.items.map(({ id }) => id));
    const items = page.items.map((member) => ({ member, lastSignInAt: signIns.get(member.id) ?? null }));
    return { ...page, items };
  }
}
