import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';

export const CLIENT_SECRET = 'a-secret-of-the-client';

/** What the identity provider says of a person; tests change one thing at a time. */
export interface Claims {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: readonly string[];
  nonce?: string;
  aud?: string;
  iss?: string;
  /** Of Google. */
  hd?: string;
  /** Of Keycloak. */
  realm_access?: { roles: readonly string[] };
  /** Of Zitadel. */
  'urn:zitadel:iam:org:project:roles'?: Record<string, Record<string, string>>;
}

/** A small OpenID provider that signs every visitor in as the person in `claims`. */
export class IdentityProvider {
  claims: Claims = { sub: 'nobody', email: 'nobody@staff.test', email_verified: true };
  /** Signs with a key that is not in its key set. */
  forges = false;
  /** How clients say who they are at the token endpoint: undefined where the configuration does not mention it. */
  tokenAuth: ('client_secret_basic' | 'client_secret_post')[] | undefined;
  /** How often its configuration and its keys were read. */
  reads = 0;
  /** Sends nothing of the person in the token but at another address, as Authelia does. */
  sendsClaimsApart = false;
  private readonly challenges = new Map<string, { challenge: string; nonce: string }>();

  private constructor(
    readonly issuer: string,
    private readonly server: Server,
    private readonly keys: { own: CryptoKey; other: CryptoKey; jwk: JWK },
  ) {
    server.on('request', (request, response) => void this.response(request, response));
  }

  static async start(atPort = 0): Promise<IdentityProvider> {
    const server = createServer().listen(atPort, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
    const jwk = { ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
    return new IdentityProvider(`http://127.0.0.1:${port}`, server, {
      own: own.privateKey,
      other: other.privateKey,
      jwk,
    });
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async response(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, this.issuer);
    if (['/.well-known/openid-configuration', '/keys'].includes(url.pathname)) this.reads += 1;
    if (url.pathname === '/.well-known/openid-configuration') return json(response, this.discovery());
    if (url.pathname === '/keys') return json(response, { keys: [this.keys.jwk] });
    if (url.pathname === '/authorize') return this.authorize(url.searchParams, response);
    if (url.pathname === '/userinfo') return json(response, this.claims);
    const form = new URLSearchParams(await readAll(request));
    if (!this.knows(request.headers.authorization, form))
      return json(response, { error: 'invalid_client' }, 401);
    return json(response, ...(await this.token(form)));
  }

  /** A token that ends the sessions of a person, or another with these claims. */
  async logoutToken(claims: object): Promise<string> {
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    return this.sign({ jti: randomUUID(), events, ...claims });
  }

  private async sign(claims: object): Promise<string> {
    return new SignJWT({ iss: this.issuer, aud: 'greenroom', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(this.forges ? this.keys.other : this.keys.own);
  }

  /** Whether a client has said who it is, in one of the ways that the configuration names. */
  private knows(authorization: string | undefined, form: URLSearchParams): boolean {
    const basic = `Basic ${Buffer.from(`greenroom:${CLIENT_SECRET}`).toString('base64')}`;
    const methods = this.tokenAuth ?? ['client_secret_basic'];
    return (
      (methods.includes('client_secret_basic') && authorization === basic) ||
      (methods.includes('client_secret_post') && form.get('client_secret') === CLIENT_SECRET)
    );
  }

  private discovery(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      jwks_uri: `${this.issuer}/keys`,
      token_endpoint_auth_methods_supported: this.tokenAuth,
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  private authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = createHash('sha256').update(query.toString()).digest('hex');
    this.challenges.set(code, {
      challenge: query.get('code_challenge') ?? '',
      nonce: query.get('nonce') ?? '',
    });
    const back = new URL(query.get('redirect_uri')!);
    back.search = new URLSearchParams({ code, state: query.get('state') ?? '', iss: this.issuer }).toString();
    response.writeHead(302, { location: back.toString() }).end();
  }

  private async token(form: URLSearchParams): Promise<[object, number?]> {
    const known = this.challenges.get(form.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!known || known.challenge !== verifier) return [{ error: 'invalid_grant' }, 400];
    const { sub } = this.claims;
    const idToken = await this.sign({
      nonce: known.nonce,
      ...(this.sendsClaimsApart ? { sub } : this.claims),
    });
    return [{ access_token: 'an-access-token', token_type: 'Bearer', id_token: idToken, expires_in: 300 }];
  }
}

function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
