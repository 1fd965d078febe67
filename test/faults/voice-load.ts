import { pause } from './fault-options';

const GIVE_UP_MS = 120_000;
const RETRY_MS = 300;
/** Longer than any response may take. */
const REQUEST_TIMEOUT_MS = 10_000;
const ACCEPTED_TROUBLE = [429, 503];
const MAX_RETRY_AFTER_SECS = 30;

export interface AcknowledgedVoice {
  voiceId: string;
  atMs: number;
}

export interface CreateResponse {
  status: number;
  voiceId: string;
  retryAfterSecs?: number;
}

/** Requests one voice; no request of it may take longer than `timeoutMs`. */
export type CreateVoice = (previewId: string, timeoutMs: number) => Promise<CreateResponse>;

/** Customers who want a voice from each preview, at a steady rate, and repeat the request until it succeeds. */
export class VoiceLoad {
  readonly acknowledged: AcknowledgedVoice[] = [];
  /** Statuses that no fault excuses. */
  readonly unexpected: number[] = [];
  /** How often each status was returned; 0 stands for no response. */
  readonly answers: Record<number, number> = {};
  /** Previews that were requested. */
  sent = 0;
  /** Requests without a response in time. */
  hung = 0;
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly create: CreateVoice) {}

  /**
   * Begins with one preview every `everyMs`, not before one of `mostAtOnce` customers has its voice, until `stop` is aborted
   * or none is left; waits for the last response.
   */
  async run(
    previewIds: string[],
    { everyMs, mostAtOnce = Infinity }: { everyMs: number; mostAtOnce?: number },
    stop: AbortSignal,
  ): Promise<void> {
    for (const previewId of previewIds) {
      while (this.underWay.size >= mostAtOnce) await Promise.race(this.underWay);
      if (stop.aborted) break;
      this.sent += 1;
      const customer = this.insist(previewId).finally(() => this.underWay.delete(customer));
      this.underWay.add(customer);
      await pause(everyMs);
    }
    await Promise.all(this.underWay);
  }

  private async insist(previewId: string): Promise<void> {
    const deadline = Date.now() + GIVE_UP_MS;
    while (Date.now() < deadline) {
      if (await this.ask(previewId)) return;
      await pause(RETRY_MS);
    }
  }

  private async ask(previewId: string): Promise<boolean> {
    try {
      const response = await this.create(previewId, REQUEST_TIMEOUT_MS);
      const { status, voiceId } = response;
      this.count(status);
      if (status === 200) this.acknowledged.push({ voiceId, atMs: Date.now() });
      else if (!isExcused(response)) this.unexpected.push(status);
      return status === 200;
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') this.hung += 1;
      // The connection was lost, or the response: the customer cannot know whether there is a voice.
      this.count(0);
      return false;
    }
  }

  private count(status: number): void {
    this.answers[status] = (this.answers[status] ?? 0) + 1;
  }
}

/** Trouble that says when to come again. */
function isExcused({ status, retryAfterSecs = Infinity }: CreateResponse): boolean {
  return ACCEPTED_TROUBLE.includes(status) && retryAfterSecs <= MAX_RETRY_AFTER_SECS;
}
