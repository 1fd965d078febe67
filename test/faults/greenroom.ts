import { randomBytes, randomUUID } from 'node:crypto';
import { AccountsService } from '../../libs/administration/accounts/accounts.service';
import { ApiKeysService } from '../../libs/administration/keys/api-keys.service';
import { createApi } from '../../apps/api/src/main';
import { PostgresAudioStore } from '../../libs/audio-store/postgres-audio-store';
import { AudioObjectRepository } from '../../libs/database/voices/audio-object.repository';
import { Preview } from '../../libs/database/voices/preview.entity';
import { newPublicId } from '../../libs/domain/common/public-id';
import { VOICE_REVIEW_QUEUE } from '../../libs/queue/jobs';
import { issueServiceCredential } from '../support/ledger-storm';
import { freePort } from '../support/redis-server';
import { recording } from '../support/review-bench';
import type { Machine } from './machine';
import type { Subject, VoiceOutcome } from './subject';
import type { CreateResponse, CreateVoice } from './voice-load';
import { storeAudio } from '../support/store-audio';

const RECORDINGS = 20;
const INSERT_BATCH = 1_000;
const TAKES = 3;
const TAKE_SECS = 5;
const JSON_BODY = { 'content-type': 'application/json' };

export interface Greenroom extends Subject {
  previewIds: string[];
  accountId: string;
  keyId: string;
  /** Creates voices at another api, or at what stands before several. */
  createAt(baseUrl: string): CreateVoice;
  /** Makes voices of several recordings there; a request is known by an id as others are by their preview. */
  uploadAt(baseUrl: string): CreateVoice;
}

export interface GreenroomOptions {
  workers: number;
  previews: number;
  sweepAfterSecs?: number;
  recordingSecs?: number;
  /** What previews sound like, in turn, if not like seconds of noise. */
  recordings?: Buffer[];
  /** Customers pay a credit for a voice before they request it. */
  charges?: boolean;
  /** How far clocks jump on SIGUSR2: of the api and of every second worker ahead, of the others back. */
  clockJumpMs?: number;
}

interface Customer {
  accountId: string;
  keyId: string;
  secret: string;
  /** Of the service that charges its credits. */
  service: string | null;
  /** The recordings of a voice. */
  takes: Blob[];
}

/** The product as it is deployed: an api, workers, and a customer with previews. */
export async function startGreenroom(machine: Machine, options: GreenroomOptions): Promise<Greenroom> {
  const customer = await openCustomer(machine, options.charges ?? false);
  const previewIds = await insertPreviews(machine, customer.accountId, options);
  const port = await freePort();
  const url = `http://${machine.apiHost}:${port}`;
  const { clockJumpMs = 0 } = options;
  const sweeper = options.sweepAfterSecs === undefined ? [] : [`${options.sweepAfterSecs}`];
  const names = Array.from({ length: options.workers }, (_, index) => `worker ${index + 1}`);
  const [api, workers] = await Promise.all([
    machine.startNode('api', 'api-node.cjs', { port, clockJumpMs }),
    Promise.all(
      names.map((name, index) =>
        machine.startNode(name, 'worker-node.cjs', {
          args: sweeper,
          clockJumpMs: index % 2 === 1 ? clockJumpMs : -clockJumpMs,
        }),
      ),
    ),
  ]);
  return {
    api,
    workers,
    previewIds,
    queue: machine.openQueue(VOICE_REVIEW_QUEUE),
    url,
    accountId: customer.accountId,
    keyId: customer.keyId,
    createAt: (baseUrl) => createOver(baseUrl, customer),
    uploadAt: (baseUrl) => uploadOver(baseUrl, customer),
    create: createOver(url, customer),
    isRelaying: async () => (await count(machine, 'outbox WHERE lease_owner IS NOT NULL')) > 0,
    backlog: async () =>
      (await count(machine, 'outbox')) +
      (await count(machine, `voice WHERE review_state IN ('queued', 'running', 'retry_wait')`)),
    outcomes: () => listOutcomes(machine, customer.accountId),
  };
}

async function openCustomer(machine: Machine, charges: boolean): Promise<Customer> {
  const api = await createApi(machine.config);
  const overrides = { voiceSlots: 1_000_000 };
  const { id } = await api.get(AccountsService).create({ name: 'storm', tier: 'business', overrides });
  const { keyId, secret } = await api
    .get(ApiKeysService)
    .create({ name: 'storm', permissions: 'all', accountId: id });
  await machine.dataSource.query('UPDATE account SET recordings_consented_at = now() WHERE id = $1', [id]);
  const service = charges ? await issueServiceCredential(api) : null;
  await api.close();
  const takes = Array.from({ length: TAKES }, () => new Blob([new Uint8Array(recording(TAKE_SECS))]));
  return { accountId: id, keyId, secret, service, takes };
}

