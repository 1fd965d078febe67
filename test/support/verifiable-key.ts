import { compilePermissions } from '../../libs/domain/keys/permissions';
import type { VerifiableKey } from '../../libs/domain/keys/verifiable-key';

/** A key that may do everything from anywhere, and never expires. */
export function verifiableKey(
  settings: Pick<VerifiableKey, 'keyId' | 'accountId'> & Partial<VerifiableKey>,
): VerifiableKey {
  return {
    accountStatus: 'active',
    tier: 'creator',
    generationLimits: [{ ownerId: 'account', limit: 5 }],
    requestLimit: { keyId: 'key', requestsPerMinute: 600 },
    parentKeyIds: [],
    parentKeyEnded: null,
    permissions: compilePermissions(null),
    models: null,
    voices: null,
    allowList: null,
    accountList: null,
    disableReason: null,
    expiresAtMs: null,
    secretNumber: 1,
    issuedAtMs: 1_700_000_000_000,
    retiresAtMs: null,
    version: 1,
    ...settings,
  };
}
