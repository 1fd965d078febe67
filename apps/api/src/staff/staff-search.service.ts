import type { StaffMember } from '@app/database/staff/staff-member.entity';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { Injectable } from '@nestjs/common';
import { readPage, toPage, type ListIdentity, type Page } from '../http/pagination';
import type { StaffQuery } from './staff.dto';

@Injectable()
export class StaffSearchService {
  constructor(private readonly staff: StaffRepository) {}

  /** Members, by e-mail address. */
  async list(query: StaffQuery): Promise<Page<StaffMember>> {
    const disabled = query.disabled === undefined ? undefined : query.disabled === 'true';
    const filter = { role: query.role, disabled, search: query.search };
    const list: ListIdentity = { name: 'staff', filter };
    const { limit, after } = readPage(query, list, 1);
    const afterEmail = after === null ? null : String(after[0]);
    const [rows, total] = await Promise.all([
      this.staff.list(filter, { afterEmail, limit: limit + 1 }),
      this.staff.count(filter),
    ]);
    return toPage(rows, limit, list, total, (member) => [member.email]);
  }
}
