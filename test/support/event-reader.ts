import type { Stack } from './stack';
import type { StaffClient } from './staff-client';

/** A reader of server-sent events of the staff API. */
export class EventReader {
  /** What the last event of each name has carried. */
  readonly latest = new Map<string, unknown>();
  /** Events so far. */
  count = 0;
  /** Settles when the server has ended the stream. */
  readonly ended: Promise<void>;

  private constructor(
    readonly headers: Headers,
    body: ReadableStream<Uint8Array>,
    private readonly leaving: AbortController,
  ) {
    this.ended = this.read(body).catch(() => undefined);
  }

  static async open(stack: Stack, client: StaffClient, path: string): Promise<EventReader> {
    const leaving = new AbortController();
    const response = await fetch(stack.baseUrl + path, {
      headers: { cookie: client.cookieHeader },
      signal: leaving.signal,
    });
    if (response.status !== 200 || !response.body) throw new Error(`Status ${response.status}.`);
    return new EventReader(response.headers, response.body, leaving);
  }

  leave(): void {
    this.leaving.abort();
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      blocks.forEach((block) => this.keep(block));
    }
  }

  private keep(block: string): void {
    const [, name, data] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? [];
    if (name === undefined || data === undefined) return;
    this.latest.set(name, JSON.parse(data));
    this.count += 1;
  }
}
