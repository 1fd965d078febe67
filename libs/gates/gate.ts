import type { OutputFormat } from '@app/audio/codecs/output-format';
import type { Charge } from '@app/credits/credit-ledger';
import type { IpAddress } from '@app/domain/addresses/ip-address';
import { DomainError, type ErrorCode, type ErrorParams, type Params } from '@app/domain/errors';
import type { Permission } from '@app/domain/keys/permissions';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import type { VerifiableManagement } from '@app/database/staff/management-credential.repository';
import type { AccountProof } from '@app/domain/staff/management-grants';
import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import type { RequestSlot } from '@app/limits/generation-slots';
import type { RequestVerdict } from '@app/limits/request-limiter';
import type { GateStores } from './gate-stores';

/** One condition that a request has to meet. The table in `gates.ts` has all of them, in order. */
export interface Gate<Name extends string, Request, Code extends ErrorCode, Described = DescribedUse> {
  readonly name: Name;
  /**
   * Decides about a real request, and counts, takes or charges what the request uses. Null lets the request
   * pass; what the caller needs later is left in the request.
   */
  decide: (request: Request, stores: GateStores) => GateDecision<Code> | Promise<GateDecision<Code>>;
  /** The decision about such a request in words. Counts, takes and charges nothing. */
  describe: (request: Described, stores: GateStores) => GateWords | Promise<GateWords>;
}

/** A gate that decides at once, from the request alone. */
export interface PureGate<
  Name extends string,
  Request,
  Code extends ErrorCode,
  Described = DescribedUse,
> extends Gate<Name, Request, Code, Described> {
  decide: (request: Request) => GateDecision<Code>;
}

/** Null lets the request pass. */
export type GateDecision<Code extends ErrorCode> = GateRefusal<Code> | null;

/** Why a gate refuses. Hooks and services make their response of it. */
export interface GateRefusal<Code extends ErrorCode = ErrorCode> {
  readonly code: Code;
  readonly params: ErrorParams;
  /** The real reason, for logs and staff. Never for the caller. */
  readonly reason: string;
  readonly options?: DomainError['options'];
}

/** What a gate looked at, and what would change its decision, in sentences for staff. */
export interface GateWords {
  rule: string;
  /** Null when the gate lets the request pass. */
  refusal: { code: ErrorCode; change: string; remedy: Remedy | null } | null;
}

/** What staff can do about a refusal; null where only the caller can, or no change helps. */
export type Remedy =
  | 'edit_key'
  | 'enable_key'
  | 'list_of_key'
  | 'list_of_account'
  | 'edit_account'
  | 'reactivate_account'
  | 'grant_credits'
  | 'edit_budgets'
  | 'edit_credential';

/** What would change a refusal: in a sentence, and which change of staff it is. */
export type Change = readonly [change: string, remedy: Remedy | null];

/** An entry of a key's allow-list, for naming the one that decides. */
export interface NamedEntry {
  readonly cidr: string;
  readonly note: string | null;
  readonly endsAt: Date | null;
}

/** What the routes say about a request, before its key is read. */
export interface RouteTarget {
  /** Method and path of the operation, with placeholders; null when nothing serves the request. */
  readonly route: string | null;
  /** Whether it can be called without a key. */
  readonly isPublic: boolean;
  /** What a key must be permitted; null when every key will do. */
  readonly permission: Permission | null;
  /** Whether it generates speech. */
  readonly generates: boolean;
  /** Why no key is enough; null when one can be. */
  readonly refusal: RouteRefusalCode | null;
  /** Methods that are served at the path, when this one is not. */
  readonly allowedMethods: readonly string[];
}

export type RouteRefusalCode = Extract<
  ErrorCode,
  | 'bad_request'
  | 'uri_too_long'
  | 'not_found'
  | 'method_not_allowed'
  | 'staff_sign_in_required'
  | 'missing_service_credential'
  | 'invalid_scim_token'
>;

/** What gates know of a request of a program under /admin. */
export interface ProgramRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly target: RouteTarget;
  /** Why the credential names no program; null when it names one. */
  readonly credential: 'malformed' | 'unknown' | null;
  readonly program: VerifiableManagement;
  /** Where the request comes from; null when it cannot be known, see `clientAddress`. */
  readonly address: IpAddress | null;
  readonly nowMs: number;
  /** What the operation needs; `signed_in` is a session. */
  readonly permission: StaffPermission | 'signed_in';
  /** What its path says of the account that it is about, and the value of that. */
  readonly proof: AccountProof;
  readonly named: string;
}

export type ProgramRouteUse = Pick<ProgramRequest, 'method' | 'target'>;
export type ProgramCredentialUse = Pick<ProgramRequest, 'credential'>;
export type ProgramUse = Pick<
  ProgramRequest,
  'program' | 'address' | 'nowMs' | 'permission' | 'proof' | 'named'
