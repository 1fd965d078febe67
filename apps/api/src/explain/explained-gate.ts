import { ERRORS, type ErrorCode } from '@app/domain/errors';
import type { Gate } from '@app/domain/keys/key-decision';

/** What one gate says of a request, in words for staff. */
export interface ExplainedGate {
  gate: 'route' | Gate | 'limit' | 'concurrency' | 'tier' | 'credits';
  passed: boolean;
  /** The rule that decided. */
  rule: string;
  /** What would change a refusal; null when the gate lets the request pass. */
  change: string | null;
  /** The response the caller would get; null when the gate lets the request pass. */
  refusal: { code: ErrorCode; status: number } | null;
}

export function pass(gate: ExplainedGate['gate'], rule: string): ExplainedGate {
  return { gate, passed: true, rule, change: null, refusal: null };
}

export function refuse(
  gate: ExplainedGate['gate'],
  code: ErrorCode,
  rule: string,
  change: string,
): ExplainedGate {
  return { gate, passed: false, rule, change, refusal: { code, status: ERRORS[code].httpStatus } };
}
