import { AppConfig } from '@app/config/app-config';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { DomainError } from '@app/domain/errors';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@app/domain/staff/password-rules';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { betterAuth } from 'better-auth';
import { isIP, isIPv6 } from 'node:net';
import { DataSource } from 'typeorm';
import type { Visitor } from '@app/domain/staff/staff';
import { hashPassword, verifyPassword } from '@app/administration/staff/password-hash';
import { discoverProvider, discoveryUrlOf, takesSecretInHeader } from './provider-discovery';
import { ProviderMembers, type ProviderClaims } from './provider-members';
import { SessionCookies } from './session-cookies';
import { SharedPool } from './shared-pool';
import { loadSignInPackages, type SignInPackages } from './sign-in-packages';

/** A session ends after this, however busy. How long it may be idle stands in the staff repository. */
export const SESSION_SECS = 12 * 60 * 60;
/** Time to type the code of the second factor. */
const SECOND_FACTOR_SECS = 10 * 60;

const AUTH_PATH = '/admin/auth';
export const OIDC_PROVIDER = 'oidc';
/** Where a sign-in at the identity provider ends; with `?error=` when it was refused. */
export const CONSOLE_PATH = '/console/';

/**
 * The sign-in library (better-auth), set up for staff. Only our own routes call it, so what it offers beyond them is not
 * reachable; throttling, the check for cross-site requests and idle sessions are ours.
 */
@Injectable()
export class SignInLibrary {
  readonly pool: SharedPool;
  private readonly logger = new Logger('StaffSignIn');
  private packages?: Promise<SignInPackages>;
  private withPassword?: Library;
  private withProvider?: Promise<Library>;

  constructor(
    @InjectDataSource() dataSource: DataSource,
    private readonly config: AppConfig,
    private readonly cookies: SessionCookies,
    private readonly staff: StaffRepository,
    private readonly providerMembers: ProviderMembers,
  ) {
    this.pool = new SharedPool(dataSource);
  }

  /** The packages of the library, loaded when they are first needed. */
  async load(): Promise<SignInPackages> {
    return (this.packages ??= loadSignInPackages());
  }

  /** The headers of a request that the library must not take for one of the session that the browser has. */
  headersWithoutSession(visitor: Visitor): Headers {
    return headersFor({ ...visitor, cookie: this.cookies.withoutSession(visitor.cookie) });
  }

  async call<T>(ask: (api: Library['api']) => Promise<T>): Promise<T> {
    const { api } = await this.library();
    return this.pool.storages.using(() => ask(api));
  }

  private async library(): Promise<Library> {
    const packages = await this.load();
    return (this.withPassword ??= packages.betterAuth(this.options(packages)));
  }

  /** What the library has encrypted before it stored it. */
  async decrypt(sealed: string): Promise<string> {
    const { symmetricDecrypt } = await this.load();
    const { secretConfig } = await (await this.library()).$context;
    return symmetricDecrypt({ key: secretConfig, data: sealed });
  }

  get offersProvider(): boolean {
    return this.config.oidcIssuer !== undefined;
  }

  get offersPassword(): boolean {
    return this.config.passwordSignIn === 'on';
  }

  get passkeyHost(): string | null {
    return passkeyHostOf(this.config);
  }

  /** Calls the library with the identity provider. */
  async callWithProvider<T>(ask: (api: Library['api']) => Promise<T>): Promise<T> {
    await this.load();
    return this.pool.storages.using(async () => ask(await this.providerApi()));
  }

  /**
   * Created when it is first needed, and again as long as the provider's addresses could not be read, so that a
   * provider that is down does not stop the api from starting.
   */
  private async providerApi(): Promise<Library['api']> {
    this.withProvider ??= this.connectProvider();
    const attempt = this.withProvider;
    try {
      return (await attempt).api;
    } catch (error) {
      if (this.withProvider === attempt) this.withProvider = undefined;
      throw error;
    }
  }

