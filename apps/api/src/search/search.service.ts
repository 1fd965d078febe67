import { AuditLogRepository } from '@app/database/audit/audit-log.repository';
import { ListReader } from '@app/database/list-reader';
import {
  SEARCH_KINDS,
  SearchRepository,
  type Search,
  type SearchHit,
  type SearchKind,
  type SearchSource,
} from '@app/database/search/search.repository';
import { readSearchTerms, type SearchTerms } from '@app/domain/search/search-terms';
import type { Staff } from '@app/domain/staff/staff';
import { auditScopeOf, mayStaff, type StaffPermission } from '@app/domain/staff/staff-permissions';
import { Injectable } from '@nestjs/common';
import type { AuditEvent } from '@app/database/audit/audit-event.entity';
import type { EntityManager } from 'typeorm';

const PER_KIND = 5;
/** Of the nearest names, when nothing has the name that was typed. */
const NEAREST_PER_KIND = 3;
/** Shorter texts resemble too many names. */
const SHORTEST_NEAR = 4;

/** What a role must be able to read, so that a search looks there. */
const NEEDED: Record<SearchSource, StaffPermission> = {
  accounts: 'accounts.read',
  keys: 'keys.read',
  voices: 'voices.read',
  staff: 'staff.read',
  programs: 'management_credentials.read',
};

/** What a reporting database finds as a cell does. */
const REPORTED: ReadonlySet<SearchKind> = new Set(['account', 'key', 'voice']);

/** What only its own cell knows. */
const OF_CELL: ReadonlySet<SearchKind> = new Set(['staff', 'program']);

/** What a search has found. */
export interface Found {
  hits: SearchHit[];
  /** Nothing has the name that was typed: the hits are those with the nearest names. */
  nearest: boolean;
}

/** Finds anything that staff may read by a name, an id, an address or the last four of a secret. */
@Injectable()
export class SearchService {
  constructor(
    private readonly resources: SearchRepository,
    private readonly events: AuditLogRepository,
    private readonly reader: ListReader,
  ) {}

  /**
   * A few hits of every kind, the kinds in their order, within one what was named exactly first, then the newest. When there are
   * none: the accounts, keys and voices with the nearest names.
   */
  async search(staff: Staff, typed: string): Promise<Found> {
    const terms = readSearchTerms(typed);
    const sources = new Set(
      (Object.keys(NEEDED) as SearchSource[]).filter((source) => mayStaff(staff.role, NEEDED[source])),
    );
    const hits = await this.find(staff, { terms, sources, perKind: PER_KIND });
    if (hits.length > 0 || !mayResemble(terms)) return { hits: byKind(hits), nearest: false };
    const nearest = await this.reader.read((em) =>
      this.resources.findNearest({ terms, sources, perKind: NEAREST_PER_KIND }, em),
    );
    return { hits: byKind(nearest), nearest: nearest.length > 0 };
  }

  /** Accounts, keys, voices and events of all cells; requests, previews, addresses, staff and programs of this one. */
  private async find(staff: Staff, search: Search): Promise<SearchHit[]> {
    const [[resources, events], ofCell] = await this.reader.readBoth(
      (em) => Promise.all([this.resources.find(search, em), this.findEvents(staff, search.terms, em)]),
      (em) => this.resources.find(search, em),
    );
    const hits = [...resources, ...events.map(toHit)];
    if (ofCell === null) return hits;
    return [
      ...hits.filter(({ kind }) => !OF_CELL.has(kind)),
      ...ofCell.filter(({ kind }) => !REPORTED.has(kind)),
    ];
  }

  private async findEvents(
    { id, role }: Staff,
    { id: requestId }: SearchTerms,
    em: EntityManager,
  ): Promise<AuditEvent[]> {
    if (requestId === null) return [];
    const reader = { id, scope: auditScopeOf(role) };
    return this.events.list({ requestId }, reader, { beforeId: null, limit: PER_KIND }, em);
  }
}

/** Whether a text may be a name with a letter wrong: no id and no address. */
const mayResemble = ({ text, uuid, address }: SearchTerms) =>
  uuid === null && address === null && text.length >= SHORTEST_NEAR;

function byKind(hits: SearchHit[]): SearchHit[] {
  return SEARCH_KINDS.flatMap((kind) =>
    withoutRepeats(hits.filter((hit) => hit.kind === kind)).slice(0, PER_KIND),
  );
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
