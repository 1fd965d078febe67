import { AllowListRepository } from '@app/database/keys/allow-list.repository';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { CreditLedgerRepository, type CurrentCredits } from '@app/database/credits/credit-ledger.repository';
import { describeGate } from '@app/domain/keys/gate-words';
import { parseIpAddress } from '@app/domain/addresses/ip-address';
import { explainDecision, type KeyUse, type VerifiableKey } from '@app/domain/keys/key-decision';
import { Injectable } from '@nestjs/common';
import { RouteTable, type RouteGate } from '../http/route-table';
import { missingFormat } from '../text-to-voice/format-access';
import { keyNotFound } from '@app/administration/keys/api-key-changes.service';
import { ExplainLimits } from './explain-limits';
import { pass, refuse, type ExplainedGate } from './explained-gate';
import { isUuid } from '@app/domain/common/uuid';

/** The request to explain. */
export interface ExplainQuery {
  keyId: string;
  /** Number of the secret; the newest one unless it is given. */
  secretNumber?: number;
  /** Address of the client; what is not an address is an unknown one. */
  address: string;
  method: string;
  path: string;
  /** Credits that the request would cost. */
  cost: number;
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

/** Says what would become of a request, from the rules that decide about real ones. Charges and counts nothing. */
@Injectable()
export class ExplainService {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly lists: AllowListRepository,
    private readonly credits: CreditLedgerRepository,
    private readonly routes: RouteTable,
    private readonly limits: ExplainLimits,
  ) {}

  async explain(query: ExplainQuery): Promise<Explanation> {
    const { keyId, secretNumber, method } = query;
    const key = isUuid(keyId) ? await this.keys.findVerifiable(keyId, secretNumber) : null;
    if (!key) throw keyNotFound(keyId);
    const [path = '', search] = query.path.split('?');
    const gate = this.routes.gate(method, path);
    const { route, permission } = gate;
    const routeGate = this.explainRoute(method, path, gate);
    if (gate.isPublic) return { allowed: true, decidedBy: null, route, gates: [routeGate] };
    const use: KeyUse = { address: parseIpAddress(query.address.trim()), permission, nowMs: Date.now() };
    const gates = [
      routeGate,
      ...(await this.explainKey(key, use)),
      ...(await this.limits.explain(key, gate.generates)),
      explainTier(key, route, search),
      await this.explainCredits(key, query.cost),
    ];
    const decidedBy = gates.find(({ passed }) => !passed)?.gate ?? null;
    return { allowed: decidedBy === null, decidedBy, route, gates };
  }

  private explainRoute(method: string, path: string, { route, isPublic, refusal }: RouteGate): ExplainedGate {
    const served = `${method} ${path} is served by ${route?.slice(method.length + 1)}`;
    switch (refusal) {
      case null:
        return pass('route', isPublic ? `${served}, which needs no key.` : `${served}.`);
      case 'bad_request':
        return refuse('route', refusal, `The escapes in ${path} cannot be read.`, 'Correct the path.');
      case 'uri_too_long':
        return refuse('route', refusal, `A part of ${path} is too long.`, 'Correct the path.');
      case 'not_found':
        return refuse('route', refusal, `Nothing is served at ${path}.`, 'Correct the path.');
      case 'method_not_allowed':
        return refuse(
          'route',
          refusal,
          `${path} has no ${method}.`,
          `Use ${this.routes.methodsAt(path).join(' or ')}.`,
        );
      case 'staff_sign_in_required':
        return refuse('route', refusal, `${served}, for staff.`, 'Staff routes take no key.');
      default:
        return refuse('route', refusal, `${served}, for services.`, 'Routes for services take no key.');
    }
  }

  private async explainKey(key: VerifiableKey, use: KeyUse): Promise<ExplainedGate[]> {
    const stored = await this.keys.find(key.keyId);
    const entries = stored?.allowedIps ? await this.lists.listEntries(key.keyId, stored.allowedIps) : null;
    return explainDecision(key, use).map((result) => {
      const { rule, change } = describeGate(result, key, use, entries);
      return result.refusal === null
        ? pass(result.gate, rule)
        : refuse(result.gate, result.refusal.code, rule, change ?? '');
    });
  }

  private async explainCredits({ keyId, accountId }: VerifiableKey, cost: number): Promise<ExplainedGate> {
    const payers = await this.credits.listPayers(keyId, accountId);
    const named = payers.map((balance) => ({ balance, name: nameOf(balance, keyId) }));
    const rule = `It costs ${cost} credits. Left: ${named.map(({ name, balance }) => left(name, balance)).join(', ')}.`;
    const found = named.find(({ balance }) => remaining(balance) < cost);
    if (!found) return pass('credits', rule);
    const { balance: short, name } = found;
    const change = `Raise the limit of ${name} by ${cost - remaining(short)}, or wait until ${short.periodEnd.toISOString()}.`;
    return refuse('credits', 'insufficient_credits', rule, change);
  }
}

/** What an operation requires of the account's tier: some formats are not for every tier. */
function explainTier({ tier }: VerifiableKey, route: string | null, query = ''): ExplainedGate {
  const lacking = missingFormat(route, query, tier);
  if (lacking === null) return pass('tier', `The tier ${tier} includes the operation.`);
  const { format, lowest } = lacking;
  const rule = `The output format ${format} needs the tier ${lowest} or higher; the account has ${tier}.`;
  return refuse('tier', 'feature_not_available', rule, 'Raise the tier, or request another format.');
}

/** Credits that are left. */
function remaining({ creditLimit, granted, used }: CurrentCredits): number {
  return creditLimit === null ? Infinity : creditLimit + granted - used;
}

function nameOf({ subject, subjectId }: CurrentCredits, keyId: string): string {
  if (subject === 'account') return 'the account';
  return subjectId === keyId ? 'the key' : `the key ${subjectId}, which created it,`;
}

function left(whose: string, balance: CurrentCredits): string {
  const credits = remaining(balance);
  return credits === Infinity
    ? `${whose} has no limit of its own`
    : `${whose} has ${credits} of ${balance.creditLimit! + balance.granted}`;
}
