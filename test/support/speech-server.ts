import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a speech server received. */
interface SpeechCall {
  path: string;
  authorization: string | undefined;
  body: Record<string, unknown>;
}

type ClientResponse = (response: ServerResponse, call: SpeechCall) => void;

/** A speech server on loopback that responds as a test configures it. */
export class SpecSpeechServer {
  readonly calls: SpeechCall[] = [];
  private readonly server: Server;

  /** The responses to the next calls, one each; the last one stays. */
  responses: ClientResponse[] = [speakWav];

  constructor() {
    this.server = createServer((request, response) => void this.serve(request, response));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
    const call = { path: request.url ?? '', authorization: request.headers.authorization, body };
    this.calls.push(call);
    const respond = this.responses.length > 1 ? this.responses.shift()! : this.responses[0]!;
    respond(response, call);
  }
}

/** Two seconds of a tone whose pitch depends on everything in the request, as 24 kHz WAV, mislabelled on purpose. */
export function speakWav(response: ServerResponse, { body }: SpeechCall): void {
  response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(wav(body));
}

/** The same as servers write it that do not know the length when they begin: both lengths are 2^32 - 1. */
export function speakEndlessWav(response: ServerResponse, { body }: SpeechCall): void {
  const bytes = wav(body);
  bytes.writeUInt32LE(0xffff_ffff, 4);
  bytes.writeUInt32LE(0xffff_ffff, 40);
  response.writeHead(200, { 'content-type': 'audio/wav' }).end(bytes);
}

/** What a server sends that fails while it speaks: the header promises two seconds, one is there. */
export function speakHalf(response: ServerResponse, { body }: SpeechCall): void {
  const bytes = wav(body);
  response.writeHead(200, { 'content-type': 'audio/wav' }).end(bytes.subarray(0, bytes.length / 2));
}

/** Two seconds in which nothing can be heard. */
export function speakSilence(response: ServerResponse, { body }: SpeechCall): void {
  response.writeHead(200, { 'content-type': 'audio/wav' }).end(wav(body).fill(0, 44));
}

/** A refusal in the shape of OpenAI and vLLM. */
export const refuseLikeOpenAi =
  (status: number, headers: Record<string, string> = {}): ClientResponse =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(
      JSON.stringify({
        error: { message: 'the model is not here', type: 'invalid_request_error', param: null, code: null },
      }),
    );

/** A refusal in the shape of Kokoro-FastAPI. */
export const refuseLikeKokoro =
  (status: number): ClientResponse =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        detail: {
          error: 'validation_error',
          message: 'the voice is not here',
          type: 'invalid_request_error',
        },
      }),
    );

function wav(requested: object): Buffer {
  const rate = 24_000;
  const samples = rate * 2;
  const hz =
    110 + ([...JSON.stringify(requested)].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 200);
  const bytes = Buffer.alloc(44 + samples * 2);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + samples * 2, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples * 2, 40);
  for (let n = 0; n < samples; n++)
    bytes.writeInt16LE(Math.round(12_000 * Math.sin((2 * Math.PI * hz * n) / rate)), 44 + 2 * n);
  return bytes;
}
