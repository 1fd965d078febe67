import { randomBytes, randomUUID } from 'node:crypto';
import { generateSecret } from '../../libs/domain/keys/api-key-secret';
import { VOICE_REVIEW_QUEUE } from '../../libs/queue/jobs';
import { copyPreviews, designPreviews } from '../support/previews';
import { createBody } from '../support/samples';
import { addPerson, StaffClient, type Person } from '../support/staff-client';
import { Stack, type IssuedKey } from '../support/stack';
import { storeDeadLetter } from '../support/stored-voices';
import type { Operation } from './operations';
import type { Caller, FuzzRequest } from './requests';

const PREVIEWS = 40;
const PLACE = /(?:<|%3C)(own|other)(?: |\+|%20)(\w+)(?:>|%3E)/g;
const CURSORS = ['cursor', 'next_page_token'] as const;
/** Operations on one's own sign-in, which the others need. */
const ENDS_SESSION = /^\/admin\/(me\/|auth\/sign-out)/;
const REASON = { reason: 'A test' };

/** Something of everything that an account can have, by the name that inputs have for it. */
type Belongings = Record<string, () => string>;

/** Two customers, staff and a service, and the values that real requests are filled with. */
export class FuzzWorld {
  /** Cursor of the next page, by the path of the list. */
  private readonly cursors = new Map<string, string>();

  /** One for all requests: the look-ups of many that no one has would be refused, and with them those of new keys. */
  private readonly strange = generateSecret('api_key', randomBytes);

  private constructor(
    private readonly stack: Stack,
    private readonly people: People,
    private readonly service: string,
    private readonly limitedSecret: string,
    private readonly belongings: { own: Belongings; other: Belongings },
  ) {}

  static async create(stack: Stack, people: People): Promise<FuzzWorld> {
    const own = await furnish(stack, people);
    const other = await furnish(stack, people);
    const limited = await stack.issueKey({ accountId: own.account_id!(), permissions: ['models_read'] });
    const credentials = ['used', 'spare'].map((name) =>
      people.admin.post('/admin/service-credentials', { name, ...REASON }),
    );
    const [used, spare] = (await Promise.all(credentials)).map(
      (response) => created(response) as { id: string; secret: string },
    );
    own.credential_id = () => spare!.id;
    return new FuzzWorld(stack, people, used!.secret, limited.secret, { own, other });
  }

  /** Whether its customers still get in; requests may have shut them out. */
  async isWhole(): Promise<boolean> {
    const { own, other } = this.belongings;
    const responses = [own, other].map(({ secret }) =>
      this.stack.request('GET', '/v1/models', { secret: secret!() }),
    );
    return (await Promise.all(responses)).every(({ status }) => status === 200);
  }

  /** Reads the first page of a list, so that requests can read the next one. */
  async readFirstPage({ path, parameters, credential }: Operation): Promise<void> {
    const cursor = CURSORS.find((name) => parameters.some((each) => each.name === name));
    if (!cursor) return;
    const limit = cursor === 'cursor' ? 'limit' : 'page_size';
    const filled = this.fill(path.replace(/\{(\w+)\}/g, '<own $1>'));
    const response =
      credential === 'api_key'
        ? await this.stack.request('GET', `${filled}?${limit}=1`, { secret: this.belongings.own.secret!() })
        : await this.people.admin.get(`${filled}?${limit}=1`);
    const { next_cursor, next_page_token } = response.body as Record<string, string | null>;
    const token = next_cursor ?? next_page_token;
    if (token) this.cursors.set(filled, `${limit}=1&${cursor}=${token}`);
  }

  /** The path, headers and body that a request has in this world. */
  realize(request: FuzzRequest, operation: Operation) {
    const filled = this.fill(request.path);
    const headers = [...this.credentials(operation, request.caller), ...request.headers];
    return {
      method: request.method,
      path: request.cursor ? this.withCursor(filled, request.cursor) : filled,
      headers: headers.map(([name, value]): [string, string] => [name, this.fill(value)]),
      body: typeof request.body === 'string' ? Buffer.from(this.fill(request.body)) : request.body,
    };
  }

