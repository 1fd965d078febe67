import { DomainError } from '../errors';

/** The 404 of a key, also of one that is not the caller's. */
export function keyNotFound(keyId: string): DomainError {
  return new DomainError('api_key_not_found', { keyId: keyId.slice(0, 100) });
}
