const DISCOVERY_MS = 10_000;

/** What we read of an identity provider's configuration (OpenID Connect Discovery 1.0, section 3). */
export interface ProviderConfiguration {
  issuer: string;
  jwks_uri?: string;
  token_endpoint_auth_methods_supported?: unknown;
}

export function discoveryUrlOf(issuer: string): string {
  return `${issuer}/.well-known/openid-configuration`;
}

/** The configuration of an identity provider; null while it does not respond. */
export async function discoverProvider(issuer: string): Promise<ProviderConfiguration | null> {
  try {
    const response = await fetch(discoveryUrlOf(issuer), { signal: AbortSignal.timeout(DISCOVERY_MS) });
    return response.ok ? ((await response.json()) as ProviderConfiguration) : null;
  } catch {
    return null;
  }
}

/**
 * Whether the token endpoint takes the client's secret as HTTP Basic: what it does unless it says otherwise, and what some do
 * only.
 */
export function takesSecretInHeader(provider: ProviderConfiguration | null): boolean {
  const methods = provider?.token_endpoint_auth_methods_supported;
  return !Array.isArray(methods) || methods.includes('client_secret_basic');
}
