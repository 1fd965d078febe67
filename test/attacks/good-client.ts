import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds that a share of the requests took at most. */
export interface Latency {
  p50: number;
  p95: number;
  p99: number;
  /** Requests that got no 200. */
  failed: number;
  sent: number;
}

const EVERY_MS = 20;
/** One that takes longer has failed. */
const PATIENCE_MS = 10_000;

/** A customer's program: it lists its voices, fifty times a second, one after the other. */
export async function measureGoodClient(baseUrl: string, secret: string, seconds: number): Promise<Latency> {
  const took: number[] = [];
  let failed = 0;
  for (const endsAt = Date.now() + seconds * 1_000; Date.now() < endsAt; await wait(EVERY_MS)) {
    const startedAt = performance.now();
    if (!(await listVoices(baseUrl, secret))) failed += 1;
    took.push(performance.now() - startedAt);
  }
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(share * took.length))] ?? NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), failed, sent: took.length };
}

async function listVoices(baseUrl: string, secret: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/v1/voices`, {
      headers: { 'xi-api-key': secret },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
