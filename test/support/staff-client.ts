import type { StaffRole } from '../../libs/domain/staff/staff-permissions';
import { StaffRepository } from '../../libs/database/staff/staff.repository';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { OWN_PASSWORD } from '../../libs/administration/staff/staff-changes';
import { StaffService } from '../../libs/administration/staff/staff.service';
import type { Stack } from './stack';

/** Headers of a change that is based on whatever version there is. */
export const ANY_VERSION = { 'if-match': '*' };

export interface StaffResponse {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  text: string;
}

export interface Person {
  id: string;
  email: string;
  password: string;
}

let people = 0;

/** Adds a member of staff; with `oneTime` the password must be changed first. */
export async function addPerson(stack: Stack, role: StaffRole, { oneTime = false } = {}): Promise<Person> {
  people += 1;
  const email = `${role}-${people}-${process.pid}@staff.test`;
  const staff = stack.api.get(StaffService);
  const { member, password } = await staff.add(bySystem('test'), { email, role, reason: 'A test' });
  if (!oneTime) {
    await stack.dataSource.transaction((em) =>
      stack.api.get(StaffRepository).update(member.id, OWN_PASSWORD, em),
    );
  }
  return { id: member.id, email, password };
}

/** A browser of a member of staff: keeps cookies, says that its requests are same-origin. */
export class StaffClient {
  readonly cookies = new Map<string, string>();
  /** Who is signed in, after `signedIn`. */
  person: Person;

  /** @param headers that every request has */
  constructor(
    private readonly baseUrl: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** A new member of staff with this role, signed in. */
  static async signedIn(stack: Stack, role: StaffRole): Promise<StaffClient> {
    const client = new StaffClient(stack.baseUrl);
    const person = await addPerson(stack, role);
    const { status } = await client.signIn(person);
    if (status !== 200) throw new Error(`Signing in as ${role}: status ${status}.`);
    client.person = person;
    return client;
  }

  /** The same for all tests of a file that share a stack. */
  static ofFile(stack: Stack, role: StaffRole): StaffClient {
    const client = Object.create(StaffClient.prototype) as StaffClient;
    beforeAll(async () => void Object.assign(client, await StaffClient.signedIn(stack, role)));
    return client;
  }

  async signIn({ email, password }: { email: string; password: string }): Promise<StaffResponse> {
    return this.send('POST', '/admin/auth/sign-in', { email, password });
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<StaffResponse> {
    return this.send('GET', path, undefined, headers);
  }

  async post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<StaffResponse> {
    return this.send('POST', path, body, headers);
  }

  async patch(path: string, body: unknown, headers: Record<string, string> = {}): Promise<StaffResponse> {
    return this.send('PATCH', path, body, headers);
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<StaffResponse> {
    const response = await fetch(this.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(this.cookies.size > 0 && { cookie: this.cookieHeader }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.headers,
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    this.keep(response.headers.getSetCookie());
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: toJson(text), text };
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private keep(headers: string[]): void {
    for (const header of headers) {
      const [pair = '', ...attributes] = header.split(';');
      const [name = '', ...value] = pair.split('=');
      if (attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute))) this.cookies.delete(name);
      else this.cookies.set(name, value.join('='));
    }
  }
}

function toJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
