import { CreditLedger } from '@app/credits/credit-ledger';
import type { SingleUseToken } from '@app/database/keys/single-use-token.entity';
import { DomainError } from '@app/domain/errors';
import type { IpAddress } from '@app/domain/addresses/ip-address';
import type { VerifiableKey } from '@app/domain/keys/key-decision';
import type { Permission } from '@app/domain/keys/permissions';
import { RequestLimiter } from '@app/limits/request-limiter';
import { Injectable } from '@nestjs/common';
import { RouteTable } from '../http/route-table';
import { TrafficRecorder } from '../observed-traffic/traffic-recorder';
import { missingFormat } from '../text-to-voice/format-access';
import { AskedCredentials, isToken, type Judged } from './asked-credentials';
import {
  NO_TOKEN,
  refuseCharge,
  refuseCredits,
  refuseFormat,
  refuseRequest,
  statusOf,
  type Introspection,
  type Refused,
} from './introspection-outcome';
import { toLedgerId } from './ledger-id';

/** A request of a customer to another service of the platform. */
export interface IntrospectionQuery {
  token: string;
  /** Null when unknown. */
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

/** What the routes say of a request. */
interface Asked {
  route: string;
  permission: Permission | null;
  /** As it was sent, with its query; empty when the query names a permission. */
  path: string;
  isPublic: boolean;
}

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
    private readonly credentials: AskedCredentials,
    private readonly limiter: RequestLimiter,
    private readonly ledger: CreditLedger,
    private readonly traffic: TrafficRecorder,
  ) {}

  /** @throws DomainError `request_id_conflict` when the request id stands for another charge */
  async introspect(query: IntrospectionQuery): Promise<Introspection> {
    const asked = this.readTarget(query.target);
    if ('active' in asked) return asked;
    const { token: credential, address, requestId } = query;
    const { route, permission } = asked;
    const judging = this.credentials.judge({ credential, address, route, permission });
    const judged = judging instanceof Promise ? await judging : judging;
    const found = await this.pass(judged, query, asked);
    const status = statusOf(found);
    this.traffic.recordAsked(route, { decision: judged.decision, address, status, requestId });
    if (found instanceof DomainError) throw found;
    return found;
  }

  private readTarget(target: IntrospectionQuery['target']): Asked | Refused {
    if (target === null || typeof target === 'string') {
      return { route: ASKED_BY_SCOPE, permission: target, path: '', isPublic: false };
    }
    const { method, path } = target;
    const { route, permission, isPublic, refusal } = this.routes.gate(method, path);
    if (refusal === null) return { route: route!, permission, path, isPublic };
    const allowed = this.routes.methodsAt(path.split('?')[0] ?? '').join(', ');
    const reason = 'The escapes in the path cannot be read.';
    return { active: false, gate: 'route', code: refusal, params: { method, allowed, reason } };
  }

  private async pass(
    { decision, token }: Judged,
    query: IntrospectionQuery,
    asked: Asked,
  ): Promise<Introspection | DomainError> {
    if (!decision.allowed) {
      const { gate, code, params } = decision;
      // The response does not say what is wrong with a token.
      if (isToken(query.token) && gate !== 'scope') return { ...NO_TOKEN, gate };
      return { active: false, gate, code, params };
    }
    const { key } = decision;
    if (!asked.isPublic) {
      const counting = this.limiter.take(key.requestLimit);
      const verdict = counting instanceof Promise ? await counting : counting;
      if (verdict && !verdict.passed) return refuseRequest(verdict);
    }
    return token ? this.useToken(token, key, query, asked) : this.settle(key, null, query, asked);
  }

  /** A token is used up before its request has any effect, and given back when it has none. */
  private async useToken(
    token: SingleUseToken,
    key: VerifiableKey,
    query: IntrospectionQuery,
    asked: Asked,
  ): Promise<Introspection | DomainError> {
    if (!(await this.credentials.use(token, namedIn(asked)))) return NO_TOKEN;
    let served = false;
    try {
      const found = await this.settle(key, token, query, asked);
      served = statusOf(found) < 400;
      return found;
    } finally {
      if (!served) await this.credentials.giveBack(token);
    }
  }

  private async settle(
    key: VerifiableKey,
    token: SingleUseToken | null,
    { cost, operation, requestId, holdSecs }: IntrospectionQuery,
    { route, path }: Asked,
  ): Promise<Introspection | DomainError> {
    const { keyId, accountId, tier } = key;
    const lacking = missingFormat(route, path.split('?')[1] ?? '', tier);
    if (lacking) return refuseFormat(lacking);
    const known = { active: true as const, key, token, requestId };
    if (cost === null) {
      const creditsRemaining = await this.ledger.remaining(keyId, accountId);
      return { ...known, creditsRemaining, charge: null };
    }
    const most = token?.maxCredits ?? Infinity;
    if (cost > most) return refuseCredits('single-use token', most, most, cost);
    const request = { keyId, accountId, cost, operation, requestId: toLedgerId(requestId), holdSecs };
    const charge = await this.ledger.charge(request);
    if (!charge.charged) return refuseCharge(charge, cost, requestId);
    const { remaining: creditsRemaining, repeated, heldUntil } = charge;
    return { ...known, creditsRemaining, charge: { cost, repeated, heldUntil } };
  }
}

/** The parts of a path that its route has placeholders for. */
function namedIn({ route, path }: Asked): Record<string, string> {
  const parts = path.split('?')[0]!.split('/');
  const [, pattern = ''] = route.split(' ');
  const named = pattern.split('/').map((part, index) => [part, parts[index] ?? ''] as const);
  return Object.fromEntries(
    named.filter(([part]) => part.startsWith(':')).map(([part, value]) => [part.slice(1), value]),
  );
}