  private fill(text: string): string {
    return text.replace(
      PLACE,
      (_, whose: 'own' | 'other', name: string) => this.belongings[whose][name]?.() ?? name,
    );
  }

  private withCursor(path: string, { part, value }: { part: number; value: unknown }): string {
    const [place] = path.split('?') as [string];
    const known = this.cursors.get(place);
    if (!known) return path;
    const [query, token] = [known.slice(0, known.lastIndexOf('=')), known.slice(known.lastIndexOf('=') + 1)];
    const position = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[];
    // The first two parts say which list it is.
    position[2 + (part % Math.max(1, position.length - 2))] = value;
    return `${place}?${query}=${Buffer.from(JSON.stringify(position)).toString('base64url')}`;
  }

  private credentials({ credential, path }: Operation, caller: Caller): [string, string][] {
    const { own, other } = this.belongings;
    const ofCustomer = (secret: string): [string, string][] => [['xi-api-key', secret]];
    const ofStaff = (cookie: string): [string, string][] => [
      ['cookie', cookie],
      ['sec-fetch-site', 'same-origin'],
    ];
    const ofService = (secret: string): [string, string][] => [['authorization', `Bearer ${secret}`]];
    if (caller === 'nobody' || credential === 'none') return credential === 'none' ? ofStaff('') : [];
    if (credential === 'api_key') {
      if (caller === 'of another kind') return ofStaff(this.people.admin.cookieHeader);
      if (caller === 'unknown') return ofCustomer(this.strange);
      if (caller === 'other role') return ofCustomer(this.limitedSecret);
      return ofCustomer((caller === 'other account' ? other : own).secret!());
    }
    if (caller === 'of another kind') return ofCustomer(own.secret!());
    if (credential === 'service_credential')
      return ofService(caller === 'unknown' ? this.strange : this.service);
    if (caller === 'unknown') return ofStaff(this.people.admin.cookieHeader.replace(/.$/, 'x'));
    if (ENDS_SESSION.test(path)) return ofStaff(this.people.leaver.cookieHeader);
    return ofStaff((caller === 'other role' ? this.people.support : this.people.admin).cookieHeader);
  }
}

/** Restores the rights of staff after attempts, new requirements of their role, or an ended confirmation. */
export async function letStaffIn(stack: Stack): Promise<void> {
  await stack.asOwner(`
    DELETE FROM staff_auth.attempt_bucket;
    UPDATE staff_auth.role_policy SET second_factor_required = false;
    UPDATE staff_auth.session SET confirmed_at = now()`);
}

/** Who signs in, and what was spoken for all of them: what takes long to make, and lasts. */
export interface People {
  admin: StaffClient;
  support: StaffClient;
  /** Signed in to change their own sign-in, and to sign out. */
  leaver: StaffClient;
  /** On whom staff operations work. */
  spare: Person;
  previewId: string;
}

/** @param spoken the preview of earlier people: later, staff may screen what a new one would say */
export async function invitePeople(stack: Stack, spoken?: string): Promise<People> {
  await letStaffIn(stack);
  const previewId = spoken ?? (await designPreviews(stack, await stack.issueKey({ tier: 'enterprise' })))[0];
  return {
    admin: await StaffClient.signedIn(stack, ROLES.admin),
    support: await StaffClient.signedIn(stack, ROLES.support),
    leaver: await StaffClient.signedIn(stack, ROLES.leaver),
    spare: await addPerson(stack, 'ops'),
    previewId: previewId!,
  };
}

/** Signs staff in again whose session a request has ended, as one that requires a second factor of their role does. */
export async function keepSignedIn(
  stack: Stack,
  people: People,
  names: readonly (keyof typeof ROLES)[],
): Promise<void> {
  for (const name of names) {
    const { status } = await people[name].get('/admin/me');
    if (status !== 200) people[name] = await StaffClient.signedIn(stack, ROLES[name]);
  }
}

