import { randomUUID } from 'node:crypto';
import type { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import type { ErrorCode } from '../../../libs/domain/errors';
import { eventually } from '../eventually';
import { DESCRIPTION, TEXT } from '../samples';
import { recordingFile } from './recording-file';
import { WEBHOOK_URL, type World } from './world';

/** The library's result of a call, which has the headers too. */
export interface LibraryCall<T = unknown> extends PromiseLike<T> {
  withRawResponse(): Promise<{ data: T; rawResponse: { url: string; status: number; headers: Headers } }>;
}

export interface Refusal {
  /** The code of the refusal; `validation` for a list of what is wrong with the input. */
  code: ErrorCode | 'validation';
  /** The library's class of the error, where it has one of its own. */
  error?: string;
  call(world: World): Promise<unknown>;
}

/** One operation and how the library calls it. */
export interface Drive {
  operation: string;
  /** Which key may call it, unless it is one with a certain permission. */
  open?: 'to every key' | 'to everybody';
  /** The refusal of an operation that is offered and cannot succeed. */
  always?: ErrorCode | 'validation';
  /** Headers of a success, beside `x-request-id`. */
  headers?: string[];
  /** What the call needs that can be used up. */
  prepare?(world: World): Promise<string>;
  call(client: ElevenLabsClient, world: World, prepared: string): LibraryCall;
  refusals: Refusal[];
}

const UNKNOWN = 'x'.repeat(20);
const DESIGN = { voiceDescription: DESCRIPTION, text: TEXT };
const REMIX = { voiceDescription: 'Deeper and slower.', text: TEXT };
const SPEECH = { text: TEXT, modelId: 'eleven_flash_v2_5', voiceSettings: { speed: 1.1 } };
const SPEECH_HEADERS = ['request-id', 'character-cost', 'x-voice-engine', 'history-item-id'];
const DAY_MS = 86_400_000;
const WEBHOOK = { authType: 'hmac' as const, name: 'New', webhookUrl: WEBHOOK_URL };
const KEY = { name: 'build', permissions: ['models_read' as const] };

/** A voice of the account that every other may add. */
async function sharedVoice(world: World): Promise<string> {
  const voiceId = await world.voice();
  await world.query('UPDATE voice SET shared_at = now() WHERE id = $1', [voiceId]);
  return voiceId;
}

const BEYOND_END = { headers: { range: 'bytes=999999999-' } };

const voiceFrom = (generatedVoiceId: string, voiceName = 'Harbour') => ({
  voiceName,
  voiceDescription: DESCRIPTION,
  generatedVoiceId,
});

interface Changes {
  voiceDescription?: string;
  text?: undefined;
  outputFormat?: 'pcm_48000';
}

/** Of one call of the library. */
interface RequestOptions {
  headers: Record<string, string>;
}

interface SpeechChanges {
  enableLogging?: boolean;
  text?: string;
  outputFormat?: 'pcm_48000';
  voiceSettings?: { speed: number };
}

/** What every way to generate previews can be refused with. */
function generationRefusals(
  generate: (
    client: ElevenLabsClient,
    changes: Changes,
    world: World,
    options?: RequestOptions,
  ) => Promise<unknown>,
): Refusal[] {
  return [
    {
      code: 'idempotency_key_reused',
      error: 'ConflictError',
      call: async (world) => {
        const options = { headers: { 'idempotency-key': `reused-${randomUUID()}` } };
        await generate(world.client, {}, world, options);
        return generate(world.client, { text: undefined }, world, options);
      },
    },
    {
      code: 'validation',
      error: 'UnprocessableEntityError',
      call: (world) => generate(world.client, { voiceDescription: 'Hm' }, world),
    },
    { code: 'missing_preview_text', call: (world) => generate(world.client, { text: undefined }, world) },
    {
      code: 'insufficient_credits',
      call: async (world) => generate(await world.clientWith({ creditLimit: 10 }), {}, world),
    },
    {
      code: 'feature_not_available',
      call: async (world) => {
        const own = await world.another('free');
        return generate(own.client, { outputFormat: 'pcm_48000' }, own);
      },
    },
  ];
}

/** What every way to speak a text can be refused with. */
function speechRefusals(
  speak: (
    client: ElevenLabsClient,
    voiceId: string,
    changes: SpeechChanges,
    options?: RequestOptions,
  ) => Promise<unknown>,
): Refusal[] {
  return [
    {
      code: 'idempotency_key_reused',
      call: async ({ client, voiceId }) => {
        const options = { headers: { 'idempotency-key': `reused-${randomUUID()}` } };
        await readAll(await speak(client, voiceId, {}, options));
        return speak(client, voiceId, { text: 'Other words.' }, options);
      },
    },
    {
      code: 'idempotent_response_gone',
      call: async ({ client, voiceId }) => {
        const options = { headers: { 'idempotency-key': `gone-${randomUUID()}` } };
        const speakUnkept = () => speak(client, voiceId, { enableLogging: false }, options);
        await readAll(await speakUnkept());
        return onceSettled(speakUnkept);
      },
    },
    {
      code: 'validation',
      error: 'UnprocessableEntityError',
      call: ({ client, voiceId }) => speak(client, voiceId, { text: '' }),
    },
    { code: 'voice_not_found', call: ({ client }) => speak(client, UNKNOWN, {}) },
    {
      code: 'voice_held',
      call: async (world) => {
        const own = await withHeldVoice(world);
        return speak(own.client, own.voiceId, {});
      },
    },
    {
      code: 'insufficient_credits',
      call: async (world) => speak(await world.clientWith({ creditLimit: 10 }), world.voiceId, {}),
    },
    {
      code: 'feature_not_available',
      call: async (world) => {
        const own = await world.another('free');
        return speak(own.client, own.voiceId, { outputFormat: 'pcm_48000' });
      },
    },
    {
      code: 'invalid_voice_settings',
      call: ({ client, voiceId }) => speak(client, voiceId, { voiceSettings: { speed: 3 } }),
    },
    {
      code: 'voice_not_speakable',
      call: async (world) => {
        const own = await world.another();
        await world.query(`UPDATE voice SET spec = '{"engine":"another"}' WHERE id = $1`, [own.voiceId]);
        return speak(own.client, own.voiceId, {});
      },
    },
  ];
}

/** Reads a response of whatever kind to its end. */
async function readAll(response: unknown): Promise<void> {
  if (response instanceof ReadableStream) await new Response(response).arrayBuffer();
  else if (response && typeof response === 'object' && Symbol.asyncIterator in response)
    for await (const _ of response as AsyncIterable<unknown>);
}

/** Repeats a call while the first one with its key is still being written down. */
async function onceSettled(call: () => Promise<unknown>): Promise<unknown> {
  return eventually(async () => {
    try {
      return { result: await call() };
    } catch (error) {
      if ((error as Error).message.includes('idempotency_key_claimed')) throw error;
      return { error };
    }
  }).then((outcome) => {
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  });
}

async function withHeldVoice(world: World): Promise<World> {
  const own = await world.another();
  await hold(own, own.voiceId);
  return own;
}

async function hold(world: World, voiceId: string): Promise<void> {
  await world.query(`UPDATE voice SET safety_state = 'held' WHERE id = $1`, [voiceId]);
}

async function withdrawConsent(world: World): Promise<void> {
  await world.query('UPDATE account SET recordings_consented_at = NULL WHERE id = $1', [world.key.accountId]);
}

async function withoutConsent(world: World): Promise<World> {
  const own = await world.another();
  await withdrawConsent(own);
  return own;
}

/** Every operation that is offered. A new one is a new row; the suite says which are missing. */
export const DRIVES: Drive[] = [
  { operation: 'GET /v1/models', call: (client) => client.models.list(), refusals: [] },
  { operation: 'GET /v1/user', call: (client) => client.user.get(), refusals: [] },
  {
    operation: 'GET /v1/user/subscription',
    call: (client) => client.user.subscription.get(),
    refusals: [],
  },
  {
    operation: 'POST /v1/text-to-voice/design',
    headers: ['character-cost', 'generated_voice_id', 'generated_voice_ids'],
    call: (client) => client.textToVoice.design(DESIGN),
    refusals: generationRefusals((client, changes, _, options) =>
      client.textToVoice.design({ ...DESIGN, ...changes }, options),
    ),
  },
  {
    operation: 'POST /v1/text-to-voice/create-previews',
    headers: ['character-cost', 'generated_voice_id', 'generated_voice_ids'],
    call: (client) => client.textToVoice.createPreviews(DESIGN),
    refusals: generationRefusals((client, changes, _, options) =>
      client.textToVoice.createPreviews({ ...DESIGN, ...changes }, options),
    ),
  },
  {
    operation: 'POST /v1/text-to-voice/{voice_id}/remix',
    headers: ['character-cost', 'generated_voice_id', 'generated_voice_ids'],
    call: (client, { voiceId }) => client.textToVoice.remix(voiceId, REMIX),
    refusals: [
      ...generationRefusals((client, changes, { voiceId }, options) =>
        client.textToVoice.remix(voiceId, { ...REMIX, ...changes }, options),
      ),
      { code: 'voice_not_found', call: ({ client }) => client.textToVoice.remix(UNKNOWN, REMIX) },
      {
        code: 'voice_held',
        call: async (world) => {
          const { client: own, voiceId } = await withHeldVoice(world);
          return own.textToVoice.remix(voiceId, REMIX);
        },
      },
      {
        code: 'voice_not_speakable',
        error: 'ConflictError',
        call: async (world) => {
          const { voiceId } = await world.recorded(1);
          return world.client.textToVoice.remix(voiceId, REMIX);
        },
      },
    ],
  },
  {
    operation: 'POST /v1/text-to-speech/{voice_id}',
    headers: SPEECH_HEADERS,
    call: (client, { voiceId }) => client.textToSpeech.convert(voiceId, SPEECH),
    refusals: speechRefusals((client, voiceId, changes, options) =>
      client.textToSpeech.convert(voiceId, { ...SPEECH, ...changes }, options),
    ),
  },
  {
    operation: 'POST /v1/text-to-speech/{voice_id}/stream',
    headers: SPEECH_HEADERS,
    call: (client, { voiceId }) => client.textToSpeech.stream(voiceId, SPEECH),
    refusals: speechRefusals((client, voiceId, changes, options) =>
      client.textToSpeech.stream(voiceId, { ...SPEECH, ...changes }, options),
    ),
  },
  {
    operation: 'POST /v1/text-to-speech/{voice_id}/with-timestamps',
    headers: SPEECH_HEADERS,
    call: (client, { voiceId }) => client.textToSpeech.convertWithTimestamps(voiceId, SPEECH),
    refusals: speechRefusals((client, voiceId, changes, options) =>
      client.textToSpeech.convertWithTimestamps(voiceId, { ...SPEECH, ...changes }, options),
    ),
  },
  {
    operation: 'POST /v1/text-to-speech/{voice_id}/stream/with-timestamps',
    headers: SPEECH_HEADERS,
    call: (client, { voiceId }) => client.textToSpeech.streamWithTimestamps(voiceId, SPEECH),
    refusals: speechRefusals((client, voiceId, changes, options) =>
      client.textToSpeech.streamWithTimestamps(voiceId, { ...SPEECH, ...changes }, options),
    ),
  },
  {
    operation: 'GET /v1/shared-voices',
    call: (client) => client.voices.getShared({ pageSize: 5, search: 'harbour', useCases: ['narration'] }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client }) => client.voices.getShared({ pageSize: 0 }),
      },
    ],
  },
  {
    operation: 'GET /v1/history',
    call: (client) => client.history.list({ pageSize: 5, source: 'TTS' }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client }) => client.history.list({ pageSize: 0 }),
      },
      {
        code: 'history_item_not_found',
        call: ({ client }) => client.history.list({ startAfterHistoryItemId: UNKNOWN }),
      },
    ],
  },
  {
    operation: 'GET /v1/history/{history_item_id}',
    prepare: (world) => world.spoken(),
    call: (client, _, itemId) => client.history.get(itemId),
    refusals: [{ code: 'history_item_not_found', call: ({ client }) => client.history.get(UNKNOWN) }],
  },
  {
    operation: 'GET /v1/history/{history_item_id}/audio',
    prepare: (world) => world.spoken(),
    call: (client, _, itemId) => client.history.getAudio(itemId),
    refusals: [
      { code: 'history_item_not_found', call: ({ client }) => client.history.getAudio(UNKNOWN) },
      {
        code: 'range_not_satisfiable',
        call: async (world) => world.client.history.getAudio(await world.spoken(), BEYOND_END),
      },
      {
        code: 'voice_held',
        call: async (world) => {
          const own = await world.another();
          const itemId = await own.spoken();
          await hold(own, own.voiceId);
          return own.client.history.getAudio(itemId);
        },
      },
    ],
  },
  {
    operation: 'DELETE /v1/history/{history_item_id}',
    prepare: (world) => world.spoken(),
    call: (client, _, itemId) => client.history.delete(itemId),
    refusals: [{ code: 'history_item_not_found', call: ({ client }) => client.history.delete(UNKNOWN) }],
  },
  {
    operation: 'GET /v1/text-to-voice/{generated_voice_id}/stream',
    headers: ['generated_voice_id'],
    prepare: (world) => world.preview(),
    call: (client, _, previewId) => client.textToVoice.preview.stream(previewId),
    refusals: [
      { code: 'preview_not_found', call: ({ client }) => client.textToVoice.preview.stream(UNKNOWN) },
      {
        code: 'range_not_satisfiable',
        call: async (world) => world.client.textToVoice.preview.stream(await world.preview(), BEYOND_END),
      },
      {
        code: 'voice_held',
        call: async (world) => {
          const own = await world.another();
          const previewId = await own.preview();
          const { voiceId } = await own.client.textToVoice.create(voiceFrom(previewId));
          await hold(own, voiceId);
          return own.client.textToVoice.preview.stream(previewId);
        },
      },
    ],
  },
  {
    operation: 'POST /v1/text-to-voice',
    prepare: (world) => world.preview(),
    call: (client, _, previewId) => client.textToVoice.create(voiceFrom(previewId)),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: async (world) => world.client.textToVoice.create(voiceFrom(await world.preview(), '')),
      },
      { code: 'preview_not_found', call: ({ client }) => client.textToVoice.create(voiceFrom(UNKNOWN)) },
      {
        code: 'voice_held',
        call: async (world) => {
          const own = await world.another();
          const { previews } = await own.client.textToVoice.remix(own.voiceId, REMIX);
          await hold(own, own.voiceId);
          return own.client.textToVoice.create(voiceFrom(previews[0]!.generatedVoiceId));
        },
      },
      {
        code: 'preview_already_used',
        error: 'ConflictError',
        call: async (world) => {
          const previewId = await world.preview();
          await world.client.textToVoice.create(voiceFrom(previewId));
          return world.client.textToVoice.create(voiceFrom(previewId, 'Another name'));
        },
      },
      {
        code: 'idempotency_key_reused',
        error: 'ConflictError',
        call: async (world) => {
          const options = { headers: { 'idempotency-key': 'conformance' } };
          await world.client.textToVoice.create(voiceFrom(await world.preview()), options);
          return world.client.textToVoice.create(voiceFrom(await world.preview()), options);
        },
      },
      {
        code: 'voice_limit_reached',
        call: async (world) => {
          const own = await world.another();
          await own.query('UPDATE account SET voice_limit = 0 WHERE id = $1', [own.key.accountId]);
          return own.client.textToVoice.create(voiceFrom(await own.preview()));
        },
      },
    ],
  },
  {
    operation: 'GET /v1/voices/{voice_id}',
    call: (client, { voiceId }) => client.voices.get(voiceId),
    refusals: [{ code: 'voice_not_found', call: ({ client }) => client.voices.get(UNKNOWN) }],
  },
  {
    operation: 'GET /v1/voices/{voice_id}/samples/{sample_id}/audio',
    call: (client, { voiceId, sampleId }) => client.voices.samples.audio.get(voiceId, sampleId),
    refusals: [
      {
        code: 'voice_not_found',
        call: ({ client, sampleId }) => client.voices.samples.audio.get(UNKNOWN, sampleId),
      },
      {
        code: 'sample_not_found',
        call: ({ client, voiceId }) => client.voices.samples.audio.get(voiceId, UNKNOWN),
      },
      {
        code: 'voice_held',
        call: async (world) => {
          const { client, voiceId, sampleId } = await withHeldVoice(world);
          return client.voices.samples.audio.get(voiceId, sampleId);
        },
      },
      {
        code: 'range_not_satisfiable',
        call: ({ client, voiceId, sampleId }) =>
          client.voices.samples.audio.get(voiceId, sampleId, { headers: { range: 'bytes=999999999-' } }),
      },
    ],
  },
  {
    operation: 'GET /v1/voices',
    call: (client) => client.voices.getAll(),
    refusals: [],
  },
  {
    operation: 'GET /v2/voices',
    call: (client) => client.voices.search({ pageSize: 5, search: 'furniture' }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client }) => client.voices.search({ pageSize: 0 }),
      },
      {
        code: 'invalid_cursor',
        call: ({ client }) => client.voices.search({ nextPageToken: 'not one of ours' }),
      },
    ],
  },
  {
    operation: 'POST /v1/voices/add',
    call: (client) => client.voices.ivc.create({ name: 'Recorded', files: [recordingFile()] }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client }) => client.voices.ivc.create({ name: 'Recorded', files: [] }),
      },
      {
        code: 'recordings_consent_missing',
        call: async (world) => (await withoutConsent(world)).recorded(1),
      },
      {
        code: 'voice_limit_reached',
        call: async (world) => {
          const own = await world.another();
          await own.query('UPDATE account SET voice_limit = 0 WHERE id = $1', [own.key.accountId]);
          return own.recorded(1);
        },
      },
      {
        code: 'idempotency_key_reused',
        call: async ({ client }) => {
          const options = { headers: { 'idempotency-key': 'conformance-of-recordings' } };
          await client.voices.ivc.create({ name: 'Recorded', files: [recordingFile()] }, options);
          return client.voices.ivc.create({ name: 'Recorded', files: [recordingFile()] }, options);
        },
      },
    ],
  },
  {
    operation: 'POST /v1/voices/add/{public_user_id}/{voice_id}',
    prepare: (world) => sharedVoice(world),
    call: (client, _, voiceId) => client.voices.share('platform', voiceId, { newName: 'Added' }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client, voiceId }) => client.voices.share('platform', voiceId, { newName: '' }),
      },
      {
        code: 'voice_not_found',
        call: ({ client }) => client.voices.share('platform', UNKNOWN, { newName: 'Added' }),
      },
      {
        code: 'voice_held',
        call: async (world) => {
          const own = await withHeldVoice(world);
          return own.client.voices.share('platform', own.voiceId, { newName: 'Added' });
        },
      },
      {
        code: 'voice_limit_reached',
        call: async (world) => {
          const own = await world.another();
          await own.query('UPDATE account SET voice_limit = 0 WHERE id = $1', [own.key.accountId]);
          return own.client.voices.share('platform', await sharedVoice(world), { newName: 'Added' });
        },
      },
    ],
  },
  {
    operation: 'POST /v1/voices/{voice_id}/edit',
    call: (client, { voiceId }) => client.voices.update(voiceId, { name: 'Renamed' }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client, voiceId }) => client.voices.update(voiceId, { name: '' }),
      },
      { code: 'voice_not_found', call: ({ client }) => client.voices.update(UNKNOWN, { name: 'Renamed' }) },
      {
        code: 'recordings_consent_missing',
        call: async (world) => {
          const own = await world.another();
          const { voiceId } = await own.recorded(1);
          await withdrawConsent(own);
          return own.client.voices.update(voiceId, { name: 'Renamed', files: [recordingFile()] });
        },
      },
    ],
  },
  {
    operation: 'DELETE /v1/voices/{voice_id}',
    prepare: (world) => world.voice(),
    call: (client, _, voiceId) => client.voices.delete(voiceId),
    refusals: [{ code: 'voice_not_found', call: ({ client }) => client.voices.delete(UNKNOWN) }],
  },
  {
    operation: 'GET /v1/voices/settings/default',
    open: 'to everybody',
    call: (client) => client.voices.settings.getDefault(),
    refusals: [],
  },
  {
    operation: 'GET /v1/voices/{voice_id}/settings',
    call: (client, { voiceId }) => client.voices.settings.get(voiceId),
    refusals: [{ code: 'voice_not_found', call: ({ client }) => client.voices.settings.get(UNKNOWN) }],
  },
  {
    operation: 'POST /v1/voices/{voice_id}/settings/edit',
    call: (client, { voiceId }) => client.voices.settings.update(voiceId, { stability: 0.4 }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client, voiceId }) => client.voices.settings.update(voiceId, { stability: 2 }),
      },
      { code: 'voice_not_found', call: ({ client }) => client.voices.settings.update(UNKNOWN, {}) },
    ],
  },
  {
    operation: 'DELETE /v1/voices/{voice_id}/samples/{sample_id}',
    prepare: async (world) => {
      const { voiceId, sampleIds } = await world.recorded(2);
      return `${voiceId} ${sampleIds[0]!}`;
    },
    call: (client, _, prepared) => client.samples.delete(...(prepared.split(' ') as [string, string])),
    refusals: [
      {
        code: 'only_sample',
        call: ({ client, voiceId, sampleId }) => client.samples.delete(voiceId, sampleId),
      },
      { code: 'voice_not_found', call: ({ client, sampleId }) => client.samples.delete(UNKNOWN, sampleId) },
      { code: 'sample_not_found', call: ({ client, voiceId }) => client.samples.delete(voiceId, UNKNOWN) },
    ],
  },
  {
    operation: 'GET /v1/usage/character-stats',
    call: (client) => client.usage.get({ startUnix: Date.now() - DAY_MS, endUnix: Date.now() }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client }) => client.usage.get({ startUnix: DAY_MS, endUnix: 0 }),
      },
    ],
  },
  {
    operation: 'POST /v1/workspace/analytics/query/usage-by-product-over-time',
    call: (client) =>
      client.workspace.usage.getUsageByProductOverTime({
        startTime: Date.now() - DAY_MS,
        endTime: Date.now(),
        groupBy: ['product_type', 'hashed_xi_api_key'],
        filters: [{ column: 'product_type', operation: 'in', values: ['text_to_voice_design'] }],
      }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client }) =>
          client.workspace.usage.getUsageByProductOverTime({
            startTime: Date.now() - DAY_MS,
            endTime: Date.now(),
            groupBy: ['region'],
          }),
      },
    ],
  },
  {
    operation: 'POST /v1/workspace/analytics/requests',
    call: (client) => client.workspace.analytics.requests.get({ endTime: Date.now(), search: 'design' }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client }) => client.workspace.analytics.requests.get({ limit: 5 }),
      },
    ],
  },
  {
    operation: 'POST /v1/single-use-token/{token_type}',
    open: 'to every key',
    // The library sends no other types than those of products that are not here.
    always: 'validation',
    call: (client) => client.tokens.singleUse.create('realtime_scribe'),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client }) => client.tokens.singleUse.create('realtime_scribe'),
      },
    ],
  },
  {
    operation: 'GET /v1/service-accounts',
    call: (client) => client.serviceAccounts.list(),
    refusals: [],
  },
  {
    operation: 'POST /v1/service-accounts',
    call: (client) => client.serviceAccounts.create({ name: 'Nightly' }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client }) => client.serviceAccounts.create({ name: '' }),
      },
      {
        code: 'service_account_limit_reached',
        call: async (world) => {
          const client = await world.clientOfTier('free');
          for (let count = 0; count <= 20; count += 1) await client.serviceAccounts.create({ name: 'Many' });
        },
      },
    ],
  },
  {
    operation: 'GET /v1/service-accounts/{service_account_user_id}/api-keys',
    call: (client, { serviceAccountId }) => client.serviceAccounts.apiKeys.list(serviceAccountId),
    refusals: [
      {
        code: 'service_account_not_found',
        call: ({ client }) => client.serviceAccounts.apiKeys.list(UNKNOWN),
      },
    ],
  },
  {
    operation: 'POST /v1/service-accounts/{service_account_user_id}/api-keys',
    headers: ['cache-control'],
    call: (client, { serviceAccountId }) => client.serviceAccounts.apiKeys.create(serviceAccountId, KEY),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client, serviceAccountId }) =>
          client.serviceAccounts.apiKeys.create(serviceAccountId, { ...KEY, allowedIps: ['10.0.0.1/33'] }),
      },
      {
        code: 'service_account_not_found',
        call: ({ client }) => client.serviceAccounts.apiKeys.create(UNKNOWN, KEY),
      },
      {
        code: 'feature_not_available',
        call: async (world) => {
          const client = await world.clientOfTier('free');
          const { serviceAccountUserId } = await client.serviceAccounts.create({ name: 'Build' });
          const listed = { ...KEY, allowedIps: ['203.0.113.0/24'] };
          return client.serviceAccounts.apiKeys.create(serviceAccountUserId, listed);
        },
      },
      {
        code: 'key_too_free',
        call: async (world) => {
          const client = await world.clientWith({ creditLimit: 10 });
          const freer = { ...KEY, characterLimit: 1_000 };
          return client.serviceAccounts.apiKeys.create(world.serviceAccountId, freer);
        },
      },
    ],
  },
  {
    operation: 'PATCH /v1/service-accounts/{service_account_user_id}/api-keys/{api_key_id}',
    prepare: (world) => world.serviceAccountKey(),
    call: (client, { serviceAccountId }, keyId) =>
      client.serviceAccounts.apiKeys.update(serviceAccountId, keyId, { name: 'renamed' }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: async (world) =>
          world.client.serviceAccounts.apiKeys.update(
            world.serviceAccountId,
            await world.serviceAccountKey(),
            { characterLimit: -1 },
          ),
      },
      {
        code: 'feature_not_available',
        call: async (world) => {
          const client = await world.clientOfTier('free');
          const { serviceAccountUserId: id } = await client.serviceAccounts.create({ name: 'Build' });
          const { keyId } = await client.serviceAccounts.apiKeys.create(id, KEY);
          return client.serviceAccounts.apiKeys.update(id, keyId, { allowedIps: ['203.0.113.0/24'] });
        },
      },
      {
        code: 'key_too_free',
        call: async (world) => {
          const { apiKeys } = (await world.clientWith({ creditLimit: 10 })).serviceAccounts;
          const { keyId } = await apiKeys.create(world.serviceAccountId, { ...KEY, characterLimit: 5 });
          return apiKeys.update(world.serviceAccountId, keyId, { characterLimit: 1_000 });
        },
      },
      {
        code: 'key_out_of_reach',
        call: async (world) => {
          const client = await world.clientWith({ permissions: ['service_account_write'] });
          const keyId = await world.serviceAccountKey();
          return client.serviceAccounts.apiKeys.update(world.serviceAccountId, keyId, { name: 'x' });
        },
      },
      {
        code: 'service_account_not_found',
        call: ({ client }) => client.serviceAccounts.apiKeys.update(UNKNOWN, UNKNOWN, { name: 'x' }),
      },
      {
        code: 'api_key_not_found',
        call: ({ client, serviceAccountId }) =>
          client.serviceAccounts.apiKeys.update(serviceAccountId, UNKNOWN, { name: 'x' }),
      },
    ],
  },
  {
    operation: 'DELETE /v1/service-accounts/{service_account_user_id}/api-keys/{api_key_id}',
    prepare: (world) => world.serviceAccountKey(),
    call: (client, { serviceAccountId }, keyId) =>
      client.serviceAccounts.apiKeys.delete(serviceAccountId, keyId),
    refusals: [
      {
        code: 'key_out_of_reach',
        call: async (world) => {
          const client = await world.clientWith({ permissions: ['service_account_write'] });
          return client.serviceAccounts.apiKeys.delete(
            world.serviceAccountId,
            await world.serviceAccountKey(),
          );
        },
      },
      {
        code: 'service_account_not_found',
        call: ({ client }) => client.serviceAccounts.apiKeys.delete(UNKNOWN, UNKNOWN),
      },
      {
        code: 'api_key_not_found',
        call: ({ client, serviceAccountId }) =>
          client.serviceAccounts.apiKeys.delete(serviceAccountId, UNKNOWN),
      },
    ],
  },
  {
    operation: 'GET /v1/workspace/audit-logs',
    call: (client) => client.workspace.auditLogs.list({ limit: 5, className: 'Entity Management' }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client }) => client.workspace.auditLogs.list({ limit: 101 }),
      },
      {
        code: 'invalid_cursor',
        call: ({ client }) => client.workspace.auditLogs.list({ cursor: 'not one of ours' }),
      },
    ],
  },
  {
    operation: 'GET /v1/workspace/webhooks',
    call: (client) => client.webhooks.list({ includeUsages: true }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client }) => client.webhooks.list({}, { queryParams: { include_usages: 'perhaps' } }),
      },
    ],
  },
  {
    operation: 'POST /v1/workspace/webhooks',
    headers: ['cache-control'],
    prepare: async (world) => {
      // An account has room for ten.
      const { accountId } = world.key;
      await world.query('DELETE FROM webhook_endpoint WHERE account_id = $1 AND name = $2', [
        accountId,
        'New',
      ]);
      return '';
    },
    call: (client) => client.webhooks.create({ settings: WEBHOOK }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client }) =>
          client.webhooks.create({ settings: { ...WEBHOOK, requestHeaders: { authorization: 'x' } } }),
      },
      {
        code: 'webhook_url_refused',
        error: 'UnprocessableEntityError',
        call: ({ client }) =>
          client.webhooks.create({ settings: { ...WEBHOOK, webhookUrl: 'https://169.254.169.254/' } }),
      },
      {
        code: 'webhook_limit_reached',
        call: async (world) => {
          const { client } = await world.another();
          for (let count = 0; count <= 10; count += 1) await client.webhooks.create({ settings: WEBHOOK });
        },
      },
    ],
  },
  {
    operation: 'PATCH /v1/workspace/webhooks/{webhook_id}',
    call: (client, { webhookId }) => client.webhooks.update(webhookId, { isDisabled: true, name: 'Renamed' }),
    refusals: [
      {
        code: 'validation',
        error: 'UnprocessableEntityError',
        call: ({ client, webhookId }) =>
          client.webhooks.update(webhookId, { isDisabled: false, name: 'Ours', retryEnabled: false }),
      },
      {
        code: 'webhook_not_found',
        call: ({ client }) => client.webhooks.update(UNKNOWN, { isDisabled: true, name: 'Renamed' }),
      },
    ],
  },
  {
    operation: 'DELETE /v1/workspace/webhooks/{webhook_id}',
    prepare: (world) => world.webhook(),
    call: (client, _, webhookId) => client.webhooks.delete(webhookId),
    refusals: [{ code: 'webhook_not_found', call: ({ client }) => client.webhooks.delete(UNKNOWN) }],
  },
  {
    operation: 'POST /v1/workspaces/api-keys/disable',
    open: 'to every key',
    call: (client) => client.workspaces.apiKeys.disable({ apiKeyName: 'self' }),
    refusals: [],
  },
];