>;

/** What is known of a program's request that is only described. */
export type DescribedProgramUse = ProgramRouteUse & ProgramUse & Pick<ProgramRequest, 'path'>;

/** The slots of a generation: none when it was refused. */
export interface GenerationSlotsTaken {
  readonly slots: readonly RequestSlot[];
  /** Generations that run, this one included if it may, where the fewest more may. */
  readonly running: number;
  readonly limit: number;
}

/** Everything that gates know of a request; each one declares the part that it reads, and what it leaves behind. */
export interface GateRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly target: RouteTarget;
  /** Why the credential names no key; null when it names one. */
  readonly credential: 'missing' | 'malformed' | 'unknown' | null;
  readonly key: VerifiableKey;
  /** Where the request comes from; null when it cannot be known, see `clientAddress`. */
  readonly address: IpAddress | null;
  /** Null for an operation that every key may call. */
  readonly permission: Permission | null;
  readonly nowMs: number;
  /** The entries of the key's allow-list; null when it has none. */
  readonly entries: readonly NamedEntry[] | null;
  /** The entries of its account's; null when it has none. */
  readonly accountEntries: readonly NamedEntry[] | null;
  /** Whether it is one of the key's requests per minute. */
  readonly counted: boolean;
  /** Left behind: null when nothing was counted. */
  requests: RequestVerdict | null;
  /** Identifies what the request takes and is charged. */
  readonly requestId: string;
  /** Whether this process generates speech for it. */
  readonly generates: boolean;
  /** Left behind: null when no slot is needed, or its store was late. */
  generation: GenerationSlotsTaken | null;
  /** The output format that it asks for; null for the default, or where there are none. */
  readonly format: OutputFormat | null;
  /** The model that it names; null where there are none. */
  readonly modelId: string | null;
  /** The voice that it speaks with or remixes; null where there is none. */
  readonly voiceId: string | null;
  /** Whole credits; null when nothing is to be charged. */
  readonly cost: number | null;
  /** What the credits are for. */
  readonly operation: string;
  /** The most that its single-use token lets it cost; null without one. */
  readonly maxCredits: number | null;
  /** Holds the credits for so long instead of charging them. */
  readonly holdSecs: number | undefined;
  /** Which user of the customer it is for; null when it names none. */
  readonly endUser: string | null;
  /** Left behind: the charge; null when there was nothing to charge. */
  charge: Extract<Charge, { charged: true }> | null;
}

export type RouteUse = Pick<GateRequest, 'method' | 'target'>;
export type CredentialUse = Pick<GateRequest, 'credential'>;
export type KeyUse = Pick<GateRequest, 'key' | 'address' | 'permission' | 'nowMs'>;
export type CountedUse = Pick<GateRequest, 'key' | 'counted' | 'requests'>;
export type GenerationUse = Pick<GateRequest, 'key' | 'requestId' | 'generates' | 'generation'>;
export type TierUse = Pick<GateRequest, 'key' | 'format'>;
export type ModelUse = Pick<GateRequest, 'key' | 'modelId'>;
export type VoiceUse = Pick<GateRequest, 'key' | 'voiceId'>;
export type CreditUse = Pick<
  GateRequest,
  'key' | 'requestId' | 'cost' | 'operation' | 'maxCredits' | 'holdSecs' | 'endUser' | 'charge'
>;

/** What is known of a request that is only described. */
export type DescribedUse = RouteUse &
  KeyUse &
  TierUse &
  ModelUse &
  VoiceUse &
  Pick<GateRequest, 'path' | 'entries' | 'accountEntries' | 'cost' | 'endUser'> & {
    /** Null when it is not known. */
    readonly operation: string | null;
  };

const NO_PARAMS: ErrorParams = Object.freeze({});

export function refusal<Code extends ErrorCode>(
  reason: string,
  code: Code,
  ...filling: [...Params<Code>, options?: DomainError['options']]
): GateRefusal<Code> {
  const [params = NO_PARAMS, options] = filling as unknown as [ErrorParams?, DomainError['options']?];
  return Object.freeze({ code, params, reason, ...(options && { options }) });
}

/** The error that the caller gets. `refusal` has compared its code and its params. */
export function toError({ code, params, options }: Omit<GateRefusal, 'reason'>): DomainError {
  return new DomainError(code, params as never, options);
}

export function passes(rule: string): GateWords {
  return { rule, refusal: null };
}

export function refuses(rule: string, code: ErrorCode, [change, remedy]: Change): GateWords {
  return { rule, refusal: { code, change, remedy } };
}
