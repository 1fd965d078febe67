import { setTimeout as delay } from 'node:timers/promises';
import type { FirstRun } from './first-run';
import { reasonOf } from './launch-error';

const DEADLINE_MS = 60_000;
const POLL_MS = 1_000;
const DESCRIPTION = 'A friendly narrator with a steady pace and a clear, warm voice.';

interface Voice {
  voice_id: string;
  labelling_status: string | null;
  recording_quality: string | null;
  recording_quality_reason: string | null;
}

/**
 * Takes one voice the whole way through the public API, as a customer would, and reports how far it got.
 *
 * @param report called with one line per step; the last one says how it ended
 */
export async function runSelfCheck(
  firstRun: FirstRun,
  stop: AbortSignal,
  report: (line: string) => void,
): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(DEADLINE_MS)]);
  try {
    await followOneVoice(new PublicApi(firstRun, signal), signal, report);
  } catch (error) {
    if (stop.aborted) return;
    const reason = signal.aborted ? `not done after ${DEADLINE_MS / 1000} s` : causeOf(error);
    report(`failed: ${reason}. Everything keeps running; the lines above may say more.`);
  }
}

async function followOneVoice(
  api: PublicApi,
  signal: AbortSignal,
  report: (line: string) => void,
): Promise<void> {
  const startedAt = Date.now();
  const { previews } = await api.call<{ previews: { generated_voice_id: string }[] }>(
    '/text-to-voice/design',
    {
      voice_description: DESCRIPTION,
      auto_generate_text: true,
    },
  );
  report(`designed ${previews.length} previews in ${secondsSince(startedAt)}`);
  let voice = await api.call<Voice>('/text-to-voice', {
    voice_name: 'Self-check',
    voice_description: DESCRIPTION,
    generated_voice_id: previews[0]?.generated_voice_id,
  });
  report(`created voice ${voice.voice_id}`);
  if (voice.labelling_status === 'in_review') report('in review');
  while (voice.labelling_status !== 'review_complete') {
    await delay(POLL_MS, undefined, { signal });
    voice = await api.call<Voice>(`/voices/${voice.voice_id}`);
  }
  report(`recording_quality: ${voice.recording_quality} (${voice.recording_quality_reason})`);
  report(`passed in ${secondsSince(startedAt)}`);
}

class PublicApi {
  constructor(
    private readonly firstRun: FirstRun,
    private readonly signal: AbortSignal,
  ) {}

  /** GET, or POST when there is a body; again when the api is too busy, within the time of the check. */
  async call<T>(path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.firstRun.base_url}/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'xi-api-key': this.firstRun.api_key, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
      signal: this.signal,
    });
    const text = await response.text();
    const retryAfterSecs = Number(response.headers.get('retry-after') ?? 0);
    if (response.status === 503 && retryAfterSecs > 0) {
      await delay(retryAfterSecs * 1_000, undefined, { signal: this.signal });
      return this.call(path, body);
    }
    if (!response.ok) throw new Error(`${path} responded ${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  }
}

function causeOf(error: unknown): string {
  return reasonOf((error as Error).cause ?? error);
}

function secondsSince(startedAt: number): string {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}
