import { DAY_MS } from '@app/domain/common/utc-days';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { ManagementCredentialRepository } from '@app/database/staff/management-credential.repository';
import type { ManagementCredential } from '@app/database/staff/management-credential.entity';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { parseAllowList } from '@app/domain/allow-lists/allow-list';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import { digestSecret, generateSecret, maskSecret } from '@app/domain/keys/api-key-secret';
import { problemsOfGrant, type ManagementGrant } from '@app/domain/staff/management-grants';
import { Injectable } from '@nestjs/common';
import { randomBytes, randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import type { AuditEntry } from '../audit/audit-log';
import { changing, difference, type ChangeRequest, type Edit, type Locked } from '../audit/locked-change';

/** What a person decides about a credential. */
export interface ManagementSettings extends ManagementGrant {
  name: string;
  purpose: string;
  requestsPerMinute: number;
}

/** Settings as they are sent, and whether an empty allow-list is meant. */
export type ManagementInput<T = ManagementSettings> = T & { anyAddress?: boolean };

interface CredentialTarget extends ChangeRequest {
  id: string;
}

type Patch = Parameters<ManagementCredentialRepository['update']>[1];

/** What programs sign in with that use the staff API. */
@Injectable()
export class ManagementCredentialsService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly credentials: ManagementCredentialRepository,
    private readonly staff: StaffRepository,
  ) {}

  /** @throws DomainError `management_credential_not_found` */
  async get(id: string): Promise<ManagementCredential> {
    const credential = isUuid(id) ? await this.credentials.find(id) : null;
    if (!credential) throw notFound(id);
    return credential;
  }

  /** All that are not deleted, by name. */
  async list(): Promise<ManagementCredential[]> {
    return this.credentials.listAll();
  }

  /**
   * Issues a credential that is bounded by the role of a member of staff. Its secret is not shown again.
   *
   * @throws InvalidInput
   */
  async create(
    actor: AuditActor,
    creatorId: string,
    { anyAddress = false, ...input }: ManagementInput,
    reason: string,
  ): Promise<{ id: string; secret: string }> {
    const secret = generateSecret('management_credential', randomBytes);
    const issued = { digest: digestSecret(secret), maskedSecret: maskSecret(secret) };
    return { id: await this.add(actor, creatorId, { ...input, anyAddress }, issued, reason), secret };
  }

  /**
   * Adds a credential by the digest of its secret and what may be shown of that.
   *
   * @throws InvalidInput
   */
  async add(
    actor: AuditActor,
    creatorId: string,
    { anyAddress = false, ...input }: ManagementInput,
    issued: Pick<ManagementCredential, 'digest' | 'maskedSecret'>,
    reason: string,
  ): Promise<string> {
    const { result: id } = await this.changes.make(async (em) => {
      const creator = await this.staff.find(creatorId, em);
      if (!creator) throw new DomainError('staff_not_found', { staffId: creatorId });
      const credential: ManagementCredential = {
        ...checked(input, creator.role, anyAddress),
        id: randomUUID(),
        ...issued,
        oldDigest: null,
        oldUntil: null,
        creatorId,
        createdBy: creator.email,
        createdAt: new Date(),
        disabledAt: null,
        deletedAt: null,
        lastUsedAt: null,
        lastUsedAddress: null,
        version: 1,
      };
      await this.credentials.insert(credential, em);
      const event: AuditEntry = {
        actor,
        action: 'management_credential.created',
        target: auditTarget(credential),
        after: { ...audited(settingsOf(credential)), hint: credential.maskedSecret },
        reason,
      };
      return { result: credential.id, events: [event] };
    });
    return id;
  }

  /** @throws InvalidInput */
  async edit(
    target: CredentialTarget,
    { anyAddress = false, ...input }: ManagementInput<Partial<ManagementSettings>>,
  ): Promise<void> {
    await this.change(target, async (credential, em) => {
      const creator = await this.staff.find(credential.creatorId, em);
      if (!creator) throw new DomainError('staff_not_found', { staffId: credential.creatorId });
      const before = settingsOf(credential);
      const opens = anyAddress || (input.allowedIps === undefined && credential.allowedIps.length === 0);
      const next = checked({ ...before, ...input }, creator.role, opens);
      const { before: was, after: is } = difference(before, next);
      if (Object.keys(is).length === 0) return null;
      return { patch: is, action: 'management_credential.edited', before: audited(was), after: audited(is) };
    });
  }

  /**
   * Gives a credential another secret; the one before works for `overlapDays` more. Only for its creator: who knows the secret of
   * a credential must not approve what it requests.
   */
  async rotate(target: CredentialTarget, overlapDays: number): Promise<string> {
    const secret = generateSecret('management_credential', randomBytes);
    await this.change(target, async (credential) => {
      if (target.actor.id !== credential.creatorId)
        throw new DomainError('management_credential_of_another', { creator: credential.createdBy });
      const oldUntil = new Date(Date.now() + overlapDays * DAY_MS);
      const maskedSecret = maskSecret(secret);
      return {
        patch: { digest: digestSecret(secret), maskedSecret, oldDigest: credential.digest, oldUntil },
        action: 'management_credential.rotated',
        before: { hint: credential.maskedSecret },
        after: { hint: maskedSecret, old_retires_at: oldUntil },
      };
    });
    return secret;
  }

  /** Ends its use for good: a new one is issued when the program continues. */
  async disable(target: CredentialTarget): Promise<ChangeReceipt | null> {
    return this.change(target, async (credential) => {
      if (credential.disabledAt) throw new DomainError('status_unchanged', { status: 'disabled' });
      return { patch: { disabledAt: new Date() }, action: 'management_credential.disabled' };
    });
  }

  async delete(target: CredentialTarget): Promise<ChangeReceipt | null> {
    return this.change(target, async ({ name, disabledAt }) => ({
      patch: { deletedAt: new Date() },
      action: 'management_credential.deleted',
      before: { name, enabled: disabledAt === null },
    }));
  }

  private async change(
    target: CredentialTarget,
    edit: (credential: ManagementCredential, em: EntityManager) => Promise<Edit<Patch> | null>,
  ): Promise<ChangeReceipt | null> {
    const change = changing(target, (em: EntityManager) => this.lock(target.id, em), edit);
    return (await this.changes.make(change)).receipt;
  }

  private async lock(id: string, em: EntityManager): Promise<Locked<ManagementCredential, Patch>> {
    const credential = isUuid(id) ? await this.credentials.lock(id, em) : null;
    if (!credential) throw notFound(id);
    return {
      resource: credential,
      version: credential.version,
      auditTarget: auditTarget(credential),
      save: (patch) => this.credentials.update(credential.id, patch, em),
      announce: { keyIds: [credential.id] },
    };
  }
}

