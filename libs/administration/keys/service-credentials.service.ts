import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { ServiceCredential } from '@app/database/keys/service-credential.entity';
import { ServiceCredentialRepository } from '@app/database/keys/service-credential.repository';
import type { ForwardRule } from '@app/domain/keys/forward-rules';
import { digestSecret, generateSecret, maskSecret } from '@app/domain/keys/api-key-secret';
import { DomainError } from '@app/domain/errors';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import { randomBytes, randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import { changing, type ChangeRequest, type Edit, type Locked } from '../audit/locked-change';
import type { AuditEntry } from '../audit/audit-log';

/** Which credential a change is about, and who makes it. */
interface CredentialTarget extends ChangeRequest {
  id: string;
}

/** What is stored of a secret. */
type IssuedCredential = Pick<ServiceCredential, 'name' | 'digest' | 'maskedSecret'> &
  Partial<Pick<ServiceCredential, 'forwardRules'>>;

type CredentialPatch = Partial<Pick<ServiceCredential, 'disabledAt' | 'deletedAt' | 'forwardRules'>>;

/** What the platform's own services sign in with. Staff issue it and end it; both are audited. */
@Injectable()
export class ServiceCredentialsService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly credentials: ServiceCredentialRepository,
  ) {}

  /** @throws DomainError `service_credential_not_found` */
  async get(id: string): Promise<ServiceCredential> {
    const credential = isUuid(id) ? await this.credentials.find(id) : null;
    if (!credential) throw credentialNotFound(id);
    return credential;
  }

  /** Issues a credential. Its secret is not shown again. */
  async create(
    actor: AuditActor,
    { name, reason }: { name: string; reason: string },
  ): Promise<{ credential: ServiceCredential; secret: string }> {
    const secret = generateSecret('service_credential', randomBytes);
    const issued = { name, digest: digestSecret(secret), maskedSecret: maskSecret(secret) };
    return { credential: await this.add(actor, issued, reason), secret };
  }

  /** Adds a credential that another cell has issued, by the digest of its secret and what may be shown of that. */
  async add(actor: AuditActor, issued: IssuedCredential, reason: string): Promise<ServiceCredential> {
    const credential = toCredential(issued, actor.name);
    await this.changes.make(async (em) => {
      await this.credentials.insert(credential, em);
      const target = auditTarget(credential);
      const { name, maskedSecret: hint, forwardRules: rules } = credential;
      const after = { name, hint, ...(rules.length > 0 && { forward_rules: rules }) };
      const event: AuditEntry = { actor, action: 'service_credential.created', target, after, reason };
      return { result: undefined, events: [event] };
    });
    return credential;
  }

  /** All that are not deleted, by name. */
  async list(): Promise<ServiceCredential[]> {
    return this.credentials.listAll();
  }

  /** Ends its use for good: a new one is issued when the service continues. */
  async disable(target: CredentialTarget): Promise<ChangeReceipt | null> {
    return this.end(target, 'service_credential.disabled', (credential) => {
      if (credential.disabledAt) throw new DomainError('status_unchanged', { status: 'disabled' });
      return { disabledAt: new Date() };
    });
  }

  /** Sets which requests a reverse proxy may forward with it, and what they need and cost; none forwards nothing. */
  async setForwardRules(
    target: CredentialTarget,
    forwardRules: ForwardRule[],
  ): Promise<ChangeReceipt | null> {
    return this.change(target, async (credential) => ({
      patch: { forwardRules },
      action: 'service_credential.forwarding_changed',
      before: { forward_rules: credential.forwardRules },
      after: { forward_rules: forwardRules },
    }));
  }

  /** @throws DomainError always: the secret of a disabled credential may be known, and must not work again */
  async enable(id: string): Promise<ServiceCredential> {
    const { disabledAt } = await this.get(id);
    if (disabledAt) throw new DomainError('service_credential_stays_disabled');
    throw new DomainError('status_unchanged', { status: 'enabled' });
  }

  /** Deletes it: what it opened is refused from now on. */
  async delete(target: CredentialTarget): Promise<ChangeReceipt | null> {
    return this.end(target, 'service_credential.deleted', () => ({ deletedAt: new Date() }));
  }

  private async end(
    target: CredentialTarget,
    action: 'service_credential.disabled' | 'service_credential.deleted',
    patchOf: (credential: ServiceCredential) => CredentialPatch,
  ): Promise<ChangeReceipt | null> {
    return this.change(target, async (credential) => ({
      patch: patchOf(credential),
      action,
      before: { name: credential.name, enabled: credential.disabledAt === null },
    }));
  }

  private async change(
    target: CredentialTarget,
    edit: (credential: ServiceCredential) => Promise<Edit<CredentialPatch>>,
  ): Promise<ChangeReceipt | null> {
    const lock = (em: EntityManager) => this.lock(target.id, em);
    return (await this.changes.make(changing(target, lock, edit))).receipt;
  }

  private async lock(id: string, em: EntityManager): Promise<Locked<ServiceCredential, CredentialPatch>> {
    const credential = isUuid(id) ? await this.credentials.lock(id, em) : null;
    if (!credential) throw credentialNotFound(id);
    return {
      resource: credential,
      version: credential.version,
      auditTarget: auditTarget(credential),
      save: (patch) => this.credentials.update(credential.id, patch, em),
      announce: { keyIds: [credential.id] },
    };
  }
}

function auditTarget({ id }: ServiceCredential) {
  return { type: 'service_credential', id };
}

function toCredential(issued: IssuedCredential, createdBy: string): ServiceCredential {
  return {
    id: randomUUID(),
    forwardRules: [],
    ...issued,
    createdBy,
    createdAt: new Date(),
    disabledAt: null,
    deletedAt: null,
    lastUsedAt: null,
    lastUsedAddress: null,
    version: 1,
  };
}

function credentialNotFound(id: string): DomainError {
  return new DomainError('service_credential_not_found', { credentialId: id.slice(0, 100) });
}
