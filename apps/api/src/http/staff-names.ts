import { StaffRepository } from '@app/database/staff/staff.repository';
import { Injectable } from '@nestjs/common';

/** The most addresses that a response has names for: one for each entry of a page. */
const MOST_ADDRESSES = 200;

/** Whether a field of a response may be the address of a member of staff. The API's description reads it too. */
export function isPersonField(name: string): boolean {
  return /^(?:actor|manager|assigned_to|(?:.*_)?by)$/.test(name);
}

/** The different addresses of members of staff in what is sent. */
export function addressesIn(body: unknown, found = new Set<string>()): Set<string> {
  if (typeof body !== 'object' || body === null) return found;
  for (const [field, value] of Object.entries(body)) {
    if (found.size >= MOST_ADDRESSES) break;
    if (typeof value === 'object') addressesIn(value, found);
    else if (typeof value === 'string' && value.includes('@') && isPersonField(field)) found.add(value);
  }
  return found;
}

/** What members of staff are called today, for what is sent to other members. */
@Injectable()
export class StaffNames {
  constructor(private readonly members: StaffRepository) {}

  /** Of those whose addresses a response has, by address. None when they cannot be read: it is sent without names rather than refused. */
  async of(body: unknown): Promise<{ staff_names?: Record<string, string> }> {
    const addresses = [...addressesIn(body)];
    if (addresses.length === 0) return {};
    const known = await this.members.namesOf(addresses).catch(() => []);
    if (known.length === 0) return {};
    return { staff_names: Object.fromEntries(known.map(({ email, name }) => [email, name])) };
  }
}
