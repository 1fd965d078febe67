import { keyNotFound } from '@app/domain/keys/key-not-found';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { AllowListRepository } from '@app/database/keys/allow-list.repository';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { parseIpAddress } from '@app/domain/addresses/ip-address';
import { isUuid } from '@app/domain/common/uuid';
import type { DescribedUse, NamedEntry } from '@app/gates/gate';
import { GateStores } from '@app/gates/gate-stores';
import { explainGates, type ExplainedGate } from '@app/gates/gates';
import { requestedFormat } from '@app/gates/tier-gate';
import { requestedVoice } from '@app/gates/use-gates';
import { Injectable } from '@nestjs/common';
import { RouteTable } from '../http/route-table';

/** The request to explain. */
export interface ExplainQuery {
  keyId: string;
  /** Number of the secret; by default the newest. */
  secretNumber?: number;
  /** Address of the client; what is not an address is an unknown one. */
  address: string;
  method: string;
  path: string;
  /** Credits that the request would cost. */
  cost: number;
  /** What they would be charged for; by default the permission that the request needs. */
  operation?: string;
  /** The model that the request names. */
  modelId?: string;
  /** Which user of the customer they would be for. */
  endUser?: string;
}

export interface Explanation {
  allowed: boolean;
  /** The first gate that refuses; null when all of them let the request pass. */
  decidedBy: ExplainedGate['gate'] | null;
  /** Method and path of the operation, with placeholders; null when the path is not served. */
  route: string | null;
  /** Every gate in the order in which a request meets them, the later ones as if the earlier ones had passed. */
  gates: ExplainedGate[];
}

/** Says what would become of a request, from the gates that decide about real ones. Charges and counts nothing. */
@Injectable()
export class ExplainService {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly accounts: AccountRepository,
    private readonly lists: AllowListRepository,
    private readonly routes: RouteTable,
    private readonly stores: GateStores,
  ) {}

  async explain({ keyId, secretNumber, method, cost, ...query }: ExplainQuery): Promise<Explanation> {
    const key = isUuid(keyId) ? await this.keys.findVerifiable(keyId, secretNumber) : null;
    if (!key) throw keyNotFound(keyId);
    const [path = '', search = ''] = query.path.split('?');
    const target = this.routes.target(method, path);
    const request: DescribedUse = {
      method,
      path,
      target,
      key,
      address: parseIpAddress(query.address.trim()),
      permission: target.permission,
      nowMs: Date.now(),
      ...(await this.listEntries(keyId, key.accountId)),
      format: requestedFormat(target.route, search),
      modelId: query.modelId ?? null,
      voiceId: requestedVoice(target.route, path),
      cost,
      operation: query.operation ?? target.permission,
      endUser: query.endUser ?? null,
    };
    const gates = await explainGates(request, this.stores);
    return toExplanation(target.route, gates);
  }

  private async listEntries(
    keyId: string,
    accountId: string,
  ): Promise<Record<'entries' | 'accountEntries', NamedEntry[] | null>> {
    const [key, account] = await Promise.all([this.keys.find(keyId), this.accounts.find(accountId)]);
    const [entries, accountEntries] = await Promise.all([
      key?.allowedIps ? this.lists.listEntries(keyId, key.allowedIps) : null,
      account?.allowedIps ? this.lists.listEntries(accountId, account.allowedIps) : null,
    ]);
    return { entries, accountEntries };
  }
}

/** What follows from what the gates say. */
export function toExplanation(route: string | null, gates: ExplainedGate[]): Explanation {
  const decidedBy = gates.find(({ passed }) => !passed)?.gate ?? null;
  return { allowed: decidedBy === null, decidedBy, route, gates };
}
