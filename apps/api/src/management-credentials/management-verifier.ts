import { clientOf } from '@app/auth/client-of';
import { FailedCredentials } from '@app/auth/failed-credentials';
import { AppConfig } from '@app/config/app-config';
import {
  ManagementCredentialRepository,
  type VerifiableManagement,
} from '@app/database/staff/management-credential.repository';
import { managementName } from '@app/administration/audit/audit-actors';
import { formatIpAddress, type IpAddress } from '@app/domain/addresses/ip-address';
import { digestSecret, kindOfPrefix, secretKind } from '@app/domain/keys/api-key-secret';
import { accountProofOf, isProvingParam } from '@app/domain/staff/management-grants';
import type { Staff, Visitor } from '@app/domain/staff/staff';
import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { toError, type ProgramRequest } from '@app/gates/gate';
import { GateStores } from '@app/gates/gate-stores';
import { MANAGEMENT, pass, STILL_MANAGED } from '@app/gates/gates';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { StaffRouteAccess } from '../http/route-table';

const BEARER = /^Bearer +([^ ]+) *$/i;

/** The management credential that a request claims to have; null when it has none, valid or not. */
export function managementSecretOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const secret = BEARER.exec(headers.authorization ?? '')?.[1] ?? '';
  return kindOfPrefix(secret) === 'management_credential' ? secret : null;
}

/**
 * Admits programs to the staff API. Its gates hold them to their permissions, to what their creator may do now, and to their
 * accounts: a bounded credential reaches only operations whose path proves the account.
 */
@Injectable()
export class ManagementVerifier {
  constructor(
    private readonly credentials: ManagementCredentialRepository,
    private readonly failures: FailedCredentials,
    private readonly stores: GateStores,
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
    const program = await this.read(secret, address);
    const proof = accountProofOf(request.method, request.routeOptions.url ?? '');
    const named = isProvingParam(proof) ? (request.params as Record<string, string>)[proof]! : '';
    const use = { program, address, nowMs: Date.now(), permission, proof, named };
    const refusal = await pass(MANAGEMENT.program, use, this.stores);
    if (refusal) throw toError(refusal);
    await this.credentials.markUsed(program.id, address && formatIpAddress(address));
    return toStaff(program, visitor);
  }

  /** Whether a long request that was admitted would still be. */
  async isStillAdmitted(id: string, permission: StaffPermission): Promise<boolean> {
    const program = await this.credentials.findVerifiable(id);
    return program !== null && pass(STILL_MANAGED, { program, nowMs: Date.now(), permission }) === null;
  }

  private async read(secret: string, address: IpAddress | null): Promise<VerifiableManagement> {
    if (secretKind(secret) !== 'management_credential') return refuseUnnamed('malformed');
    const tooMany = this.failures.refusal(address);
    if (tooMany) throw tooMany;
    const program = await this.credentials.findByDigest(digestSecret(secret));
    if (program) return program;
    this.failures.note(address);
    return refuseUnnamed('unknown');
  }
}

function refuseUnnamed(credential: NonNullable<ProgramRequest['credential']>): never {
  throw toError(pass(MANAGEMENT.credential, { credential })!);
}

function toStaff({ id, name, role, creatorId, accounts }: VerifiableManagement, visitor: Visitor): Staff {
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
