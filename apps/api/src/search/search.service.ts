import { AuditLogRepository } from '@app/database/audit/audit-log.repository';
import { ListReader } from '@app/database/list-reader';
import {
  SEARCH_KINDS,
  SearchRepository,
  type SearchHit,
  type SearchSource,
} from '@app/database/search/search.repository';
import { readSearchTerms } from '@app/domain/search/search-terms';
import type { Staff } from '@app/domain/staff/staff';
import { auditScopeOf, mayStaff, type StaffPermission } from '@app/domain/staff/staff-permissions';
import { Injectable } from '@nestjs/common';
import type { AuditEvent } from '@app/database/audit/audit-event.entity';

const PER_KIND = 5;

/** What a role must be able to read, so that a search looks there. */
const NEEDED: Record<SearchSource, StaffPermission> = {
  accounts: 'accounts.read',
  keys: 'keys.read',
  voices: 'voices.read',
  staff: 'staff.read',
};

/** Finds anything that staff may read by a name, an id, an address or the last four of a secret. */
@Injectable()
export class SearchService {
  constructor(
    private readonly resources: SearchRepository,
    private readonly events: AuditLogRepository,
    private readonly reader: ListReader,
  ) {}

  /** A few hits of every kind, the kinds in their order, within one what was named exactly first, then the newest. */
  async search(staff: Staff, typed: string): Promise<SearchHit[]> {
    const terms = readSearchTerms(typed);
    const sources = new Set(
      (Object.keys(NEEDED) as SearchSource[]).filter((source) => mayStaff(staff.role, NEEDED[source])),
    );
    const [resources, events] = await this.reader.read((em) =>
      Promise.all([
        this.resources.find(terms, sources, PER_KIND, em),
        terms.id === null
          ? []
          : this.events.list(
              { requestId: terms.id },
              { id: staff.id, scope: auditScopeOf(staff.role) },
              { beforeId: null, limit: PER_KIND },
              em,
            ),
      ]),
    );
    const hits = [...resources, ...events.map(toHit)];
    return SEARCH_KINDS.flatMap((kind) =>
      withoutRepeats(hits.filter((hit) => hit.kind === kind)).slice(0, PER_KIND),
    );
  }
}

function toHit({ requestId, action, actorName, targetId, accountId, at }: AuditEvent): SearchHit {
  return {
    kind: 'request',
    id: requestId!,
    name: action,
    detail: actorName,
    status: 'audit log',
    accountId,
    accountName: null,
    keyId: null,
    voiceId: null,
    credits: null,
    durationMs: null,
    at,
    targetId,
  };
}

function withoutRepeats(hits: SearchHit[]): SearchHit[] {
  const seen = new Set<string>();
  return hits.filter(({ kind, id, name, status }) => {
    const identity = kind === 'request' || kind === 'address' ? `${id} ${name} ${status}` : id;
    return !seen.has(identity) && seen.add(identity);
  });
}
