import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

type Options = Record<string, unknown> & { challenge: string };

/** An authenticator without a device (WebAuthn, 6): ES256, no attestation, one passkey. */
export class SoftwareAuthenticator {
  private readonly id = randomBytes(16);
  private readonly privateKey: KeyObject;
  private readonly coseKey: Buffer;
  private uses = 0;

  /** @param origin of the page that uses it */
  constructor(
    private readonly origin: string,
    private readonly rpId = 'localhost',
  ) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.privateKey = privateKey;
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y} in CBOR
    this.coseKey = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
  }

  /** `navigator.credentials.create`, as JSON. */
  create({ challenge }: Options, { verified = true } = {}) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const data = Buffer.concat([
      this.authenticatorData(HAS_CREDENTIAL, verified),
      Buffer.alloc(16),
      length,
      this.id,
      this.coseKey,
    ]);
    // {"fmt": "none", "attStmt": {}, "authData": data} in CBOR
    const attestationObject = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
      Buffer.from([0x58, data.length]),
      data,
    ]);
    return {
      ...this.credential,
      response: {
        clientDataJSON: this.clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** `navigator.credentials.get`, as JSON. */
  get({ challenge }: Options, { verified = true, origin = this.origin } = {}) {
    const clientData = this.clientData('webauthn.get', challenge, origin);
    const data = this.authenticatorData(0, verified);
    const signed = Buffer.concat([data, sha256(clientData)]);
    return {
      ...this.credential,
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, this.privateKey).toString('base64url'),
      },
    };
  }

  private get credential() {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key' as const };
  }

  private authenticatorData(flags: number, verified: boolean): Buffer {
    this.uses += 1;
    const end = Buffer.alloc(5);
    end.writeUInt8(flags | USER_PRESENT | (verified ? USER_VERIFIED : 0));
    end.writeUInt32BE(this.uses, 1);
    return Buffer.concat([sha256(this.rpId), end]);
  }

  private clientData(type: string, challenge: string, origin = this.origin): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
