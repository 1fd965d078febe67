import type { DomainError } from '@app/domain/errors';
import { VoiceEngineError } from '@app/voice-engine/voice-engine.error';
import { toErrorBody } from '../http/error-body';
import { toDomainError } from '../http/domain-error';
import { toRefusal } from '../text-to-voice/generation.service';

/** Close codes (RFC 6455, 7.4.1, and its registry). */
export const CLOSED = { normally: 1_000, forRestart: 1_001 };
const [INVALID_DATA, REFUSED, TOO_LARGE, FAILED, TRY_LATER] = [1_007, 1_008, 1_009, 1_011, 1_013];

/** An error as the last message of a socket, in the contract's form, and the code with which the socket is closed. */
export function toSocketError(
  error: unknown,
  requestId: string,
): { refusal: DomainError; message: object; closeCode: number } {
  const refusal = error instanceof VoiceEngineError ? toRefusal(error) : toDomainError(error);
  const { status, body } = toErrorBody(refusal, requestId);
  const closeCode = toCloseCode(refusal, status);
  const { message, code, ...rest } = body.detail;
  return { refusal, closeCode, message: { message, error: code, code: closeCode, ...rest } };
}

function toCloseCode({ code }: DomainError, status: number): number {
  if (code === 'malformed_json') return INVALID_DATA;
  if (status === 413) return TOO_LARGE;
  if (status === 503) return TRY_LATER;
  return status >= 500 ? FAILED : REFUSED;
}
