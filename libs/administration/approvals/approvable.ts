import type { ApprovalKind } from '@app/domain/approvals/approvals';
import type { ChangeWork } from '../audit/audited-changes';
import type { ChangeRequest } from '../audit/locked-change';
import { object, type Check } from './json-shape';

/** A check of what was stored as JSON, which says what it then is. */
export type ArgsCheck<A> = Check & { args?: A };

export const args = <A>(check: Check): ArgsCheck<A> => check;

export const NO_ARGS = args<object>(object({}));

/** An approved request: applied in the name of who has requested it, from the version that they saw. */
export interface ApprovedRequest<A = unknown> extends ChangeRequest {
  reason: string;
  targetType: string;
  targetId: string;
  args: A;
}

/** How an approved change is applied, and what follows when it is committed. */
export interface ApprovedWork {
  work: ChangeWork<unknown>;
  afterwards?: () => Promise<unknown>;
}

/** A kind of change that may wait: how what making it later needs is checked when it is read again, and how it is then made. */
export interface Approvable<K extends ApprovalKind = ApprovalKind, A = unknown> {
  kind: K;
  check: ArgsCheck<A>;
  // As a method, so that those of all kinds have one type.
  apply(request: ApprovedRequest<A>): ApprovedWork;
}

export function approvable<K extends ApprovalKind, A>(
  kind: K,
  check: ArgsCheck<A>,
  apply: (request: ApprovedRequest<A>) => ApprovedWork,
): Approvable<K, A> {
  return { kind, check, apply };
}

/**
 * The stored arguments of a request.
 *
 * @throws Error when they are not what the kind has: of another release, or edited
 */
export function readArgs<A>({ kind, check }: Approvable<ApprovalKind, A>, stored: unknown): A {
  if (!check(stored)) throw new Error(`The arguments of a waiting change are not those of a ${kind}.`);
  return stored as A;
}
