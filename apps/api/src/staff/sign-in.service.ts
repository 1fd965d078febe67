import { readEmailAddress } from '@app/domain/common/email-address';
import { DomainError } from '@app/domain/errors';
import { readCode } from '@app/domain/staff/totp';
import { Injectable } from '@nestjs/common';
import type { UsedPasskey } from '@app/domain/staff/passkey';
import type { Staff, Visitor } from '@app/domain/staff/staff';
import { ProviderRefusal } from './provider-members';
import { PasskeyProofsService, type PasskeyChallenge } from './passkey-proofs.service';
import { CONSOLE_PATH, cookiesOf, OIDC_PROVIDER, SignInLibrary } from './sign-in-library';
import { SignInRecord, type SignInMethod } from './sign-in-record';
import { SignInRefusals } from './sign-in-refusals';
import { SignInThrottle } from './sign-in-throttle';
import { StaffCredentials } from './staff-credentials';

/** The cookies that the browser keeps, and where the sign-in stands. */
export interface SignInStep {
  status: 'signed_in' | 'second_factor_required';
  cookies: string[];
}

/** What the identity provider sends the browser back with (RFC 6749, 4.1.2). */
type ProviderCallback = Partial<Record<'code' | 'state' | 'iss' | 'error' | 'error_description', string>>;

/** The browser has begun another sign-in since, or has finished this one. */
const STATES_OF_ANOTHER = new Set(['state_mismatch', 'state_not_found']);
/** What the provider sends may be long. */
const MAX_CAUSE_LENGTH = 100;

/** Signing in: each way ends in `finish`, which writes the audit event before the browser gets its cookie. */
@Injectable()
export class SignInService {
  constructor(
    private readonly library: SignInLibrary,
    private readonly throttle: SignInThrottle,
    private readonly credentials: StaffCredentials,
    private readonly record: SignInRecord,
    private readonly refusals: SignInRefusals,
    private readonly proofs: PasskeyProofsService,
  ) {}

  get offersProvider(): boolean {
    return this.library.offersProvider;
  }

  get passkeyHost(): string | null {
    return this.library.passkeyHost;
  }

  get offersPassword(): boolean {
    return this.library.offersPassword;
  }

  /** Loads what a sign-in needs while someone still looks at its form. */
  prepare(): void {
    // What fails here fails again when it is needed.
    this.library.load().catch(() => undefined);
  }

  async withPassword(visitor: Visitor, body: { email: string; password: string }): Promise<SignInStep> {
    const email = readEmailAddress(body.email) ?? body.email.trim().toLowerCase();
    await this.throttle.take(email, visitor);
    if (!(await this.credentials.signsIn(email, body.password))) {
      await this.refusals.note(visitor, 'wrong_password', email);
      throw new DomainError('staff_sign_in_refused');
    }
    const headers = this.library.headersWithoutSession(visitor);
    const response = await this.library.call((api) =>
      api.signInEmail({ body: { email, password: body.password }, headers, asResponse: true }),
    );
    if (!response.ok) throw await this.refusal(response, 'staff_sign_in_refused', visitor, email);
    const result = (await response.json()) as { twoFactorRedirect?: boolean };
    if (result.twoFactorRedirect) return { status: 'second_factor_required', cookies: cookiesOf(response) };
    return this.finish(visitor, email, response, 'password');
  }

  async withSecondFactor(visitor: Visitor, input: string): Promise<SignInStep> {
    await this.throttle.takeFromVisitor(visitor);
    const code = readCode(input);
    // Without the old session: with it, the code would be checked against that session's person.
    const headers = this.library.headersWithoutSession(visitor);
    const isTotp = /^\d{6}$/.test(code);
    const request = { body: { code }, headers, asResponse: true as const };
    const response = await this.library.call((api) =>
      isTotp ? api.verifyTOTP(request) : api.verifyBackupCode(request),
    );
    if (!response.ok) throw await this.refusal(response, 'second_factor_refused', visitor);
    const { user } = (await response.clone().json()) as { user: { id: string; email: string } };
    if (isTotp && !(await this.credentials.useCode(user.id, code))) {
      await this.record.discard(response);
      await this.refusals.note(visitor, 'used_code', user.email);
      throw new DomainError('second_factor_refused');
    }
    return this.finish(
      visitor,
      user.email,
      response,
      isTotp ? 'password and code' : 'password and backup code',
    );
  }

