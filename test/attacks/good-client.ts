import { setTimeout as wait } from 'node:timers/promises';
import { silentFlac } from '../../libs/audio/codecs/spec-containers';
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
  secret: string,
  seconds: number,
  request: GoodRequest = 'list',
): Promise<Latency> {
  const took: number[] = [];
  let failed = 0;
  for (const endsAt = Date.now() + seconds * 1_000; Date.now() < endsAt; await wait(EVERY_MS)) {
    const startedAt = performance.now();
    if (!(await succeeds(() => REQUESTS[request](baseUrl, secret)))) failed += 1;
    took.push(performance.now() - startedAt);
  }
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(share * took.length))] ?? NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), failed, sent: took.length };
}

const REQUESTS: Record<GoodRequest, (baseUrl: string, secret: string) => Promise<boolean>> = {
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
