import type { VerifiableKey } from './verifiable-key';

/** Who calls, and with which request. Every service method that acts for a customer takes it first. */
export interface Caller {
  key: VerifiableKey;
  /** Address of the client; null when it cannot be known. */
  address: string | null;
  requestId: string;
  /** The address that was called, without a path, as the caller wrote it. */
  origin: string;
  /** The most that the request may cost, if it came with a single-use token that says so; else null. */
  maxCredits: number | null;
  /** Which user of the customer the request is for; null when it names none. */
  endUser: string | null;
  /** Aborts when the client goes away before it has its response. */
  readonly signal: AbortSignal;
}
