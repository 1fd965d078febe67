import { AccountRepository } from '@app/database/accounts/account.repository';
import {
  KeyFindingRepository,
  type AccountScore,
  type FindingFilter,
  type ListedFinding,
} from '@app/database/key-safety/key-finding.repository';
import type { KeySafetyDay } from '@app/database/key-safety/key-safety-day.entity';
import { KeySafetyRepository } from '@app/database/key-safety/key-safety.repository';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { lastDays, type UtcDays } from '@app/domain/common/utc-days';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import { FINDING_KINDS, type FindingKind } from '@app/domain/keys/key-findings';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import { changing, type Edit } from '../audit/locked-change';
import { keyNotFound } from '@app/domain/keys/key-not-found';

/** How many keys have a finding. */
export interface SafetyCard {
  kind: FindingKind;
  open: number;
  accepted: number;
}

export interface SafetyOverview {
  /** When every key had last been looked at; null before the first time. */
  lookedAt: Date | null;
  /** Every kind, worst first. */
  cards: SafetyCard[];
}

export interface AccountSafety extends SafetyOverview, UtcDays {
  score: AccountScore;
  days: KeySafetyDay[];
}

/** Which finding of which key, and who decides about it. */
interface FindingTarget {
  actor: AuditActor;
  keyId: string;
  kind: FindingKind;
  reason: string;
}

const DAYS_SHOWN = 90;

/** What is found about keys, for staff: counted, scored, and accepted where it is meant to be so. */
@Injectable()
export class KeySafetyService {
  constructor(
    private readonly findings: KeyFindingRepository,
    private readonly safety: KeySafetyRepository,
    private readonly keys: ApiKeyRepository,
    private readonly accounts: AccountRepository,
    private readonly changes: AuditedChanges,
  ) {}

  /** How many keys have each finding. */
  async get(filter: Omit<FindingFilter, 'accountId'>): Promise<SafetyOverview> {
    return this.overview(filter);
  }

  /** The same for one account, with its score by day. */
  async getOfAccount(accountId: string): Promise<AccountSafety> {
    await this.accounts.get(accountId);
    const shown = lastDays(DAYS_SHOWN, new Date());
    const [overview, score, days] = await Promise.all([
      this.overview({ accountId }),
      this.findings.score(accountId),
      this.safety.listDays(accountId, shown.from),
    ]);
    return { ...overview, ...shown, score, days };
  }

  /** The findings of a key, worst first. */
  async list(keyId: string): Promise<ListedFinding[]> {
    if (!isUuid(keyId) || !(await this.keys.exists(keyId))) throw keyNotFound(keyId);
    const listed = await this.findings.list(keyId);
    return listed.toSorted((a, b) => rank(a) - rank(b));
  }

  /** Accepts a finding until a time: until then it is not open. */
  async accept(target: FindingTarget, until: Date): Promise<void> {
    const { actor, keyId, kind, reason } = target;
    await this.change(target, async (em) => {
      if (!(await this.findings.has(keyId, kind, em))) throw notFound(kind);
      const before = await this.findings.findAcceptance(keyId, kind, em);
      await this.findings.accept(
        { keyId, kind, reason, acceptedBy: actor.name, acceptedAt: new Date(), until },
        em,
      );
      return {
        action: 'key.finding_accepted',
        before: before && { finding: kind, until: before.until },
        after: { finding: kind, until },
      };
    });
  }

  /** Ends the acceptance of a finding: it is open again. */
  async reopen(target: FindingTarget): Promise<void> {
    const { keyId, kind } = target;
    await this.change(target, async (em) => {
      const before = await this.findings.findAcceptance(keyId, kind, em);
      if (!before) throw notFound(kind);
      await this.findings.reopen(keyId, kind, em);
      return {
        action: 'key.finding_reopened',
        before: { finding: kind, until: before.until },
        after: { finding: kind, until: null },
      };
    });
  }

  private async overview(filter: FindingFilter): Promise<SafetyOverview> {
    const [counts, pass] = await Promise.all([this.findings.count(filter), this.safety.findPass()]);
    const cards = FINDING_KINDS.map(
      (kind) => counts.find((count) => count.kind === kind) ?? { kind, open: 0, accepted: 0 },
    );
    return { lookedAt: pass?.finishedAt ?? null, cards };
  }

  private async change(
    { actor, keyId, reason }: FindingTarget,
    edit: (em: EntityManager) => Promise<Edit>,
  ): Promise<void> {
    const lock = async (em: EntityManager) => {
      const key = isUuid(keyId) ? await this.keys.lock(keyId, em) : null;
      if (!key) throw keyNotFound(keyId);
      const auditTarget = { type: 'api_key', id: key.id, accountId: key.accountId };
      return { resource: key, version: key.version, auditTarget };
    };
    await this.changes.make(changing({ actor, expected: 'any', reason }, lock, (_, em) => edit(em)));
  }
}

function rank({ finding }: ListedFinding): number {
  return FINDING_KINDS.indexOf(finding.kind);
}

function notFound(kind: FindingKind): DomainError {
  return new DomainError('finding_not_found', { kind });
}
