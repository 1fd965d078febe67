import { choose } from '../http/choose';
import { CheckedField, checkObject, EnumField, StringField, StringListField } from '../http/fields';
import type { OwnPasskey } from './own-passkeys.service';

const BASE64URL = { min: 1, max: 20_000 };

/** What an authenticator has signed when it created a passkey (WebAuthn, 5.2.1). */
class AttestationBody {
  @StringField(BASE64URL)
  clientDataJSON: string;

  @StringField(BASE64URL)
  attestationObject: string;

  @StringListField({ optional: true, maxItems: 10, maxLength: 20 })
  transports?: string[];
}

/** What an authenticator has signed with a passkey (WebAuthn, 5.2.2). */
class AssertionBody {
  @StringField(BASE64URL)
  clientDataJSON: string;

  @StringField(BASE64URL)
  authenticatorData: string;

  @StringField(BASE64URL)
  signature: string;

  @StringField({ optional: true, max: 1_000 })
  userHandle?: string;
}

class CredentialBody {
  @StringField({ min: 1, max: 2_000 })
  id: string;

  @StringField({ min: 1, max: 2_000 })
  rawId: string;

  @EnumField(['public-key'])
  type: 'public-key';
}

class NewCredentialBody extends CredentialBody {
  @CheckedField(checkObject(AttestationBody))
  response: AttestationBody;
}

class UsedCredentialBody extends CredentialBody {
  @CheckedField(checkObject(AssertionBody))
  response: AssertionBody;
}

const NAME = { min: 1, max: 100 };

export class AddPasskeyBody {
  /** For the list of your passkeys. */
  @StringField(NAME)
  name: string;

  /** What `navigator.credentials.create` has returned, as JSON (WebAuthn, 5.1). */
  @CheckedField(checkObject(NewCredentialBody))
  credential: NewCredentialBody;
}

export class RenamePasskeyBody {
  @StringField(NAME)
  name: string;
}

export class UsePasskeyBody {
  /** What `navigator.credentials.get` has returned, as JSON (WebAuthn, 5.1). */
  @CheckedField(checkObject(UsedCredentialBody))
  credential: UsedCredentialBody;
}

/** What a browser is to hand to `navigator.credentials`, as JSON (WebAuthn, 5.4 and 5.5). */
export interface PasskeyOptionsResponse {
  options: Record<string, unknown>;
}

export interface PasskeyResponse extends ReturnType<typeof toPasskeyResponse> {}

export function toPasskeyResponse(passkey: OwnPasskey) {
  return {
    ...choose(passkey, 'id', 'name'),
    /** What keeps it, as far as it says so and is known here: "iCloud Keychain", "Windows Hello". */
    kept_in: passkey.storedIn,
    /** Whether it is copied to the other devices of its owner. */
    synced: passkey.backedUp,
    ...choose(passkey, 'createdAt', 'lastUsedAt'),
  };
}