/** @throws InvalidInput */
function checked(
  settings: ManagementSettings,
  role: Parameters<typeof problemsOfGrant>[1]['role'],
  anyAddress: boolean,
): ManagementSettings {
  const problems = problemsOfGrant(settings, { role, now: new Date(), anyAddress });
  if (problems.length > 0) throw new InvalidInput(problems);
  const { allowedIps } = settings;
  return { ...settings, allowedIps: allowedIps.length > 0 ? parseAllowList(allowedIps).canonical : [] };
}

function settingsOf(credential: ManagementCredential): ManagementSettings {
  const { name, purpose, permissions, accounts, accountIds, tag, allowedIps } = credential;
  const { requestsPerMinute, expiresAt } = credential;
  return { name, purpose, permissions, accounts, accountIds, tag, allowedIps, requestsPerMinute, expiresAt };
}

function audited(settings: Partial<ManagementSettings>): object {
  const { accountIds, allowedIps, requestsPerMinute, expiresAt, ...same } = settings;
  return {
    ...same,
    account_ids: accountIds,
    allowed_ips: allowedIps,
    requests_per_minute: requestsPerMinute,
    expires_at: expiresAt,
  };
}

function auditTarget({ id }: ManagementCredential) {
  return { type: 'management_credential', id };
}

function notFound(id: string): DomainError {
  return new DomainError('management_credential_not_found', { credentialId: id.slice(0, 100) });
}
