import { pause } from './fault-options';

const GIVE_UP_MS = 120_000;
const RETRY_MS = 300;
const REQUEST_TIMEOUT_MS = 5_000;
const ACCEPTED_TROUBLE = [429, 503];

export interface AcknowledgedVoice {
  voiceId: string;
  atMs: number;
}

/** Asks for one voice; its id and the status of the answer. */
export type CreateVoice = (
  previewId: string,
  signal: AbortSignal,
) => Promise<{ status: number; voiceId: string }>;

/** Customers who want a voice from each preview, at a steady rate, and ask again until they are told that they have it. */
export class VoiceLoad {
  readonly acknowledged: AcknowledgedVoice[] = [];
  /** Statuses that no fault excuses. */
  readonly unexpected: number[] = [];
  /** How often each status was answered; 0 stands for no answer. */
  readonly answers: Record<number, number> = {};
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly create: CreateVoice) {}

  /** Begins with one preview every `everyMs` until `stop` is aborted or none is left; waits for the last answer. */
  async run(previewIds: string[], everyMs: number, stop: AbortSignal): Promise<void> {
    for (const previewId of previewIds) {
      if (stop.aborted) break;
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
      const { status, voiceId } = await this.create(previewId, AbortSignal.timeout(REQUEST_TIMEOUT_MS));
      this.count(status);
      if (status === 200) this.acknowledged.push({ voiceId, atMs: Date.now() });
      else if (!ACCEPTED_TROUBLE.includes(status)) this.unexpected.push(status);
      return status === 200;
    } catch {
      // The connection was lost, or the answer: the customer cannot know whether there is a voice.
      this.count(0);
      return false;
    }
  }

  private count(status: number): void {
    this.answers[status] = (this.answers[status] ?? 0) + 1;
  }
}
