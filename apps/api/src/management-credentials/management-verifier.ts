import { clientOf } from '@app/auth/client-of';
import { FailedCredentials } from '@app/auth/failed-credentials';
import { AppConfig } from '@app/config/app-config';
import {
  ManagementCredentialRepository,
  type LiveManagement,
} from '@app/database/staff/management-credential.repository';
import { managementName } from '@app/administration/audit/audit-actors';
import { formatIpAddress, type IpAddress } from '@app/domain/addresses/ip-address';
import { compileAllowList, matchAllowList } from '@app/domain/allow-lists/allow-list';
import { DomainError } from '@app/domain/errors';
import { digestSecret, kindOfPrefix, secretKind } from '@app/domain/keys/api-key-secret';
import { keyNotFound } from '@app/domain/keys/key-not-found';
import {
  accountProofOf,
  isManageable,
  mayManage,
  type ProvingParam,
} from '@app/domain/staff/management-grants';
import type { Staff, Visitor } from '@app/domain/staff/staff';
import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { RequestLimiter } from '@app/limits/request-limiter';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { StaffRouteAccess } from '../http/route-table';

const BEARER = /^Bearer +([^ ]+) *$/i;

const NOT_FOUND: Record<ProvingParam, (id: string) => DomainError> = {
  account_id: (account) => new DomainError('account_not_found', { account }),
  key_id: keyNotFound,
  voice_id: voiceNotFound,
  approval_id: (approvalId) => new DomainError('approval_not_found', { approvalId }),
};

/** The management credential that a request claims to have; null when it has none, valid or not. */
export function managementSecretOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const secret = BEARER.exec(headers.authorization ?? '')?.[1] ?? '';
  return kindOfPrefix(secret) === 'management_credential' ? secret : null;
}

/**
 * Admits programs to the staff API. This is the one place that holds them to their permissions, to what their creator may do
 * now, and to their accounts: a bounded credential reaches only operations whose path proves the account.
 */
@Injectable()
export class ManagementVerifier {
  constructor(
    private readonly credentials: ManagementCredentialRepository,
    private readonly failures: FailedCredentials,
    private readonly requests: RequestLimiter,
    private readonly config: AppConfig,
  ) {}

  /** The program as what handlers know of staff. @throws DomainError */
  async admit(
    request: FastifyRequest,
    secret: string,
    visitor: Visitor,
    { staff: permission }: StaffRouteAccess,
  ): Promise<Staff> {
    const address = clientOf(request, this.config);
    const credential = await this.read(secret, address);
    await this.count(credential);
    requirePermission(credential, permission);
    await this.requireWithin(credential, request);
    await this.credentials.markUsed(credential.id, address && formatIpAddress(address));
    return toStaff(credential, visitor);
  }

  /** Whether a long request that was admitted would still be. */
  async isStillAdmitted(id: string, permission: StaffPermission): Promise<boolean> {
    const credential = await this.credentials.findLive(id);
    return credential !== null && mayManage(credential, permission);
  }

  /** One refusal for all that is wrong with a credential, as for a key. */
  private async read(secret: string, address: IpAddress | null): Promise<LiveManagement> {
    const refused = new DomainError('invalid_management_credential');
    if (secretKind(secret) !== 'management_credential') throw refused;
    const tooMany = this.failures.refusal(address);
    if (tooMany) throw tooMany;
    const credential = await this.credentials.findByDigest(digestSecret(secret));
    if (!credential) this.failures.note(address);
    if (!credential || !isAllowed(credential, address)) throw refused;
    return credential;
  }

  private async count({ id, requestsPerMinute }: LiveManagement): Promise<void> {
    const verdict = await this.requests.take({ keyId: id, requestsPerMinute });
    if (verdict === 'late') throw new DomainError('service_unavailable', {}, { retryAfterSecs: 1 });
    if (verdict.passed) return;
    const retryAfterSecs = Math.max(1, Math.ceil(verdict.endsInMs / 1_000));
    const limit = `: this management credential may make ${verdict.limit} per minute`;
    throw new DomainError('rate_limit_exceeded', { limit }, { retryAfterSecs });
  }

  /** What is outside is as if it did not exist; an operation that names no account is refused. */
  private async requireWithin(credential: LiveManagement, request: FastifyRequest): Promise<void> {
    const { id, name, accounts } = credential;
    if (accounts === 'all') return;
    const proof = accountProofOf(request.method, request.routeOptions.url ?? '');
    if (proof === 'narrowed' || (proof === 'opens_account' && accounts === 'created')) return;
    if (proof !== null && proof !== 'opens_account') {
      const value = (request.params as Record<string, string>)[proof] ?? '';
      if (await this.credentials.isWithin(id, proof, value)) return;
      throw NOT_FOUND[proof](value.slice(0, 100));
    }
    throw new DomainError('management_bound_to_accounts', { name, accounts });
  }
}

function isAllowed({ allowedIps }: LiveManagement, address: IpAddress | null): boolean {
  if (allowedIps.length === 0) return true;
  return address !== null && matchAllowList(compileAllowList(allowedIps), address, Date.now());
}

function requirePermission(credential: LiveManagement, permission: StaffRouteAccess['staff']): void {
  if (permission === 'signed_in' || !isManageable(permission)) {
    const needed = permission === 'signed_in' ? 'a session' : permission;
    throw new DomainError('management_refused_for_people', { permission: needed });
  }
  if (mayManage(credential, permission)) return;
  throw new DomainError('management_permission_missing', { name: credential.name, permission });
}

function toStaff({ id, name, role, creatorId, accounts }: LiveManagement, visitor: Visitor): Staff {
  return {
    ...visitor,
    id,
    name,
    email: managementName(name),
    role,
    creatorId,
    ...(accounts !== 'all' && { boundBy: id }),
    cookie: undefined,
    sessionId: '',
    twoFactorEnabled: false,
    mustChangePassword: false,
    secondFactorRequired: false,
    passkeys: 0,
    withPasskey: false,
  };
}
