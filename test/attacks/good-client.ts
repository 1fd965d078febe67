import { setTimeout as wait } from 'node:timers/promises';
import { silentFlac } from '../support/audio/containers';
import type { VoiceOwner } from '../support/previews';
import { SpeechSocketClient } from '../support/speech-socket';
import type { GoodRequest } from './attacks';

/** Milliseconds that a share of the requests took at most. */
export interface Latency {
  p50: number;
  p95: number;
  p99: number;
  /** Requests that got another response than they should. */
  failed: number;
  sent: number;
}

const EVERY_MS = 20;
/** One that takes longer has failed. */
const PATIENCE_MS = 10_000;

/** A customer's program: the same request fifty times a second at most, one after the other. */
export async function measureGoodClient(
  baseUrl: string,
  { secret, voiceId }: VoiceOwner,
  seconds: number,
  request: GoodRequest = 'list',
): Promise<Latency> {
  const took: number[] = [];
  let failed = 0;
  for (const endsAt = Date.now() + seconds * 1_000; Date.now() < endsAt; await wait(EVERY_MS)) {
    const startedAt = performance.now();
    if (!(await succeeds(() => REQUESTS[request](baseUrl, secret, voiceId)))) failed += 1;
    took.push(performance.now() - startedAt);
  }
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(share * took.length))] ?? NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), failed, sent: took.length };
}

type Sender = (baseUrl: string, secret: string, voiceId: string) => Promise<boolean>;

const REQUESTS: Record<GoodRequest, Sender> = {
  list: async (baseUrl, secret) => (await send(`${baseUrl}/v1/voices`, secret)) === 200,
  /** A recording that ends too early, which only shows when it is decoded: it is inspected, refused and not stored. */
  upload: async (baseUrl, secret) => {
    const body = new FormData();
    body.append('files', new Blob([new Uint8Array(silentFlac(1, { claimedSecs: 10 }))]), 'a.flac');
    body.append('name', 'Ends too early');
    return (await send(`${baseUrl}/v1/voices/add`, secret, { method: 'POST', body })) === 422;
  },
  /** A body whose length is not declared. */
  stream: async (baseUrl, secret) => {
    const body = new Blob([JSON.stringify({ voice_name: 'x'.repeat(100_000) })]).stream();
    const headers = { 'content-type': 'application/json' };
    const options = { method: 'POST', body, headers, duplex: 'half' } as const;
    return (await send(`${baseUrl}/v1/text-to-voice`, secret, options)) === 422;
  },
  /** A speech socket that says in its first message who its client is. */
  page: async (baseUrl, secret, voiceId) => {
    const socket = await SpeechSocketClient.open(`${baseUrl}/v1/text-to-speech/${voiceId}/stream-input`);
    socket.send({ text: ' ', xi_api_key: secret }, { text: '' });
    return (await socket.closed).code === 1_000;
  },
};

async function send(url: string, secret: string, options: RequestInit = {}): Promise<number> {
  const response = await fetch(url, {
    ...options,
    headers: { 'xi-api-key': secret, ...(options.headers as Record<string, string>) },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await response.arrayBuffer();
  return response.status;
}

async function succeeds(request: () => Promise<boolean>): Promise<boolean> {
  try {
    return await request();
  } catch {
    return false;
  }
}
