import type { SingleUseToken } from '@app/database/keys/single-use-token.entity';
import { describeRefusal, DomainError, ERRORS, type ErrorCode } from '@app/domain/errors';
import { parseIpAddress } from '@app/domain/addresses/ip-address';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import { hasPermission, PERMISSIONS, type Permission } from '@app/domain/keys/permissions';
import { TOKEN_TTL_SECS, TOKEN_TYPES } from '@app/domain/keys/single-use-token';
import { checkInteger, withSchema } from '@app/domain/common/field-checks';
import { checkExternalId } from '@app/domain/common/tags';
import { checkOperation } from '@app/domain/credits/operation';
import { toCurrentBudget, type CurrentBudgetResponse } from '../budgets/current-budget.dto';
import { toRefusalResponse, type ErrorBody } from '../http/error-body';
import { CheckedField, EnumField, StringField } from '../http/fields';
import { toServiceUnavailable } from '../http/unavailable';
import { invalid, ValidationProblem, type ValidationErrorBody } from '../http/wire-problem';
import { InvalidInput } from '@app/domain/common/invalid-input';
import type { EndedHold } from './holds.service';
import type { Introspection } from './introspection-outcome';
import type { IntrospectionQuery } from './introspection.service';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const REQUEST_ID = { min: 1, max: 200 };
const MAX_CREDITS = Number.MAX_SAFE_INTEGER;
const MAX_HOLD_SECS = 86_400;
const DIGEST = /^[0-9a-f]{64}$/;
/** Items of a batch. */
const MAX_ITEMS = 500;

/** A whole number; as digits too, because forms have nothing but texts. */
const CountField = (options: { min: number; max: number; optional?: boolean }) => {
  const check = checkInteger(options);
  const schema = check.schema ?? {};
  return CheckedField(
    withSchema(schema, (value) => check(numeric(value))),
    options,
  );
};