async function insertPreviews(
  { dataSource }: Machine,
  accountId: string,
  { previews, recordingSecs = 1, recordings }: GreenroomOptions,
): Promise<string[]> {
  const audio = new PostgresAudioStore(new AudioObjectRepository(dataSource));
  const digests: string[] = [];
  for (let index = 0; index < Math.min(recordings?.length ?? RECORDINGS, previews); index += 1)
    digests.push(
      (await storeAudio(audio, recordings?.[index] ?? recording(recordingSecs), 'audio/wav')).digest,
    );
  const rows = Array.from({ length: previews }, (_, index) => ({
    id: newPublicId(randomBytes),
    accountId,
    keyId: randomUUID(),
    description: 'A calm voice that is here to be reviewed.',
    text: 'A text that was spoken.',
    engine: 'test',
    spec: {},
    understood: {},
    language: 'en',
    audioDigest: digests[index % digests.length]!,
    durationSecs: recordingSecs,
    requestId: `req_${index}`,
    expiresAt: new Date(Date.now() + 86_400_000),
  }));
  for (let from = 0; from < rows.length; from += INSERT_BATCH)
    await dataSource.manager.insert(Preview, rows.slice(from, from + INSERT_BATCH));
  return rows.map((row) => row.id);
}

function createOver(baseUrl: string, customer: Customer): CreateVoice {
  return async (previewId, timeoutMs) => {
    const voice = {
      voice_name: 'Storm',
      voice_description: 'A calm voice that is here to be reviewed.',
      generated_voice_id: previewId,
    };
    const post = posting(baseUrl, timeoutMs);
    return payThen(post, customer, previewId, () =>
      post('/v1/text-to-voice', { 'xi-api-key': customer.secret, ...JSON_BODY }, JSON.stringify(voice)),
    );
  };
}

function uploadOver(baseUrl: string, customer: Customer): CreateVoice {
  return async (id, timeoutMs) => {
    const form = new FormData();
    form.set('name', `Storm ${id}`);
    for (const [index, take] of customer.takes.entries()) form.append('files', take, `${index}.wav`);
    const headers = { 'xi-api-key': customer.secret, 'idempotency-key': id };
    const post = posting(baseUrl, timeoutMs);
    return payThen(post, customer, id, () => post('/v1/voices/add', headers, form));
  };
}

type Post = (
  path: string,
  headers: Record<string, string>,
  body: string | FormData,
) => Promise<CreateResponse>;

function posting(baseUrl: string, timeoutMs: number): Post {
  return async (path, headers, body) => {
    const signal = AbortSignal.timeout(timeoutMs);
    return toResponse(await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body, signal }));
  };
}

/** Pays for a request first, where customers pay. */
async function payThen(
  post: Post,
  { secret, service }: Customer,
  id: string,
  request: () => Promise<CreateResponse>,
): Promise<CreateResponse> {
  if (!service) return request();
  const charge = { token: secret, cost: 1, request_id: id };
  const paid = await post(
    '/introspect',
    { authorization: `Bearer ${service}`, ...JSON_BODY },
    JSON.stringify(charge),
  );
  return paid.status === 200 ? request() : paid;
}

async function toResponse(response: Response): Promise<CreateResponse> {
  const body = (await response.json()) as { voice_id?: string };
  const retryAfter = response.headers.get('retry-after');
  return {
    status: response.status,
    voiceId: body.voice_id ?? '',
    ...(retryAfter !== null && { retryAfterSecs: Number(retryAfter) }),
  };
}

async function listOutcomes({ dataSource }: Machine, accountId: string): Promise<VoiceOutcome[]> {
  return dataSource.query<VoiceOutcome[]>(
    `SELECT v.id AS "voiceId", v.created_at AS "createdAt",
       (SELECT max(r.completed_at) FROM review r WHERE r.voice_id = v.id) AS "reviewedAt",
       -- A verdict leaves three traces in one transaction; each must be there as often as the others.
       CASE WHEN v.review_state IN ('completed', 'rejected') THEN greatest(
         (SELECT count(*)::int FROM review r WHERE r.voice_id = v.id),
         (SELECT count(*)::int FROM review_event e WHERE e.voice_id = v.id AND e.to_state IN ('completed', 'rejected'))
       ) ELSE 0 END AS effects
     FROM voice v WHERE v.account_id = $1`,
    [accountId],
  );
}

async function count({ dataSource }: Machine, from: string): Promise<number> {
  const [row] = await dataSource.query<{ count: number }[]>(`SELECT count(*)::int AS count FROM ${from}`);
  return row!.count;
}
