/** What every credential of WebAuthn says about itself, as JSON. */
interface Credential {
  id: string;
  rawId: string;
  type: 'public-key';
}

/** What `navigator.credentials.create` has returned, as JSON (WebAuthn, 5.1). */
export interface NewPasskey extends Credential {
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] };
}

/** What `navigator.credentials.get` has returned, as JSON (WebAuthn, 5.1). */
export interface UsedPasskey extends Credential {
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string;
  };
}
