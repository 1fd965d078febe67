import type { ChargesOfKey, CurrentBudget } from '@app/database/credits/budget.repository';
import type { SingleUseToken } from '@app/database/keys/single-use-token.entity';
import { DomainError } from '@app/domain/errors';
import type { IpAddress } from '@app/domain/addresses/ip-address';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import { SlotsByOwner, WaitedTooLongError } from '@app/domain/common/slots';
import type { Permission } from '@app/domain/keys/permissions';
import { requestedRoute } from '@app/domain/traffic/traffic';
import { Injectable } from '@nestjs/common';
import { RouteTable } from '../http/route-table';
import { TrafficRecorder } from '../observed-traffic/traffic-recorder';
import type {
  CountedUse,
  CreditUse,
  GenerationUse,
  ModelUse,
  RouteTarget,
  RouteUse,
  TierUse,
  VoiceUse,
} from '@app/gates/gate';
import { GateStores } from '@app/gates/gate-stores';
import { ARRIVAL, OPERATION_GATES, pass } from '@app/gates/gates';
import { requestedFormat } from '@app/gates/tier-gate';
import { requestedVoice } from '@app/gates/use-gates';
import { PresentedCredentials, isToken, type Evaluated } from './presented-credentials';
import {
  NO_TOKEN,
  responseTo,
  toDecision,
  toRefused,
  type CreditsOfKey,
  type Introspection,
} from './introspection-outcome';
import { toLedgerId } from './ledger-id';

/** A request of a customer to another service of the platform. */
export interface IntrospectionQuery {
  /** Empty when only the digest of the secret of a key is known. */
  token: string;
  digest: string | null;
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
  /** Null when none is named. */
  endUser: string | null;
  /** The model that the request names; null when it is not known. */
  modelId: string | null;
}

/** The request as the routes see it. */
interface Requested extends RouteUse {
  route: string;
  /** As it was sent, with its query; empty when the query names a permission. */
  path: string;
}

/** Items of batches that an account has under way in a process: the batches of one leave the ledger to the others. */
const AT_A_TIME = 100;
const TURN_MS = 10_000;

/** Stands for the route of requests that name a permission instead of a route of ours. */
const REQUESTED_BY_SCOPE = 'POST /introspect';
const BY_SCOPE: RouteTarget = {
  route: REQUESTED_BY_SCOPE,
  isPublic: false,
  permission: null,
  generates: false,
  refusal: null,
  allowedMethods: [],
};

/**
 * Decides about requests to the platform's other services: the same gates in the same order as for our own, from the same
 * rules, and credits last.
 */
@Injectable()
export class IntrospectionService {
  private readonly turns = new SlotsByOwner(AT_A_TIME, TURN_MS);

  constructor(
    private readonly routes: RouteTable,
    private readonly credentials: PresentedCredentials,
    private readonly stores: GateStores,
    private readonly traffic: TrafficRecorder,
  ) {}

  /**
   * @param service who asks
   * @param inTurn in the turn of the account, as for one of many items
   * @throws DomainError `request_id_conflict` when the request id stands for another charge; `service_unavailable` when a gate
   *   could not decide
   */
  async introspect(query: IntrospectionQuery, service: string, inTurn = false): Promise<Introspection> {
    const requested = this.readTarget(query.target);
    const misrouted = pass(ARRIVAL.route, requested);
    if (misrouted) return toRefused(misrouted);
    const { token: credential, digest, address, requestId } = query;
    const { route, target } = requested;
    const evaluation = this.credentials.evaluate({
      credential,
      digest,
      address,
      route,
      permission: target.permission,
    });
    const evaluated = evaluation instanceof Promise ? await evaluation : evaluation;
    const admit = () => this.admit(evaluated, query, requested);
    const { key } = evaluated.decision;
    const found = await (inTurn && key ? this.takeTurn(key.accountId, admit) : admit());
    const { permission } = target;
    const counted = route === REQUESTED_BY_SCOPE ? requestedRoute(permission, service) : route;
    const { decision } = evaluated;
    const outcome = { decision, address, requestId, cost: query.cost, ...responseTo(found) };
    this.traffic.recordIntrospected({ route: counted, permission }, outcome);
    if (found instanceof DomainError) throw found;
    return found;
  }

  private async takeTurn<T>(accountId: string, task: () => Promise<T>): Promise<T | DomainError> {
    try {
      return await this.turns.run(accountId, task);
    } catch (cause) {
      if (!(cause instanceof WaitedTooLongError)) throw cause;
      const { retryAfterSecs } = cause;
      return new DomainError('service_unavailable', {}, { cause, retryAfterSecs });
    }
  }