const ROLES = { admin: 'admin', support: 'support', leaver: 'admin' } as const;

async function furnish(stack: Stack, { admin, spare: person, previewId }: People): Promise<Belongings> {
  const key = await stack.issueKey({ tier: 'enterprise' });
  const { accountId, secret } = key;
  const keys = [await stack.issueKey({ accountId }), await stack.issueKey({ accountId })];
  const entitlement = `/admin/accounts/${accountId}/ip-allow-list-entitlement`;
  created(await admin.send('PUT', entitlement, { enabled: true, ...REASON }, { 'if-match': '*' }));
  const consent = `/admin/accounts/${accountId}/recordings-consent`;
  created(await admin.send('PUT', consent, { given: true, ...REASON }, { 'if-match': '*' }));
  const previews = await copyPreviews(stack, previewId, PREVIEWS, accountId);
  const [voice, another] = await Promise.all([
    createVoice(stack, key, previews.pop()!),
    createVoice(stack, key, previews.pop()!),
  ]);
  const deadLetter = await storeDeadLetter(stack, 'lost', { accountId });
  const serviceAccount = await stack.request('POST', '/v1/service-accounts', {
    secret,
    body: { name: 'Build' },
  });
  const serviceAccountId = created(serviceAccount)['service-account-user-id'] as string;
  const settings = { name: 'build', permissions: 'all' };
  const serviceKey = await stack.request('POST', `/v1/service-accounts/${serviceAccountId}/api-keys`, {
    secret,
    body: settings,
  });
  const serviceKeyId = created(serviceKey).key_id as string;
  const route = `/admin/accounts/${accountId}/webhooks`;
  const events = [
    'voice.reviewed',
    'voice.appeal_answered',
    'voice.safety_changed',
    'key.disabled',
    'quota.reached',
  ];
  const webhook = await admin.post(route, { name: 'Ours', url: 'http://127.0.0.1:9/', events, ...REASON });
  const webhookId = created(webhook).id as string;
  created(await admin.post(`${route}/${webhookId}/test`, REASON));
  const deliveries = await admin.get(`${route}/${webhookId}/deliveries`);
  const [delivery] = created(deliveries).items as { id: string }[];
  const inTurn =
    (...ids: string[]) =>
    () => (ids.push(ids.shift()!), ids[0]!);
  return {
    account_id: () => accountId,
    api_key_id: () => serviceKeyId,
    credential_id: randomUUID,
    delivery_id: () => delivery!.id,
    generated_voice_id: inTurn(...previews),
    key_id: inTurn(...keys.map(({ keyId }) => keyId)),
    email: () => person.email,
    password: () => person.password,
    url: () => 'http://127.0.0.1:9/hook',
    queue: () => VOICE_REVIEW_QUEUE,
    sample_id: () => voice.sampleId,
    secret: () => secret,
    service_account_id: () => serviceAccountId,
    service_account_user_id: () => serviceAccountId,
    role: () => 'account_manager',
    staff_id: () => person.id,
    token_type: () => 'text_to_voice_create',
    voice_id: inTurn(voice.voiceId, voice.voiceId, another.voiceId, deadLetter),
    webhook_id: () => webhookId,
  };
}

/** The body of a response that succeeded; anything else is a fault of the world, not of a random request. */
function created({ status, body }: { status: number; body: object }): Record<string, unknown> {
  if (status >= 300) throw new Error(`The world is not whole: ${status} ${JSON.stringify(body)}`);
  return body as Record<string, unknown>;
}

async function createVoice(stack: Stack, { secret }: IssuedKey, previewId: string) {
  const body = created(
    await stack.request('POST', '/v1/text-to-voice', { secret, body: createBody(previewId) }),
  );
  const [sample] = body.samples as { sample_id: string }[];
  return { voiceId: body.voice_id as string, sampleId: sample!.sample_id };
}
