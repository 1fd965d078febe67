import { MAX_PASSWORD_LENGTH } from '@app/domain/staff/password-rules';
import { StringField } from '../http/fields';

const PASSWORD = { min: 1, max: MAX_PASSWORD_LENGTH, verbatim: true };

export class SignInBody {
  @StringField({ min: 3, max: 254 })
  email: string;

  @StringField(PASSWORD)
  password: string;
}

export class SecondFactorBody {
  /** Six digits of an authenticator app, or one of the backup codes. */
  @StringField({ min: 6, max: 20 })
  code: string;
}

export class PasswordBody {
  @StringField(PASSWORD)
  password: string;
}

export class ConfirmSignInBody {
  /** Six digits of the authenticator app: for members with a second factor. */
  @StringField({ optional: true, min: 6, max: 20 })
  code?: string;

  /** For members without one. */
  @StringField({ ...PASSWORD, optional: true })
  password?: string;
}

export class ChangePasswordBody {
  @StringField(PASSWORD)
  current_password: string;

  @StringField({ min: 1, max: 1_000, verbatim: true })
  new_password: string;
}

/** What an identity provider sends the browser back with (RFC 6749, 4.1.2; RFC 9207). */
export class CallbackQuery {
  @StringField({ optional: true, max: 4_000 })
  code?: string;

  @StringField({ optional: true, max: 1_000 })
  state?: string;

  @StringField({ optional: true, max: 1_000 })
  iss?: string;

  @StringField({ optional: true, max: 200 })
  error?: string;

  @StringField({ optional: true, max: 1_000 })
  error_description?: string;
}

/** `second_factor_required`: prompt for the code and send it to `second-factor`. */
export interface SignInResponse {
  status: 'signed_in' | 'second_factor_required';
}

export interface SecondFactorSetupResponse {
  /** For the QR code of an authenticator app. */
  totp_uri: string;
  /** Each works once, in place of a lost app; shown this once. */
  backup_codes: string[];
}

export interface MethodsResponse {
  /** Whether passwords sign in; where not, one that the command line has given for an emergency does. */
  password: boolean;
  /** Whether there is an identity provider to sign in with. */
  oidc: boolean;
  /** The host at which, and under which, passkeys work; null where none can: an IP address has no passkeys. */
  passkey_host: string | null;
}

/** OpenID Connect Back-Channel Logout 1.0, section 2.5. */
export class ProviderLogoutBody {
  /** The signed token that says whose sessions end. */
  @StringField({ min: 1, max: 10_000, verbatim: true })
  logout_token: string;
}
