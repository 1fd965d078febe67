import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CLIENT_SECRET, type Claims } from './identity-provider';

/** A response, as a line of the flow. */
export type Said = (line: string) => void;

/** `oidc-provider`, conforming and certified, in a process of its own: Greenroom is its one client. */
export class RealProvider {
  private constructor(
    readonly issuer: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(): Promise<RealProvider> {
    const child = fork(join(__dirname, 'oidc-provider.mjs'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [{ issuer }] = (await once(child, 'message')) as [{ issuer: string }];
    return new RealProvider(issuer, child);
  }

  async stop(): Promise<void> {
    this.child.kill();
    await once(this.child, 'exit');
  }

  /** Makes an api known to it. */
  async register(origin: string, redirectOrigin: string): Promise<void> {
    await this.send({
      client: {
        client_id: 'greenroom',
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${redirectOrigin}/admin/auth/callback/oidc`],
        backchannel_logout_uri: `${origin}/admin/auth/backchannel-logout`,
      },
    });
  }

  /** Whom it knows, by the name that they sign in with. */
  async setPeople(people: Record<string, Omit<Claims, 'sub'>>): Promise<void> {
    await this.send({ people });
  }

  private async send(message: object): Promise<void> {
    this.child.send(message);
    await once(this.child, 'message');
  }
}

/** A browser at the provider: keeps its cookies, follows its redirects and submits its forms. */
export class ProviderTab {
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly provider: RealProvider,
    private readonly say: Said,
  ) {}

  /** Signs a person in and lets Greenroom know who they are; returns where the provider sends them. */
  async signIn(url: string, person: string): Promise<URL> {
    let page = await this.follow('GET', url);
    while (!(page instanceof URL)) {
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
      const prompt = /name="prompt" value="([a-z]+)"/.exec(page)?.[1];
      if (!action || !prompt) throw new Error(`Not a page to sign in with: ${page.slice(0, 500)}`);
      page = await this.follow('POST', action, {
        prompt,
        ...(prompt === 'login' && { login: person, password: 'any' }),
      });
    }
    return page;
  }

  /** Signs the person out at the provider, which tells its clients. */
  async signOut(): Promise<void> {
    const page = (await this.follow('GET', `${this.provider.issuer}/session/end`)) as string;
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)![1]!;
    await this.follow('POST', `${this.provider.issuer}/session/end/confirm`, { xsrf, logout: 'yes' });
  }

  /** A page of the provider, or where it sends the browser to. */
  private async follow(method: string, url: string, form?: Record<string, string>): Promise<string | URL> {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { cookie: [...this.cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form && { body: new URLSearchParams(form) }),
    });
    this.say(`${method} provider${new URL(url).pathname.replace(/[\w-]{20,}/, '…')} → ${response.status}`);
    for (const header of response.headers.getSetCookie()) {
      const [name = '', value = ''] = header.split(';', 1)[0]!.split(/=(.*)/s);
      this.cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) return response.text();
    const next = new URL(location, url);
    return next.origin === this.provider.issuer ? this.follow('GET', next.href) : next;
  }
}