  private options({ PostgresDialect, twoFactor, passkey, APIError }: SignInPackages) {
    const base = this.config.publicUrl ?? addressOf(this.config);
    return {
      appName: 'Greenroom',
      baseURL: base,
      basePath: AUTH_PATH,
      trustedOrigins: [base],
      secret: this.cookies.signingKey,
      telemetry: { enabled: false },
      rateLimit: { enabled: false },
      onAPIError: { errorURL: CONSOLE_PATH },
      database: {
        dialect: new PostgresDialect({ pool: this.pool }),
        type: 'postgres' as const,
        schemaName: 'staff_auth',
      },
      ...TABLES,
      session: { ...TABLES.session, expiresIn: SESSION_SECS, disableSessionRefresh: true },
      emailAndPassword: {
        enabled: true,
        disableSignUp: true,
        minPasswordLength: MIN_PASSWORD_LENGTH,
        // The library counts UTF-16 units, our rule characters.
        maxPasswordLength: 2 * MAX_PASSWORD_LENGTH,
        password: { hash: hashPassword, verify: verifyPassword },
      },
      databaseHooks: {
        account: { create: { before: withoutTokens }, update: { before: withoutTokens } },
        session: { create: { before: this.refuseDisabled } },
      },
      advanced: {
        database: { generateId: 'uuid' as const },
        cookiePrefix: this.cookies.prefix,
        // See `SessionCookies.toBrowser`.
        useSecureCookies: false,
        // Lax only for coming back from the identity provider, which is another site.
        defaultCookieAttributes: {
          secure: false,
          httpOnly: true,
          path: '/',
          sameSite: 'lax' as const,
        },
        cookies: { session_token: { attributes: { sameSite: 'strict' as const } } },
        ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      },
      logger: {
        level: 'warn' as const,
        log: (level: string, message: string) => this.logger.debug(`${level}: ${message}`),
      },
      plugins: [secondFactor(twoFactor), passkeys(passkey, APIError, this.config)],
    };
  }

  /** A disabled person gets no session, by any way to sign in. */
  private readonly refuseDisabled = async ({ userId }: { userId: string }): Promise<false | undefined> => {
    const member = await this.staff.find(userId);
    return member && member.disabledAt === null ? undefined : false;
  };

  private async connectProvider(): Promise<Library> {
    const { oidcIssuer, oidcClientId, oidcClientSecret } = this.config;
    if (!oidcIssuer || !oidcClientId) throw new DomainError('not_found');
    const packages = await this.load();
    const found = await discoverProvider(oidcIssuer);
    const provider = packages.genericOAuth({
      config: [
        {
          providerId: OIDC_PROVIDER,
          discoveryUrl: discoveryUrlOf(oidcIssuer),
          authentication: takesSecretInHeader(found) ? 'basic' : 'post',
          clientId: oidcClientId,
          clientSecret: oidcClientSecret,
          scopes: ['openid', 'email', 'profile'],
          pkce: true,
          requireIdTokenVerification: true,
          disableSignUp: true,
          mapProfileToUser: (claims) => this.providerMembers.admit(claims as ProviderClaims),
        },
      ],
    });
    const options = this.options(packages);
    const library = packages.betterAuth({
      ...options,
      // Who has been added as staff may sign in with the provider's account of the same, verified address.
      account: { ...options.account, accountLinking: { enabled: true } },
      plugins: [...options.plugins, provider],
    }) as unknown as Library;
    const { socialProviders } = await library.$context;
    if (socialProviders.length > 0) return library;
    throw new DomainError(
      'service_unavailable',
      {},
      { cause: new Error(`${oidcIssuer} does not respond as an issuer.`) },
    );
  }
}

function addressOf({ host, port }: AppConfig): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The header in which the library reads the address of the client. */
const ADDRESS_HEADER = 'x-greenroom-client-address';