  /** What the browser needs to sign in with a passkey. */
  async startPasskey(visitor: Visitor): Promise<PasskeyChallenge> {
    await this.throttle.takeFromVisitor(visitor);
    return this.proofs.challenge(visitor);
  }

  /** A passkey is two factors: no code is needed after it. */
  async withPasskey(visitor: Visitor, credential: UsedPasskey): Promise<SignInStep> {
    await this.throttle.takeFromVisitor(visitor);
    const { owner, response } = await this.proofs.verify(visitor, credential);
    return this.finish(visitor, owner.email, response, 'passkey', owner.passkeyId);
  }

  /** Where the browser goes to sign in at the identity provider. */
  async startProvider(visitor: Visitor): Promise<{ url: string; cookies: string[] }> {
    if (!this.offersProvider) throw new DomainError('not_found');
    await this.throttle.takeFromVisitor(visitor);
    const body = {
      provider: OIDC_PROVIDER,
      callbackURL: CONSOLE_PATH,
      errorCallbackURL: CONSOLE_PATH,
      disableRedirect: true,
    };
    const response = await this.library.callWithProvider((api) =>
      api.signInSocial({ body, headers: this.library.headersWithoutSession(visitor), asResponse: true }),
    );
    if (!response.ok) throw await this.refusal(response, 'staff_sign_in_refused', visitor);
    const { url } = (await response.json()) as { url: string };
    return { url, cookies: cookiesOf(response) };
  }

  /** The way back from the identity provider: to the console, signed in or with `?error=`. */
  async finishProvider(
    visitor: Visitor,
    query: ProviderCallback,
  ): Promise<{ location: string; cookies: string[] }> {
    if (!this.offersProvider) throw new DomainError('not_found');
    const response = await this.callBack(visitor, query);
    if (response instanceof ProviderRefusal) {
      await this.refusals.note(visitor, response.code, response.email);
      return { location: `${CONSOLE_PATH}?error=${response.code}`, cookies: [] };
    }
    if (this.record.hasSession(response)) {
      const cookies = await this.record.signedIn(visitor, response, 'identity provider');
      return { location: CONSOLE_PATH, cookies };
    }
    const location = response.headers.get('location') ?? CONSOLE_PATH;
    const cause = new URL(location, 'http://here').searchParams.get('error') ?? 'unknown';
    // Going back in the browser opens the way here again.
    if (STATES_OF_ANOTHER.has(cause) && (await this.record.isSignedIn(visitor)))
      return { location: CONSOLE_PATH, cookies: [] };
    await this.refusals.note(visitor, cause.slice(0, MAX_CAUSE_LENGTH));
    return { location, cookies: cookiesOf(response) };
  }

  private async callBack(visitor: Visitor, query: ProviderCallback): Promise<Response | ProviderRefusal> {
    const headers = this.library.headersWithoutSession(visitor);
    const params = { id: OIDC_PROVIDER };
    try {
      return await this.library.callWithProvider((api) =>
        api.callbackOAuth({ method: 'GET', params, query, headers, asResponse: true }),
      );
    } catch (error) {
      if (error instanceof ProviderRefusal) return error;
      throw error;
    }
  }

  async signOut(staff: Staff): Promise<string[]> {
    return this.record.signedOut(staff);
  }

  private async finish(
    visitor: Visitor,
    email: string,
    response: Response,
    method: SignInMethod,
    passkeyId?: string,
  ): Promise<SignInStep> {
    const cookies = await this.record.signedIn(visitor, response, method, passkeyId);
    return { status: 'signed_in', cookies: [...cookies, await this.throttle.succeeded(email, visitor)] };
  }

  /** The refusal that is sent; which of its causes it was stands in the log only. */
  private async refusal(
    response: Response,
    code: 'staff_sign_in_refused' | 'second_factor_refused',
    visitor: Visitor,
    email?: string,
  ): Promise<DomainError> {
    const cause = (await response.json().catch(() => ({}))) as { code?: string };
    await this.refusals.note(visitor, cause.code, email);
    if (response.status >= 500)
      return new DomainError('service_unavailable', {}, { cause: new Error(cause.code) });
    return response.status === 429
      ? new DomainError('rate_limit_exceeded', {}, { retryAfterSecs: 60 })
      : new DomainError(code);
  }
}
