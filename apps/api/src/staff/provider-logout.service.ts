import { bySystem } from '@app/administration/audit/audit-actors';
import { StaffService } from '@app/administration/staff/staff.service';
import { AppConfig } from '@app/config/app-config';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { discoverProvider } from './provider-discovery';
import { loadSignInPackages, type SignInPackages } from './sign-in-packages';

/** What makes a token one of logout, and not one that signs a person in. */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** The identity provider signs people out (OpenID Connect Back-Channel Logout 1.0). */
@Injectable()
export class ProviderLogoutService {
  private provider?: Promise<Provider>;

  constructor(
    private readonly config: AppConfig,
    private readonly staff: StaffRepository,
    private readonly members: StaffService,
  ) {}

  /**
   * Ends all sessions of the person whom a token names: which of them the provider began is not kept.
   *
   * @returns how many sessions there were
   * @throws DomainError `bad_request` for a token that is not the provider's, or names no person; `service_unavailable`
   */
  async end(token: string): Promise<number> {
    const member = await this.staff.findAtProvider(await this.subjectOf(token));
    if (!member) return 0;
    const actor = bySystem('identity provider');
    const { ended } = await this.members.endSessions({
      staffId: member.id,
      actor,
      reason: 'Signed out at the identity provider',
    });
    return ended;
  }

  /** Section 2.6: signed by the provider, for this client, about a person, and no token that signs in. */
  private async subjectOf(token: string): Promise<string> {
    const { oidcIssuer, oidcClientId } = this.config;
    if (!oidcIssuer || !oidcClientId) throw new DomainError('not_found');
    const { issuer, keys } = await this.readProvider(oidcIssuer);
    const { jwtVerify } = await loadSignInPackages();
    const expected = { issuer, audience: oidcClientId, requiredClaims: ['iat', 'jti'] };
    const { payload } = await jwtVerify(token, keys, expected).catch((error: Error & { code?: string }) => {
      if (!error.code || KEYS_UNKNOWN.has(error.code))
        throw new DomainError('service_unavailable', {}, { cause: error });
      throw refused(`it is not one of ${oidcIssuer} for this client: ${error.message}`, error);
    });
    const events: unknown = payload.events;
    if (typeof events !== 'object' || events === null || !(LOGOUT_EVENT in events) || 'nonce' in payload)
      throw refused(`its events have to be ${LOGOUT_EVENT}, without a nonce`);
    if (!payload.sub) throw refused('it needs a sub; sessions are not known by their sid');
    return payload.sub;
  }

  /** Read once: anyone may send tokens here, and makes the provider be asked for new keys every 30 s at most. */
  private async readProvider(oidcIssuer: string): Promise<Provider> {
    const attempt = (this.provider ??= fetchProvider(oidcIssuer));
    try {
      return await attempt;
    } catch (error) {
      if (this.provider === attempt) this.provider = undefined;
      throw error;
    }
  }
}

interface Provider {
  issuer: string;
  keys: ReturnType<SignInPackages['createRemoteJWKSet']>;
}

async function fetchProvider(oidcIssuer: string): Promise<Provider> {
  const provider = await discoverProvider(oidcIssuer);
  if (!provider?.jwks_uri) throw new DomainError('service_unavailable');
  const { createRemoteJWKSet } = await loadSignInPackages();
  return { issuer: provider.issuer, keys: createRemoteJWKSet(new URL(provider.jwks_uri)) };
}

/** The provider's address of its keys did not respond, or not with keys. */
const KEYS_UNKNOWN = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT']);

function refused(why: string, cause?: Error): DomainError {
  return new DomainError('bad_request', { reason: `The logout_token is refused: ${why}` }, { cause });
}
