import { KeyVerifier, type Decision } from '@app/auth/key-verifier';
import { CreditLedger, type Charge } from '@app/credits/credit-ledger';
import { DomainError, ERRORS, type ErrorCode, type ErrorParams } from '@app/domain/errors';
import type { IpAddress } from '@app/domain/ip-address';
import type { Gate, VerifiableKey } from '@app/domain/key-decision';
import type { Permission } from '@app/domain/permissions';
import { Injectable } from '@nestjs/common';
import { RouteTable } from '../http/route-table';
import { TrafficRecorder } from '../observed-traffic/traffic-recorder';
import { toLedgerId } from './ledger-id';

/** A request of a customer to another service of the platform. */
export interface IntrospectionQuestion {
  token: string;
  /** Null when nobody knows it. */
  address: IpAddress | null;
  /** The request, or the permission it needs; null when every key will do. */
  target: { method: string; path: string } | Permission | null;
  /** Credits; null to charge nothing and leave no trace in the ledger. */
  cost: number | null;
  operation: string;
  requestId: string;
  /** Holds the credits instead of charging them. */
  holdSecs: number | undefined;
}

export type Introspection =
  | {
      active: true;
      key: VerifiableKey;
      requestId: string;
      creditsRemaining: number | null;
      /** Null when nothing was to be charged. */
      charge: { cost: number; repeated: boolean; heldUntil: Date | null } | null;
    }
  | {
      active: false;
      gate: 'route' | Gate | 'credits';
      /** What the customer's request is to be answered with. */
      code: ErrorCode;
      params: ErrorParams;
      /** When the credits do not suffice. */
      credits?: { credits_remaining: number; credit_limit: number; cost: number };
    };

type Refused = Extract<Introspection, { active: false }>;

/** Where requests are counted that name a permission instead of a route of ours. */
const ASKED_BY_SCOPE = 'POST /introspect';

/**
 * Decides about requests to the platform's other services: the same gates in the same order as for our own, from the same
 * rules, and credits last.
 */
@Injectable()
export class IntrospectionService {
  constructor(
    private readonly routes: RouteTable,
    private readonly verifier: KeyVerifier,
    private readonly ledger: CreditLedger,
    private readonly traffic: TrafficRecorder,
  ) {}

  /** @throws DomainError `request_id_conflict` when the request id stands for another charge */
  async introspect(question: IntrospectionQuestion): Promise<Introspection> {
    const asked = this.readTarget(question.target);
    if (asked.refused) return asked.refused;
    const { token: credential, address } = question;
    const request = { credential, address, permission: asked.permission };
    const decision = this.verifier.verifyCached(request) ?? (await this.verifier.verify(request));
    const { found, status } = decision.allowed
      ? await this.settle(decision.key, question)
      : { found: refuse(decision), status: ERRORS[decision.code].httpStatus };
    this.traffic.recordAsked(asked.route, { decision, address, status, requestId: question.requestId });
    if (found instanceof DomainError) throw found;
    return found;
  }

  private readTarget(target: IntrospectionQuestion['target']): {
    route: string;
    permission: Permission | null;
    refused: Refused | null;
  } {
    if (target === null || typeof target === 'string') {
      return { route: ASKED_BY_SCOPE, permission: target, refused: null };
    }
    const { method, path } = target;
    const { route, permission, refusal } = this.routes.gate(method, path);
    if (refusal === null) return { route: route!, permission, refused: null };
    const allowed = this.routes.methodsAt(path.split('?')[0] ?? '').join(', ');
    return {
      route: '',
      permission,
      refused: { active: false, gate: 'route', code: refusal, params: { method, allowed } },
    };
  }

  private async settle(
    key: VerifiableKey,
    { cost, operation, requestId, holdSecs }: IntrospectionQuestion,
  ): Promise<{ found: Introspection | DomainError; status: number }> {
    const { keyId, accountId } = key;
    if (cost === null) {
      const creditsRemaining = await this.ledger.remaining(keyId, accountId);
      return { found: { active: true, key, requestId, creditsRemaining, charge: null }, status: 200 };
    }
    const request = { keyId, accountId, cost, operation, requestId: toLedgerId(requestId), holdSecs };
    const charge = await this.ledger.charge(request);
    if (!charge.charged) return refuseCharge(charge, cost, requestId);
    const { remaining: creditsRemaining, repeated, heldUntil } = charge;
    const found = { active: true as const, key, requestId, creditsRemaining };
    return { found: { ...found, charge: { cost, repeated, heldUntil } }, status: 200 };
  }
}

function refuse(decision: Extract<Decision, { allowed: false }>): Refused {
  return { active: false, gate: decision.gate, code: decision.code, params: decision.params };
}

function refuseCharge(
  charge: Extract<Charge, { charged: false }>,
  cost: number,
  requestId: string,
): { found: Introspection | DomainError; status: number } {
  if (charge.reason === 'insufficient_credits') {
    const { scope, creditLimit: limit, remaining } = charge;
    const whose = scope === 'key' ? 'API key' : 'account';
    const params = { scope: whose, limit, remaining, cost };
    const credits = { credits_remaining: remaining, credit_limit: limit, cost };
    return {
      found: { active: false, gate: 'credits', code: 'insufficient_credits', params, credits },
      status: 402,
    };
  }
  if (charge.reason === 'request_id_conflict') {
    const conflict = new DomainError('request_id_conflict', { requestId }, { param: 'request_id' });
    return { found: conflict, status: 409 };
  }
  // The key has lost its balance since it was verified.
  return { found: { active: false, gate: 'credential', code: 'invalid_api_key', params: {} }, status: 401 };
}
