import type { ErrorCode } from '@app/domain/errors';
import { hasPermission } from '@app/domain/keys/permissions';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import {
  passes,
  refusal,
  refuses,
  type Change,
  type CredentialUse,
  type GateDecision,
  type DescribedUse,
  type KeyUse,
  type PureGate,
} from './gate';

const CREDENTIAL_REFUSALS = {
  missing: refusal('missing', 'missing_api_key'),
  malformed: refusal('malformed', 'invalid_api_key'),
  unknown: refusal('unknown', 'invalid_api_key'),
};
// Credential, state and account share one code, so that it gives nothing away.
const DISABLED = refusal('disabled', 'invalid_api_key');
const PARENT_KEY_ENDED = refusal('maker_ended', 'invalid_api_key');
const EXPIRED = refusal('expired', 'invalid_api_key');
const RETIRED = refusal('secret_retired', 'invalid_api_key');
const SUSPENDED = refusal('account_suspended', 'invalid_api_key');
const CLOSED = refusal('account_closed', 'invalid_api_key');
const MOVING = refusal('account_moving', 'service_unavailable', undefined, { retryAfterSecs: 5 });

/** Whether the credential names a key. Explanations begin with the key, so for them it does. */
export const CREDENTIAL: PureGate<
  'credential',
  CredentialUse,
  Extract<ErrorCode, 'missing_api_key' | 'invalid_api_key'>
> = {
  name: 'credential',
  decide: ({ credential }) => credential && CREDENTIAL_REFUSALS[credential],
  describe: ({ key }) => passes(`Secret ${key.secretNumber} of the key is presented.`),
};

/** Whether the key, its parent keys and the secret are in use. */
export const STATE: PureGate<'state', KeyUse, 'invalid_api_key'> = {
  name: 'state',
  decide: decideState,
  describe(request) {
    const rule = describeState(request);
    const refused = decideState(request);
    return refused ? refuses(rule, refused.code, CHANGES[refused.reason]!) : passes(rule);
  },
};

type AccountRefusal = Extract<ErrorCode, 'invalid_api_key' | 'service_unavailable'>;

/** Whether the account of the key is in use. */
export const ACCOUNT: PureGate<'account', KeyUse, AccountRefusal> = {
  name: 'account',
  decide: decideAccount,
  describe({ key }) {
    const rule = `The account is ${key.accountStatus}.`;
    const refused = decideAccount({ key });
    return refused ? refuses(rule, refused.code, CHANGES[refused.reason]!) : passes(rule);
  },
};

/** Whether the key has the permission that the operation needs. */
export const PERMISSION: PureGate<'scope', KeyUse, 'insufficient_permissions'> = {
  name: 'scope',
  decide: decidePermission,
  describe(request) {
    const { permission } = request;
    if (permission === null) return passes('The operation needs no permission.');
    const rule = (verb: string) => `The operation needs the permission ${permission}, which the key ${verb}.`;
    const refused = decidePermission(request);
    if (refused)
      return refuses(rule('does not have'), refused.code, ['Give the key the permission.', 'edit_key']);
    return passes(rule('has'));
  },
};

/** What would change a refusal, by its reason. */
const CHANGES: Readonly<Record<string, Change>> = {
  disabled: ['Enable the key.', 'enable_key'],
  maker_ended: ['Enable the key that created it, or detach it from that key.', null],
  expired: ['Give the key a later expiry, or none.', 'edit_key'],
  secret_retired: ['Use the newest secret of the key: this one was replaced by a rotation.', null],
  account_suspended: ['Activate the account.', 'reactivate_account'],
  account_closed: ['Nothing: a closed account stays closed.', null],
  account_moving: ['Nothing, or "greenroom cells move" where the move was ended before its end.', null],
};

function decideState({ key, nowMs }: Pick<KeyUse, 'key' | 'nowMs'>): GateDecision<'invalid_api_key'> {
  if (key.disableReason !== null) return DISABLED;
  if (key.parentKeyEnded !== null) return PARENT_KEY_ENDED;
  if (key.expiresAtMs !== null && !(nowMs < key.expiresAtMs)) return EXPIRED;
  return key.retiresAtMs === null || nowMs < key.retiresAtMs ? null : RETIRED;
}

function decideAccount({ key: { accountStatus } }: Pick<KeyUse, 'key'>): GateDecision<AccountRefusal> {
  if (accountStatus === 'active') return null;
  if (accountStatus === 'moving') return MOVING;
  return accountStatus === 'suspended' ? SUSPENDED : CLOSED;
}

function decidePermission({
  key: { permissions },
  permission,
}: Pick<KeyUse, 'key' | 'permission'>): GateDecision<'insufficient_permissions'> {
  if (permission === null || hasPermission(permissions, permission)) return null;
  return refusal('permission_missing', 'insufficient_permissions', { permission });
}

function describeState({ key, nowMs }: DescribedUse): string {
  const { disableReason, parentKeyEnded, expiresAtMs, retiresAtMs }: VerifiableKey = key;
  if (disableReason !== null) return `The key is disabled: ${disableReason}.`;
  if (parentKeyEnded !== null) return `A key that it comes from is not in use: ${parentKeyEnded}.`;
  if (expiresAtMs !== null && nowMs >= expiresAtMs) return `The key expired at ${instant(expiresAtMs)}.`;
  if (retiresAtMs !== null) {
    const tense = nowMs < retiresAtMs ? 'stops' : 'stopped';
    return `The key is enabled; this secret ${tense} working at ${instant(retiresAtMs)}.`;
  }
  return expiresAtMs === null
    ? 'The key is enabled and never expires.'
    : `The key is enabled until ${instant(expiresAtMs)}.`;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