function numeric(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

const checkDigest = withSchema({ type: 'string', pattern: DIGEST.source }, (value) => {
  if (typeof value === 'string' && DIGEST.test(value)) return [];
  const msg = 'Value error, give the SHA-256 of the secret as 64 hexadecimal digits in lower case';
  return [{ type: 'value_error', msg, input: null }];
});

/** RFC 7662, 2.1; everything but `token` is ours. */
export class IntrospectBody {
  /** The secret of a key or a single-use token, as the customer has sent it. */
  @StringField({ optional: true })
  token?: string;

  /** Instead of it: the SHA-256 of the secret of a key, in hexadecimal, for services that keep no secrets. */
  @CheckedField(checkDigest, { optional: true })
  token_digest?: string;

  /** Where the customer's request comes from; what is not an address, or is missing, counts as unknown. */
  @StringField({ optional: true, max: 100 })
  address?: string;

  /** With `path`: the request, if it is one that this server knows. */
  @EnumField(METHODS, { optional: true })
  method?: string;

  @StringField({ optional: true, min: 1, max: 2_000 })
  path?: string;

  /** Instead of method and path: the permission that is needed. */
  @EnumField(PERMISSIONS, { optional: true })
  scope?: Permission;

  /** Credits to charge. Without it nothing is charged. */
  @CountField({ optional: true, min: 0, max: MAX_CREDITS })
  cost?: number | string;

  /** What the credits are for, in the ledger and the usage. */
  @CheckedField(checkOperation, { optional: true })
  operation?: string;

  /** The same id of an account is charged once, whichever service sends it: begin it with the service's name, or use a UUID. */
  @StringField({ ...REQUEST_ID, optional: true })
  request_id?: string;

  /** Sets the credits aside for so long; what the work has really cost is captured at its end. */
  @CountField({ optional: true, min: 1, max: MAX_HOLD_SECS })
  hold_seconds?: number | string;

  /** Which user of the customer the cost is for, by the customer's id for them: the ledger has it, and usage is grouped by it. */
  @CheckedField(checkExternalId, { optional: true })
  end_user?: string;

  /** The model that the request names, for keys that may not use every one. */
  @StringField({ optional: true, min: 1, max: 100 })
  model_id?: string;
}

class HeldBody {
  @StringField({ min: 1, max: 100 })
  account_id: string;

  @StringField(REQUEST_ID)
  request_id: string;
}

export class ReleaseBody extends HeldBody {}

export class CaptureBody extends HeldBody {
  /** What the work has really cost: at most what was held. */
  @CountField({ min: 0, max: MAX_CREDITS })
  cost: number | string;
}

/** @throws InvalidInput for fields that do not go together */
export function toQuery(body: IntrospectBody, ownRequestId: string): IntrospectionQuery {
  if (body.token === undefined && body.token_digest === undefined) throw missing('token');
  if (body.token !== undefined && body.token_digest !== undefined) throw twoTokens();
  if (body.path !== undefined && body.method === undefined) throw missing('method', 'path');
  if (body.method !== undefined && body.path === undefined) throw missing('path', 'method');
  if (body.scope !== undefined && body.path !== undefined) throw twoRoutes(body.scope);
  if (body.hold_seconds !== undefined && body.cost === undefined) throw missing('cost', 'hold_seconds');
  return {
    token: body.token ?? '',
    digest: body.token_digest ?? null,
    address: body.address === undefined ? null : parseIpAddress(body.address.trim()),
    target: body.path === undefined ? (body.scope ?? null) : { method: body.method!, path: body.path },
    cost: body.cost === undefined ? null : Number(body.cost),
    operation: body.operation ?? body.scope ?? 'introspection',
    requestId: body.request_id ?? ownRequestId,
    holdSecs: body.hold_seconds === undefined ? undefined : Number(body.hold_seconds),
    endUser: body.end_user ?? null,
    modelId: body.model_id ?? null,
  };
}

function missing(field: string, because?: string): InvalidInput {
  const msg = because === undefined ? 'Field required' : `Field required, because '${because}' is given`;
  return new InvalidInput([{ type: 'missing', path: [field], msg, input: null }]);
}

function twoTokens(): InvalidInput {
  const msg = "Value error, give either 'token' or 'token_digest'";
  return new InvalidInput([{ type: 'value_error', path: ['token_digest'], msg, input: null }]);
}

function twoRoutes(input: string): InvalidInput {
  const msg = "Value error, give either 'scope' or 'method' and 'path'";
  return new InvalidInput([{ type: 'value_error', path: ['scope'], msg, input }]);
}

/** RFC 7662, 2.2, and ours. */
export interface ActiveResponse {
  active: true;
  /** Every permission of the key, or the one of the token, separated by spaces. */
  scope: string;
  /** The key. */
  client_id: string;
  /** The account. */
  sub: string;
  token_type: 'api_key' | 'single_use_token';
  /** When the secret or token was created, in seconds since 1970. */
  iat: number;
  /** When it stops working, if it does. */
  exp?: number;
  key_id: string;
  account_id: string;
  tier: string;
  request_id: string;
  /** Credits that are left; null when nothing limits them. */
  credits_remaining: number | null;
  /** Only for a key whose charges count for budgets, at most 20, as they are after this charge. */
  budgets?: CurrentBudgetResponse[];
  /** Only with a cost: what it was, and whether this request id had been charged before. */
  cost?: number;
  repeated?: boolean;
  /** Only for a hold: when the credits are released unless they are captured. */
  held_until?: string;
}

export interface InactiveResponse {
  active: false;
  /** The gate that refuses, as `explain` names them. */
  gate: string;
  /** The response that the customer's request should get. */
  code: ErrorCode;
  status: number;
  message: string;
  /** Only when the requests of the minute are used up. */
  retry_after_secs?: number;
  credits_remaining?: number;
  credit_limit?: number;
  cost?: number;
  /** Only when a budget has too little: all budgets of the key, at most 20. */
  budgets?: CurrentBudgetResponse[];
}

export function toIntrospectionResponse(found: Introspection): ActiveResponse | InactiveResponse {
  if (!found.active) {
    const { gate, code, params, retryAfterSecs, credits, budgets } = found;
    const { httpStatus: status } = ERRORS[code];
    const message = describeRefusal(code, params);
    const refused = { gate, code, status, message, retry_after_secs: retryAfterSecs, ...credits };
    return { active: false, ...refused, budgets: budgets?.map(toCurrentBudget) };
  }
  const { key, token, requestId, creditsRemaining, budgets, charge } = found;
  const { scope, token_type, iat, exp } = token ? aboutToken(token) : aboutSecret(key);
  return {
    active: true,
    client_id: key.keyId,
    sub: key.accountId,
    scope,
    token_type,
    iat,
    exp,
    key_id: key.keyId,
    account_id: key.accountId,
    tier: key.tier,
    request_id: requestId,
    credits_remaining: creditsRemaining,
    budgets: budgets.length > 0 ? budgets.map(toCurrentBudget) : undefined,
    cost: charge?.cost,
    repeated: charge?.repeated,
    held_until: charge?.heldUntil?.toISOString(),
  };
}

/** What one item of a batch gets: what its request would have got alone. */
export interface IntrospectionEntry {
  /** 200 when it was decided, whether the key is good or not. */
  status: number;
  body: ActiveResponse | InactiveResponse | ErrorBody | ValidationErrorBody;
  /** When to send the item again, where that may help. */
  retry_after_secs?: number;
}

/** @throws InvalidInput for a batch that is empty, too long or none */
export function readItems(body: unknown): unknown[] {
  if (Array.isArray(body) && body.length > 0 && body.length <= MAX_ITEMS) return body;
  const sent = Array.isArray(body) ? `${body.length} were given` : 'something else was given';
  const msg = `Value error, give a list of 1 to ${MAX_ITEMS} items; ${sent}`;
  throw new InvalidInput([{ type: 'value_error', path: [], msg, input: null }]);
}

/** @throws what is neither a refusal nor says that a part is down */
export function toRefusedEntry(error: unknown, requestId: string): IntrospectionEntry {
  const { status, headers, body } = toRefusalResponse(refusalOf(error), requestId);
  const retryAfter = headers['retry-after'];
  return { status, body, ...(retryAfter && { retry_after_secs: Number(retryAfter) }) };
}

function refusalOf(error: unknown): DomainError | ValidationProblem {
  if (error instanceof InvalidInput) return invalid('body', ...error.problems);
  if (error instanceof ValidationProblem || error instanceof DomainError) return error;
  const unavailable = toServiceUnavailable(error);
  if (!unavailable) throw error;
  return unavailable;
}

type AboutCredential = Pick<ActiveResponse, 'scope' | 'token_type' | 'iat' | 'exp'>;

function aboutSecret(key: VerifiableKey): AboutCredential {
  const endsAtMs = Math.min(key.expiresAtMs ?? Infinity, key.retiresAtMs ?? Infinity);
  return {
    scope: scopeOf(key),
    token_type: 'api_key',
    iat: Math.floor(key.issuedAtMs / 1_000),
    exp: endsAtMs === Infinity ? undefined : Math.floor(endsAtMs / 1_000),
  };
}

function aboutToken({ type, expiresAt }: SingleUseToken): AboutCredential {
  const exp = Math.floor(expiresAt.getTime() / 1_000);
  const { permission: scope } = TOKEN_TYPES[type];
  return { scope, token_type: 'single_use_token', iat: exp - TOKEN_TTL_SECS, exp };
}

const scopes = new WeakMap<VerifiableKey, string>();

/** Built once for each cached key. */
function scopeOf(key: VerifiableKey): string {
  const known = scopes.get(key);
  if (known !== undefined) return known;
  const scope = PERMISSIONS.filter((permission) => hasPermission(key.permissions, permission)).join(' ');
  scopes.set(key, scope);
  return scope;
}

export interface HoldResponse {
  account_id: string;
  request_id: string;
  /** Credits that were set aside. */
  held: number;
  /** What of them was charged in the end. */
  charged: number;
  /** Whether it had been ended like this before. */
  repeated: boolean;
}

export function toHoldId({ account_id, request_id }: HeldBody): { accountId: string; requestId: string } {
  return { accountId: account_id, requestId: request_id };
}

export function toHoldResponse(
  { account_id, request_id }: HeldBody,
  { held, outcome, charged }: EndedHold,
): HoldResponse {
  return { account_id, request_id, held: held ?? 0, charged, repeated: outcome === 'repeated' };
}