  private readTarget(target: IntrospectionQuery['target']): Requested {
    if (target === null || typeof target === 'string')
      return { method: '', path: '', route: REQUESTED_BY_SCOPE, target: { ...BY_SCOPE, permission: target } };
    const { method, path } = target;
    const found = this.routes.target(method, path);
    return { method, path, route: found.route ?? '', target: found };
  }

  private async admit(
    { decision, token }: Evaluated,
    query: IntrospectionQuery,
    requested: Requested,
  ): Promise<Introspection | DomainError> {
    if (!decision.allowed) {
      const refused = toDecision(decision);
      if (refused instanceof DomainError || !isToken(query.token) || decision.gate === 'scope')
        return refused;
      // The response does not say what is wrong with a token.
      return { ...NO_TOKEN, gate: decision.gate };
    }
    const use = toUse(decision.key, token, query, requested);
    const counting = pass(ARRIVAL.counted, use, this.stores);
    const refusal = counting instanceof Promise ? await counting : counting;
    if (refusal) return toDecision(refusal);
    return token ? this.useToken(token, use, query, requested) : this.settle(null, use, query);
  }

  /** A token is used up before its request has any effect, and released when it has none. */
  private async useToken(
    token: SingleUseToken,
    use: Use,
    query: IntrospectionQuery,
    requested: Requested,
  ): Promise<Introspection | DomainError> {
    if (!(await this.credentials.use(token, namedIn(requested)))) return NO_TOKEN;
    let served = false;
    try {
      const found = await this.settle(token, use, query);
      served = responseTo(found).status < 400;
      return found;
    } finally {
      if (!served) await this.credentials.release(token);
    }
  }

  private async settle(
    token: SingleUseToken | null,
    use: Use,
    { requestId }: IntrospectionQuery,
  ): Promise<Introspection | DomainError> {
    const refusal = await pass(OPERATION_GATES, use, this.stores);
    if (refusal?.code === 'request_id_conflict')
      return new DomainError(refusal.code, { requestId }, refusal.options);
    if (refusal?.code === 'budget_spent')
      return { ...toRefused(refusal), budgets: await this.budgetsOf(use, true) };
    if (refusal) return toDecision(refusal);
    return { active: true, key: use.key, token, requestId, ...(await this.leftOf(use)) };
  }

  private async leftOf(use: Use): Promise<CreditsOfKey> {
    const { cost, charge } = use;
    if (cost === null || charge === null) {
      const { remaining, hasBudgets } = await this.stores.ledger.remaining(chargesOf(use));
      return { creditsRemaining: remaining, budgets: await this.budgetsOf(use, hasBudgets), charge: null };
    }
    const { remaining, repeated, heldUntil, hasMorePayers } = charge;
    return {
      creditsRemaining: remaining,
      budgets: await this.budgetsOf(use, hasMorePayers),
      charge: { cost, repeated, heldUntil },
    };
  }

  /** A key that has none, as most, costs no query. */
  private async budgetsOf(use: Use, hasBudgets: boolean): Promise<CurrentBudget[]> {
    return hasBudgets ? this.stores.budgets.listOfCharges(chargesOf(use)) : [];
  }
}

function chargesOf({ key: { keyId, accountId }, endUser, operation }: Use): ChargesOfKey {
  return { keyId, accountId, endUser, operation };
}

/** What the gates behind the key need to know. */
type Use = CountedUse & GenerationUse & TierUse & ModelUse & VoiceUse & CreditUse;

function toUse(
  key: VerifiableKey,
  token: SingleUseToken | null,
  { cost, operation, requestId, holdSecs, endUser, modelId }: IntrospectionQuery,
  { route, path, target }: Requested,
): Use {
  return {
    key,
    counted: !target.isPublic,
    // The service that asks generates, and says nothing when that ends.
    generates: false,
    format: requestedFormat(route, path.split('?')[1] ?? ''),
    modelId,
    voiceId: requestedVoice(route, path.split('?')[0]!),
    cost,
    operation,
    requestId: toLedgerId(requestId),
    maxCredits: token?.maxCredits ?? null,
    holdSecs,
    endUser,
    requests: null,
    generation: null,
    charge: null,
  };
}

/** The parts of a path that its route has placeholders for. */
function namedIn({ route, path }: Requested): Record<string, string> {
  const parts = path.split('?')[0]!.split('/');
  const [, pattern = ''] = route.split(' ');
  const named = pattern.split('/').map((part, index) => [part, parts[index] ?? ''] as const);
  return Object.fromEntries(
    named.filter(([part]) => part.startsWith(':')).map(([part, value]) => [part.slice(1), value]),
  );
}
