import { AllowListRepository } from '@app/database/repositories/allow-list.repository';
import { ApiKeyRepository } from '@app/database/repositories/api-key.repository';
import { CreditRepository, type CurrentCredits } from '@app/database/repositories/credit.repository';
import { ERRORS, type ErrorCode } from '@app/domain/errors';
import { describeGate } from '@app/domain/gate-words';
import { parseIpAddress } from '@app/domain/ip-address';
import { explainDecision, type Gate, type KeyUse, type VerifiableKey } from '@app/domain/key-decision';
import { RequestLimiter } from '@app/limits/request-limiter';
import { Injectable } from '@nestjs/common';
import { RouteTable, type RouteGate } from '../http/route-table';
import { tierMissingFor } from '../text-to-voice/format-access';
import { keyNotFound } from './api-key-changes.service';
import { isUuid } from '@app/domain/uuid';

/** A request that somebody wants to know about. */
export interface ExplainQuestion {
  keyId: string;
  /** Number of the secret; the newest one unless it is given. */
  secretNumber?: number;
  /** Address of the client; what is no address is an unknown one. */
  address: string;
  method: string;
  path: string;
  /** Credits that the request would cost. */
  cost: number;
}

export interface ExplainedGate {
  gate: 'route' | Gate | 'limit' | 'tier' | 'credits';
  passed: boolean;
  /** The rule that decided. */
  rule: string;
  /** What would change a refusal; null when the gate lets the request pass. */
  change: string | null;
  /** What the caller would be answered; null when the gate lets the request pass. */
  refusal: { code: ErrorCode; status: number } | null;
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
    private readonly credits: CreditRepository,
    private readonly routes: RouteTable,
    private readonly limiter: RequestLimiter,
  ) {}

  async explain(question: ExplainQuestion): Promise<Explanation> {
    const { keyId, secretNumber, method } = question;
    const key = isUuid(keyId) ? await this.keys.findVerifiable(keyId, secretNumber) : null;
    if (!key) throw keyNotFound(keyId);
    const [path = '', query] = question.path.split('?');
    const gate = this.routes.gate(method, path);
    const { route, permission } = gate;
    const routeGate = this.explainRoute(method, path, gate);
    if (gate.isPublic) return { allowed: true, decidedBy: null, route, gates: [routeGate] };
    const use: KeyUse = { address: parseIpAddress(question.address.trim()), permission, nowMs: Date.now() };
    const gates = [
      routeGate,
      ...(await this.explainKey(key, use)),
      await this.explainLimit(key),
      explainTier(key, route, query),
      await this.explainCredits(key, question.cost),
    ];
    const decidedBy = gates.find(({ passed }) => !passed)?.gate ?? null;
    return { allowed: decidedBy === null, decidedBy, route, gates };
  }

  private explainRoute(method: string, path: string, { route, isPublic, refusal }: RouteGate): ExplainedGate {
    const served = `${method} ${path} is served by ${route?.slice(method.length + 1)}`;
    switch (refusal) {
      case null:
        return pass('route', isPublic ? `${served}, which asks for no key.` : `${served}.`);
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

  private async explainLimit(key: VerifiableKey): Promise<ExplainedGate> {
    const verdict = await this.limiter.peek(key);
    if (verdict === null) return pass('limit', 'Requests cannot be counted right now, so all of them pass.');
    const { passed, limit, remaining, endsInMs } = verdict;
    if (passed) return pass('limit', `The key has ${remaining} of ${limit} requests left in this minute.`);
    const rule = `The key has made its ${limit} requests of this minute.`;
    const change = `Wait ${Math.ceil(endsInMs / 1_000)} s, or let the key make more requests per minute.`;
    return refuse('limit', 'rate_limit_exceeded', rule, change);
  }

  private async explainCredits({ keyId, accountId }: VerifiableKey, cost: number): Promise<ExplainedGate> {
    const [ofKey, ofAccount] = await Promise.all([
      this.credits.findCurrent(keyId),
      this.credits.findCurrent(accountId),
    ]);
    const rule = `It costs ${cost} credits. Left: ${left('the key', ofKey)}, ${left('the account', ofAccount)}.`;
    const short = [ofKey, ofAccount].find((balance) => balance && remaining(balance) < cost);
    if (!short) return pass('credits', rule);
    const change = `Raise the limit of the ${short.subject} by ${cost - remaining(short)}, or wait until ${short.periodEnd.toISOString()}.`;
    return refuse('credits', 'insufficient_credits', rule, change);
  }
}

/** What an operation asks of the account's tier: some formats are not for every tier. */
function explainTier({ tier }: VerifiableKey, route: string | null, query?: string): ExplainedGate {
  const format = new URLSearchParams(query).get('output_format');
  const lowest = route?.startsWith('POST /v1/text-to-voice/') ? tierMissingFor(format, tier) : null;
  if (lowest === null) return pass('tier', `The tier ${tier} includes the operation.`);
  const rule = `The output format ${format} needs the tier ${lowest} or higher; the account has ${tier}.`;
  return refuse('tier', 'feature_not_available', rule, 'Raise the tier, or ask for another format.');
}

function pass(gate: ExplainedGate['gate'], rule: string): ExplainedGate {
  return { gate, passed: true, rule, change: null, refusal: null };
}

function refuse(gate: ExplainedGate['gate'], code: ErrorCode, rule: string, change: string): ExplainedGate {
  return { gate, passed: false, rule, change, refusal: { code, status: ERRORS[code].httpStatus } };
}

/** Credits that are left. */
function remaining({ creditLimit, granted, used }: CurrentCredits): number {
  return creditLimit === null ? Infinity : creditLimit + granted - used;
}

function left(whose: string, balance: CurrentCredits | null): string {
  if (!balance) return `${whose} has no balance`;
  const credits = remaining(balance);
  return credits === Infinity
    ? `${whose} has no limit of its own`
    : `${whose} has ${credits} of ${balance.creditLimit! + balance.granted}`;
}
