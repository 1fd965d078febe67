/**
 * Loads the packages of the sign-in library: 25 MB and a second, of which an api that only serves customers has no use.
 * `import()` evaluates it piece by piece, so that others are served meanwhile.
 */
export async function loadSignInPackages() {
  const [auth, api, crypto, plugins, passkeys, kysely, jose] = await Promise.all([
    import('better-auth'),
    import('better-auth/api'),
    import('better-auth/crypto'),
    import('better-auth/plugins'),
    import('@better-auth/passkey'),
    import('kysely'),
    import('jose'),
  ]);
  return {
    betterAuth: auth.betterAuth,
    APIError: api.APIError,
    symmetricDecrypt: crypto.symmetricDecrypt,
    genericOAuth: plugins.genericOAuth,
    twoFactor: plugins.twoFactor,
    passkey: passkeys.passkey,
    getAuthenticatorName: passkeys.getAuthenticatorName,
    createRemoteJWKSet: jose.createRemoteJWKSet,
    jwtVerify: jose.jwtVerify,
    PostgresDialect: kysely.PostgresDialect,
  };
}

export type SignInPackages = Awaited<ReturnType<typeof loadSignInPackages>>;
