import { ERRORS, type ErrorCode } from '@app/domain/errors';
import { ADDRESS } from './address-gate';
import { CREDITS } from './credit-gate';
import type { DescribedProgramUse, DescribedUse, Gate, GateRefusal, PureGate, Remedy } from './gate';
import type { GateStores } from './gate-stores';
import { ACCOUNT, CREDENTIAL, PERMISSION, STATE } from './key-gates';
import { GENERATIONS, REQUESTS } from './limit-gates';
import {
  ACCOUNTS,
  PROGRAM_ADDRESS,
  PROGRAM_CREDENTIAL,
  PROGRAM_PERMISSION,
  PROGRAM_REQUESTS,
  PROGRAM_ROUTE,
  PROGRAM_STATE,
} from './management-gates';
import { ROUTE } from './route-gate';
import { TIER } from './tier-gate';
import { MODEL, VOICE } from './use-gates';

/**
 * The gates of a request before its body is read, in order. Each list is decided at one place in the life of a request, so
 * a new gate is one more entry of the list at whose place it can decide.
 */
export const ARRIVAL = {
  /** Our router, `/introspect` and explain. */
  route: [ROUTE],
  /** KeyVerifier; a single-use token that names no key has a separate refusal. */
  credential: [CREDENTIAL],
  /** Pure: KeyVerifier, SingleUseTokenVerifier, `preview_url`s. */
  key: [STATE, ACCOUNT, ADDRESS, PERMISSION],
  /** RequestLimitHook. */
  counted: [REQUESTS],
} as const;

/** The gates after the body is read and a single-use token is used up, in order. A refusal here gives the token back. */
export const OPERATION = {
  /** GenerationInterceptor, before the body is validated. */
  generating: [GENERATIONS],
  /** GenerationService and TextToSpeechService, once the request is known to be valid. */
  entitled: [TIER, MODEL],
  /** GenerationService and TextToSpeechService, once its voice is known by its own id. */
  voiced: [VOICE],
  /** GenerationCredits: nothing can refuse the request after this. */
  paid: [CREDITS],
} as const;

/** What `/introspect` runs at once, because it has the whole request. */
export const OPERATION_GATES = inOrder(OPERATION);

/** The gates of a program's request under /admin, in order. All decide before its body is read. */
export const MANAGEMENT = {
  /** Our router and explain. */
  route: [PROGRAM_ROUTE],
  /** ManagementVerifier, as the rest. */
  credential: [PROGRAM_CREDENTIAL],
  program: [PROGRAM_STATE, PROGRAM_ADDRESS, PROGRAM_REQUESTS, PROGRAM_PERMISSION, ACCOUNTS],
} as const;

/** Those of them that have to let a long response continue. */
export const STILL_MANAGED = [PROGRAM_STATE, PROGRAM_PERMISSION] as const;

/** Every gate, in the order in which a request meets them. */
const GATES = [...inOrder(ARRIVAL), ...OPERATION_GATES];
const PROGRAM_GATES = inOrder(MANAGEMENT);

/** Those of requests with keys. */
export type GateName = (typeof GATES)[number]['name'];
type AnyGateName = GateName | (typeof PROGRAM_GATES)[number]['name'];

/** Every code that some gate refuses with. */
export type GateCode = NonNullable<Awaited<ReturnType<(typeof GATES)[number]['decide']>>>['code'];

/** The first refusal of a request, and the gate that it comes from. */
export interface Refusal<
  Name extends string = GateName,
  Code extends ErrorCode = GateCode,
> extends GateRefusal<Code> {
  readonly allowed: false;
  readonly gate: Name;
}

type Found<Name extends string, Code extends ErrorCode> = Refusal<Name, Code> | null;

/**
 * Takes a request through some gates until one refuses it. Null when all let it pass. Decides at once unless a gate has to
 * wait for its store.
 */
