import { randomBytes, randomUUID } from 'node:crypto';
import { AccountsService } from '../../apps/api/src/accounts/accounts.service';
import { ApiKeysService } from '../../apps/api/src/api-keys/api-keys.service';
import { createApi } from '../../apps/api/src/main';
import { PostgresAudioStore } from '../../libs/audio-store/postgres-audio-store';
import { AudioObjectRepository } from '../../libs/database/repositories/audio-object.repository';
import { Preview } from '../../libs/database/entities/preview.entity';
import { newPublicId } from '../../libs/domain/public-id';
import { VOICE_REVIEW_QUEUE } from '../../libs/queue/jobs';
import { freePort } from '../support/redis-server';
import { recording } from '../support/review-bench';
import type { Machine } from './machine';
import type { Subject, VoiceOutcome } from './subject';
import type { CreateVoice } from './voice-load';

const RECORDINGS = 20;
const INSERT_BATCH = 1_000;

export interface Greenroom extends Subject {
  previewIds: string[];
  apiUrl: string;
  /** Creates voices at another api, or at what stands before several. */
  createAt(baseUrl: string): CreateVoice;
}

/** The product as it is deployed: an api, workers, and a customer with previews. */
export async function startGreenroom(
  machine: Machine,
  options: { workers: number; previews: number; sweepAfterSecs?: number; recordingSecs?: number },
): Promise<Greenroom> {
  const customer = await openCustomer(machine);
  const previewIds = await insertPreviews(machine, customer.accountId, options);
  const port = await freePort();
  const apiUrl = `http://127.0.0.1:${port}`;
  const sweeper = options.sweepAfterSecs === undefined ? [] : [`${options.sweepAfterSecs}`];
  const names = Array.from({ length: options.workers }, (_, index) => `worker ${index + 1}`);
  const [api, workers] = await Promise.all([
    machine.startNode('api', 'api-node.cjs', { port }),
    Promise.all(names.map((name) => machine.startNode(name, 'worker-node.cjs', { args: sweeper }))),
  ]);
  return {
    api,
    workers,
    previewIds,
    queue: machine.openQueue(VOICE_REVIEW_QUEUE),
    apiUrl,
    createAt: (baseUrl) => createOver(baseUrl, customer.secret),
    create: createOver(apiUrl, customer.secret),
    isRelaying: async () => (await count(machine, 'outbox WHERE lease_owner IS NOT NULL')) > 0,
    backlog: async () =>
      (await count(machine, 'outbox')) +
      (await count(machine, `voice WHERE review_state IN ('queued', 'running', 'retry_wait')`)),
    outcomes: () => listOutcomes(machine),
  };
}

async function openCustomer(machine: Machine): Promise<{ accountId: string; secret: string }> {
  const api = await createApi(machine.config);
  const overrides = { voiceSlots: 1_000_000 };
  const { id } = await api.get(AccountsService).create({ name: 'storm', tier: 'business', overrides });
  const { secret } = await api
    .get(ApiKeysService)
    .create({ name: 'storm', permissions: 'all', accountId: id });
  await api.close();
  return { accountId: id, secret };
}

async function insertPreviews(
  { dataSource }: Machine,
  accountId: string,
  { previews, recordingSecs = 1 }: { previews: number; recordingSecs?: number },
): Promise<string[]> {
  const audio = new PostgresAudioStore(new AudioObjectRepository(dataSource));
  const digests: string[] = [];
  for (let index = 0; index < Math.min(RECORDINGS, previews); index += 1)
    digests.push((await audio.put(recording(recordingSecs), 'audio/wav')).digest);
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

function createOver(baseUrl: string, secret: string): CreateVoice {
  return async (previewId, signal) => {
    const response = await fetch(`${baseUrl}/v1/text-to-voice`, {
      method: 'POST',
      headers: { 'xi-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify({
        voice_name: 'Storm',
        voice_description: 'A calm voice that is here to be reviewed.',
        generated_voice_id: previewId,
      }),
      signal,
    });
    const body = (await response.json()) as { voice_id?: string };
    return { status: response.status, voiceId: body.voice_id ?? '' };
  };
}

async function listOutcomes({ dataSource }: Machine): Promise<VoiceOutcome[]> {
  return dataSource.query<VoiceOutcome[]>(
    `SELECT v.id AS "voiceId", v.created_at AS "createdAt",
       (SELECT max(r.completed_at) FROM review r WHERE r.voice_id = v.id) AS "reviewedAt",
       -- A verdict leaves three traces in one transaction; each must be there as often as the others.
       CASE WHEN v.review_state IN ('completed', 'rejected') THEN greatest(
         (SELECT count(*)::int FROM review r WHERE r.voice_id = v.id),
         (SELECT count(*)::int FROM review_event e WHERE e.voice_id = v.id AND e.to_state IN ('completed', 'rejected'))
       ) ELSE 0 END AS effects
     FROM voice v`,
  );
}

async function count({ dataSource }: Machine, from: string): Promise<number> {
  const [row] = await dataSource.query<{ count: number }[]>(`SELECT count(*)::int AS count FROM ${from}`);
  return row!.count;
}
