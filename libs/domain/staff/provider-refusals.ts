/**
 * Why a sign-in at the identity provider was refused, as the way back to the console says it (`?error=`): for the person, and
 * what to change.
 */
export const PROVIDER_REFUSALS = {
  not_staff:
    'You have not been added as staff. Ask an administrator to add the address that you have at the provider.',
  no_role:
    'None of your groups at the provider has a role here. An administrator sets them with OIDC_ROLE_MAP.',
  disabled: 'An administrator has disabled you here.',
  email_not_found:
    'The provider sent no e-mail address. Its administrator can add the scope "email" to this client.',
  email_not_verified:
    'The provider does not say that your e-mail address is verified. An administrator can change that there, or set OIDC_EMAIL_VERIFIED here.',
  access_denied: 'You, or the provider, have refused the sign-in.',
  state_mismatch: 'This sign-in was begun in another tab, or took too long. Begin again.',
  state_not_found: 'This sign-in was begun in another tab, or took too long. Begin again.',
  invalid_code:
    'The provider refused to confirm the sign-in. If it happens again, an administrator should compare OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and the redirect address.',
  unable_to_get_user_info:
    'What the provider sent could not be verified: its issuer, client, key or time is not the one expected.',
  issuer_mismatch: 'The response came from another issuer than OIDC_ISSUER.',
} as const;

export type ProviderRefusalCode = keyof typeof PROVIDER_REFUSALS;

/** @param code as it stands in an address, where anything may stand */
export function explainProviderRefusal(code: string): string {
  return Object.hasOwn(PROVIDER_REFUSALS, code)
    ? PROVIDER_REFUSALS[code as ProviderRefusalCode]
    : `The identity provider did not sign you in (${code.slice(0, 100)}).`;
}