export function pass<Name extends string, Request, Code extends ErrorCode>(
  gates: readonly PureGate<Name, Request, Code, never>[],
  request: Request,
): Found<Name, Code>;
export function pass<Name extends string, Request, Code extends ErrorCode>(
  gates: readonly Gate<Name, Request, Code, never>[],
  request: Request,
  stores: GateStores,
): Found<Name, Code> | Promise<Found<Name, Code>>;
export function pass<Name extends string, Request, Code extends ErrorCode>(
  gates: readonly Gate<Name, Request, Code, never>[],
  request: Request,
  stores?: GateStores,
): Found<Name, Code> | Promise<Found<Name, Code>> {
  for (let index = 0; index < gates.length; index++) {
    const gate = gates[index]!;
    // Only gates that look at nothing but the request are run without stores, see the overloads.
    const decision = gate.decide(request, stores!);
    if (decision instanceof Promise) return passFrom(index, gates, request, stores!, decision);
    if (decision !== null) return refusedBy(gate, decision);
  }
  return null;
}

async function passFrom<Name extends string, Request, Code extends ErrorCode>(
  index: number,
  gates: readonly Gate<Name, Request, Code, never>[],
  request: Request,
  stores: GateStores,
  deciding: Promise<GateRefusal<Code> | null>,
): Promise<Found<Name, Code>> {
  const decision = await deciding;
  return decision ? refusedBy(gates[index]!, decision) : pass(gates.slice(index + 1), request, stores);
}

function refusedBy<Name extends string, Code extends ErrorCode>(
  { name: gate }: { readonly name: Name },
  { code, params, reason, options }: GateRefusal<Code>,
): Refusal<Name, Code> {
  return { allowed: false, gate, code, params, reason, options };
}

/** What one gate says of a request, in words for staff. */
export interface ExplainedGate {
  gate: AnyGateName;
  passed: boolean;
  /** The rule that decided. */
  rule: string;
  /** What would change a refusal; null when the gate lets the request pass. */
  change: string | null;
  /** Which change of staff that is; null when it is none. */
  remedy: Remedy | null;
  /** The response the caller would get; null when the gate lets the request pass. */
  refusal: { code: ErrorCode; status: number } | null;
}

/**
 * What every gate that a request with a key meets would decide, in order, the later ones as if the earlier ones had let it pass.
 * Charges and counts nothing.
 */
export function explainGates(request: DescribedUse, stores: GateStores): Promise<ExplainedGate[]> {
  return explain(request.target.isPublic ? ARRIVAL.route : GATES, request, stores);
}

/** The same of a request with a management credential. What is not under /admin meets the route only. */
export function explainProgramGates(
  request: DescribedProgramUse,
  stores: GateStores,
): Promise<ExplainedGate[]> {
  const isForStaff = request.target.refusal === 'staff_sign_in_required';
  return explain(isForStaff ? PROGRAM_GATES : MANAGEMENT.route, request, stores);
}

async function explain<Described>(
  gates: readonly Pick<Gate<AnyGateName, never, ErrorCode, Described>, 'name' | 'describe'>[],
  request: Described,
  stores: GateStores,
): Promise<ExplainedGate[]> {
  return Promise.all(
    gates.map(async ({ name: gate, describe }) => {
      const { rule, refusal } = await describe(request, stores);
      if (!refusal) return { gate, passed: true, rule, change: null, remedy: null, refusal };
      const { code, change, remedy } = refusal;
      return {
        gate,
        passed: false,
        rule,
        change,
        remedy,
        refusal: { code, status: ERRORS[code].httpStatus },
      };
    }),
  );
}

/**
 * Whether the address of a request was let in, or would have been if the key had had no list.
 *
 * @param outcome what became of the request, as observed traffic has it
 */
export function passedAddressGate(outcome: string): boolean {
  return !STOPPED.address.includes(outcome);
}

/**
 * The outcomes of requests that a gate of the key has stopped: up to the one of addresses, up to the one of permissions. What
 * comes later was let in by it.
 */
export const STOPPED = { address: upTo(ADDRESS.name), permission: upTo(PERMISSION.name) };

function upTo(gate: string): string[] {
  const names: string[] = ARRIVAL.key.map(({ name }) => name);
  return names.slice(0, names.indexOf(gate) + 1);
}

function inOrder<Stages extends Record<string, readonly unknown[]>>(
  stages: Stages,
): Stages[keyof Stages][number][] {
  return Object.values(stages).flat();
}
