import { ManagementCredentialRepository } from '@app/database/staff/management-credential.repository';
import { parseIpAddress } from '@app/domain/addresses/ip-address';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import { accountProofOf, isProvingParam } from '@app/domain/staff/management-grants';
import { GateStores } from '@app/gates/gate-stores';
import { explainProgramGates } from '@app/gates/gates';
import { Injectable } from '@nestjs/common';
import { RouteTable } from '../http/route-table';
import { toExplanation, type Explanation } from './explain.service';

/** The request of a program to explain. */
export interface ExplainProgramQuery {
  credentialId: string;
  /** Whether it presents the secret before the newest. */
  oldSecret: boolean;
  /** Address of the client; what is not an address is an unknown one. */
  address: string;
  method: string;
  path: string;
}

/** Says what would become of a request with a management credential, from the gates that decide about real ones. */
@Injectable()
export class ExplainProgramService {
  constructor(
    private readonly credentials: ManagementCredentialRepository,
    private readonly routes: RouteTable,
    private readonly stores: GateStores,
  ) {}

  /** Counts nothing, and marks no use. @throws DomainError, InvalidInput */
  async explain({ credentialId, oldSecret, method, ...query }: ExplainProgramQuery): Promise<Explanation> {
    const program = await this.find(credentialId, oldSecret);
    const [path = ''] = query.path.split('?');
    const target = this.routes.target(method, path);
    const found = this.routes.find(method, path);
    const proof = accountProofOf(method, found?.path ?? '');
    const gates = await explainProgramGates(
      {
        method,
        path,
        target,
        program,
        address: parseIpAddress(query.address.trim()),
        nowMs: Date.now(),
        permission: typeof found?.access === 'object' ? found.access.staff : 'signed_in',
        proof,
        named: isProvingParam(proof) ? valueIn(path, found!.path, proof) : '',
      },
      this.stores,
    );
    return toExplanation(target.route, gates);
  }

  private async find(credentialId: string, oldSecret: boolean) {
    const known = isUuid(credentialId) && (await this.credentials.findVerifiable(credentialId));
    if (!known)
      throw new DomainError('management_credential_not_found', { credentialId: credentialId.slice(0, 100) });
    if (!oldSecret) return known;
    const old = await this.credentials.findVerifiable(credentialId, { oldSecret });
    if (old) return old;
    const msg = 'Input should be false: the credential was never rotated';
    throw new InvalidInput([{ type: 'value_error', path: ['old_secret'], msg, input: true }]);
  }
}

/** What a path has in the place of a parameter, as the router reads it. */
function valueIn(path: string, pattern: string, param: string): string {
  return decodeURIComponent(path.split('/')[pattern.split('/').indexOf(`:${param}`)] ?? '');
}
