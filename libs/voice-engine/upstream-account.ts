import type { AppConfig } from '@app/config/app-config';
import { exchangeHttp } from '@app/connections/http-exchange';
import { isIP } from 'node:net';
import { guardedLookup } from './speech-server.addresses';
import { SpeechServerClient, type ServerRequest, type SpeechServerOptions } from './speech-server.client';
import { VoiceEngineError } from './voice-engine.error';

export interface UpstreamOptions extends Omit<SpeechServerOptions, 'headers' | 'mayHaveCharged'> {
  apiKey: string;
}

/** A voice of the upstream, as it lists them. */
export interface UpstreamVoice {
  voiceId: string;
  name: string;
  description: string;
  labels: Record<string, string>;
  /** Where it can be listened to; empty for nowhere. */
  recordingUrl: string;
}

/** Says for which request of ours another one is: the upstream notes what that cost under it. */
export const REQUEST_HEADER = 'x-end-user';
/** So many requests are asked for at once. */
export const MAX_READ_COSTS = 100;

const DAY_MS = 86_400_000;
const PAGE = 100;
/** A recording is some seconds of speech. */
const RECORDING_MS = 30_000;
const MAX_RECORDING_BYTES = 20_000_000;

/** A client of a service with the published API, that never sends again what may have been charged. */
export function upstreamClient({ apiKey, ...server }: UpstreamOptions): SpeechServerClient {
  return new SpeechServerClient({ ...server, headers: { 'xi-api-key': apiKey }, mayHaveCharged: true });
}

/** What the configured upstream is reached with; null when another engine speaks. */
export function upstreamOptions(
  config: Pick<AppConfig, 'voiceEngine' | 'voiceEngineUrl' | 'voiceEngineApiKey' | 'voiceEngineAddresses'>,
): UpstreamOptions | null {
  const { voiceEngine, voiceEngineUrl: url, voiceEngineApiKey, voiceEngineAddresses } = config;
  if (voiceEngine !== 'elevenlabs' || !url) return null;
  return { url, apiKey: voiceEngineApiKey ?? '', allowedAddresses: voiceEngineAddresses ?? [] };
}

/** What a service with the published API says of the account that we have there. Nothing here costs credits. */
export class UpstreamAccount {
  constructor(private readonly client: SpeechServerClient) {}

  /** Credits of the billing period there. @throws VoiceEngineError, with the status when it refuses */
  async readCredits(): Promise<{ used: number; limit: number }> {
    const { character_count: used, character_limit: limit } = await this.read('/v1/user/subscription');
    if (typeof used !== 'number' || typeof limit !== 'number')
      throw new VoiceEngineError('failed', 'the upstream sent no character_count');
    return { used, limit };
  }

  /**
   * What requests of ours have cost there, of the last day.
   *
   * @param requestIds at most MAX_READ_COSTS
   * @returns credits by request; one that is missing has cost nothing
   * @throws VoiceEngineError when the upstream does not say
   */
  async readCosts(requestIds: readonly string[]): Promise<Map<string, number>> {
    const now = Date.now();
    const { columns, rows } = await this.read('/v1/workspace/analytics/query/usage-by-product-over-time', {
      start_time: now - DAY_MS,
      end_time: now + DAY_MS,
      interval_seconds: (4 * DAY_MS) / 1_000,
      group_by: ['end_user'],
      filters: [{ column: 'end_user', operation: 'in', values: requestIds }],
    });
    const [id, credits] = ['end_user', 'credits'].map((name) =>
      Array.isArray(columns) ? columns.indexOf(name) : -1,
    ) as [number, number];
    if (id < 0 || credits < 0 || !Array.isArray(rows))
      throw new VoiceEngineError('failed', 'the upstream does not say what a request has cost');
    const costs = new Map<string, number>();
    for (const row of rows as unknown[][]) {
      const requestId = String(row[id]);
      costs.set(requestId, (costs.get(requestId) ?? 0) + Number(row[credits]));
    }
    return costs;
  }

  /** Its voices, page by page. @throws VoiceEngineError */
  async *listVoices(): AsyncGenerator<UpstreamVoice> {
    let token: string | undefined;
    do {
      const page = token === undefined ? '' : `&next_page_token=${encodeURIComponent(token)}`;
      const {
        voices,
        has_more: hasMore,
        next_page_token: next,
      } = await this.read(`/v2/voices?page_size=${PAGE}&include_total_count=false${page}`);
      if (!Array.isArray(voices)) throw new VoiceEngineError('failed', 'the upstream sent no voices');
      yield* (voices as Record<string, unknown>[]).map(toVoice);
      token = hasMore === true && typeof next === 'string' && next !== token ? next : undefined;
    } while (token !== undefined);
  }

  /**
   * What a voice is played with. It is read from the upstream, or where that says: nowhere within our network.
   *
   * @throws VoiceEngineError for one that cannot be read
   */
  async readRecording({ recordingUrl }: UpstreamVoice): Promise<Buffer> {
    const { signal } = new AbortController();
    const path = this.client.pathOf(recordingUrl);
    if (path !== null) return (await this.client.send({ path }, signal)).body;
    const url = URL.canParse(recordingUrl) ? new URL(recordingUrl) : null;
    if (url?.protocol !== 'https:' || isIP(url.hostname.replace(/^\[|\]$/g, '')))
      throw new VoiceEngineError('failed', 'it has no recording at a public address with https');
    const outcome = await exchangeHttp({
      method: 'GET',
      url,
      headers: {},
      signal,
      lookup: guardedLookup([]),
      timeoutMs: RECORDING_MS,
      maxBytes: MAX_RECORDING_BYTES,
    }).catch((cause: unknown) => {
      throw new VoiceEngineError('failed', `its recording cannot be read: ${String(cause)}`, { cause });
    });
    if (outcome.status === 200 && outcome.bodyEnd === 'complete') return outcome.body;
    throw new VoiceEngineError(
      'failed',
      `its recording cannot be read: ${outcome.status}, ${outcome.bodyEnd}`,
    );
  }

  private async read(path: string, body?: object): Promise<Record<string, unknown>> {
    const { signal } = new AbortController();
    const request: ServerRequest = { path, ...(body && { body }) };
    const { body: bytes } = await this.client.send(request, signal);
    return parseUpstream(bytes) as Record<string, unknown>;
  }
}

/** @throws VoiceEngineError for anything but a JSON object */
export function parseUpstream(bytes: Buffer): unknown {
  try {
    const value = JSON.parse(bytes.toString('utf8')) as unknown;
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw new VoiceEngineError('failed', 'the upstream sent no JSON', { cause });
  }
  throw new VoiceEngineError('failed', 'the upstream sent no JSON');
}

function toVoice({
  voice_id: voiceId,
  name,
  description,
  labels,
  preview_url: recordingUrl,
}: Record<string, unknown>): UpstreamVoice {
  if (typeof voiceId !== 'string') throw new VoiceEngineError('failed', 'the upstream sent no voice_id');
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const pairs = Object.entries((labels ?? {}) as Record<string, unknown>).map(([key, value]) => [
    key,
    text(value),
  ]);
  return {
    voiceId,
    name: text(name) || voiceId,
    description: text(description),
    labels: Object.fromEntries(pairs) as Record<string, string>,
    recordingUrl: text(recordingUrl),
  };
}
