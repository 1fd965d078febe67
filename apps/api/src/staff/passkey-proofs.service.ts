import { PasskeyRepository, type PasskeyOwner } from '@app/database/staff/passkey.repository';
import { DomainError } from '@app/domain/errors';
import type { UsedPasskey } from '@app/domain/staff/passkey';
import type { Visitor } from '@app/domain/staff/staff';
import { Injectable } from '@nestjs/common';
import { cookiesOf, SignInLibrary } from './sign-in-library';
import { SignInRefusals } from './sign-in-refusals';

/** What a browser is to hand to the authenticator, and the cookies that belong to it. */
export interface PasskeyChallenge {
  options: Record<string, unknown>;
  cookies: string[];
}

/** Checks the signatures of passkeys. The library begins a session with each that is right. */
@Injectable()
export class PasskeyProofsService {
  constructor(
    private readonly library: SignInLibrary,
    private readonly passkeys: PasskeyRepository,
    private readonly refusals: SignInRefusals,
  ) {}

  /** Any passkey of this host the browser has: no one learns here which ones a member of staff has. */
  async challenge(visitor: Visitor): Promise<PasskeyChallenge> {
    const headers = this.library.headersWithoutSession(visitor);
    const response = await this.library.call((api) =>
      api.generatePasskeyAuthenticationOptions({ headers, asResponse: true }),
    );
    return readChallenge(response, { userVerification: 'required' });
  }

  /** @throws DomainError `passkey_refused`; which of its causes it was stands in the log only */
  async verify(
    visitor: Visitor,
    credential: UsedPasskey,
  ): Promise<{ owner: PasskeyOwner; response: Response }> {
    const owner = await this.passkeys.findOwner(credential.id);
    if (!owner) throw await this.refusal(visitor, 'unknown_passkey');
    const headers = this.library.headersWithoutSession(visitor);
    const response = await this.library.call((api) =>
      api.verifyPasskeyAuthentication({
        body: { response: { ...credential, clientExtensionResults: {} } },
        headers,
        asResponse: true,
      }),
    );
    if (response.ok) return { owner, response };
    const { code } = (await response.json().catch(() => ({}))) as { code?: string };
    throw await this.refusal(visitor, code, owner.email);
  }

  private async refusal(visitor: Visitor, cause: string | undefined, email?: string): Promise<DomainError> {
    await this.refusals.note(visitor, cause, email);
    return new DomainError('passkey_refused');
  }
}

/** What the library has sent for the authenticator. */
export async function readChallenge(response: Response, changes: object = {}): Promise<PasskeyChallenge> {
  if (!response.ok) throw new DomainError('service_unavailable');
  const options = (await response.json()) as Record<string, unknown>;
  return { options: { ...options, ...changes }, cookies: cookiesOf(response) };
}