/** The headers of a request, as the library is to see them. */
export function headersFor({
  address,
  cookie,
  userAgent,
  origin,
}: Pick<Visitor, 'address' | 'cookie' | 'userAgent' | 'origin'>): Headers {
  return new Headers({
    ...(cookie && { cookie }),
    ...(userAgent && { 'user-agent': userAgent.slice(0, 500) }),
    ...(address && { [ADDRESS_HEADER]: address }),
    ...(origin && { origin }),
  });
}

/** The cookies a response of the library sets. */
export function cookiesOf(response: Response): string[] {
  return response.headers.getSetCookie();
}

function secondFactor(twoFactor: SignInPackages['twoFactor']) {
  return twoFactor({
    issuer: 'Greenroom',
    twoFactorCookieMaxAge: SECOND_FACTOR_SECS,
    schema: {
      user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
      twoFactor: {
        modelName: 'two_factor',
        fields: {
          userId: 'member_id',
          backupCodes: 'backup_codes',
          failedVerificationCount: 'failed_verification_count',
          lockedUntil: 'locked_until',
        },
      },
    },
  });
}

/**
 * The host that passkeys belong to (the relying party's id of WebAuthn); null where PUBLIC_URL has an IP address, which
 * cannot be one. Without PUBLIC_URL, browsers offer passkeys at `localhost` only: everything else would have to be TLS.
 */
function passkeyHostOf({ publicUrl }: AppConfig): string | null {
  const host = publicUrl ? new URL(publicUrl).hostname : 'localhost';
  return isIP(host.replace(/^\[|\]$/g, '')) === 0 ? host : null;
}

/** Passkeys whose device has checked, by fingerprint, face or PIN, who uses them: two factors in one. */
function passkeys(
  passkey: SignInPackages['passkey'],
  APIError: SignInPackages['APIError'],
  config: AppConfig,
) {
  const refuseUnverified = (userVerified: boolean | undefined) => {
    if (!userVerified) throw new APIError('UNAUTHORIZED', { code: 'USER_NOT_VERIFIED' });
  };
  return passkey({
    rpID: passkeyHostOf(config) ?? undefined,
    rpName: 'Greenroom',
    // Without a public address, the Origin header, which has been compared with the Host header by then.
    origin: config.publicUrl ?? null,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: async ({ verification }) => {
        refuseUnverified(verification.registrationInfo?.userVerified);
      },
    },
    authentication: {
      afterVerification: async ({ verification }) => {
        refuseUnverified(verification.authenticationInfo.userVerified);
      },
    },
    advanced: { webAuthnChallengeCookie: 'passkey' },
    schema: {
      passkey: {
        modelName: 'passkey',
        fields: {
          publicKey: 'public_key',
          userId: 'member_id',
          credentialID: 'credential_id',
          deviceType: 'device_type',
          backedUp: 'backed_up',
          createdAt: 'created_at',
        },
      },
    },
  });
}

const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' };

const TABLES = {
  user: {
    modelName: 'member',
    fields: { ...TIMES, emailVerified: 'email_verified' },
    additionalFields: { role: { type: 'string' as const, required: true, input: false } },
  },
  session: {
    modelName: 'session',
    fields: {
      ...TIMES,
      userId: 'member_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
    },
  },
  account: {
    modelName: 'account',
    fields: {
      ...TIMES,
      userId: 'member_id',
      accountId: 'account_id',
      providerId: 'provider_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
    },
  },
  verification: { modelName: 'verification', fields: { ...TIMES, expiresAt: 'expires_at' } },
};

/** Tokens of the identity provider are of no use after the sign-in and are not stored. */
const withoutTokens = async <T extends object>(account: T) => ({
  data: { ...account, accessToken: null, refreshToken: null, idToken: null },
});

type Library = ReturnType<typeof betterAuth<Options>>;
type Options = ReturnType<SignInLibrary['options']>;
