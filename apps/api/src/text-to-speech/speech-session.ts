import { id3Length } from '@app/audio/codecs/tags';
import type { ApiKeyHook } from '@app/auth/api-key.hook';
import { formatIpAddress } from '@app/domain/addresses/ip-address';
import { DomainError } from '@app/domain/errors';
import type { Caller } from '@app/domain/keys/caller';
import { toError, type GenerationUse } from '@app/gates/gate';
import type { GateStores } from '@app/gates/gate-stores';
import { OPERATION, pass } from '@app/gates/gates';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as wait } from 'node:timers/promises';
import { takeEndUser } from '../http/end-user';
import { newRequestId } from '../http/request-id';
import type { TrafficRecorder } from '../observed-traffic/traffic-recorder';
import type { SingleUseTokenHook } from '../single-use-tokens/single-use-token.hook';
import type { SpokenPart } from './speech';
import type { SpeechContext, Utterance } from './speech-context';
import type { SocketCredential, SpeechSocketOptions } from './speech-message';
import type { SocketSession } from './speech-socket';
import { toAudioLines } from './speech-socket-audio';
import type { TextToSpeechService } from './text-to-speech.service';

/** Other texts of the account have so long to end before one more is refused. */
const SLOT_WAIT_MS = 10_000;
const SLOT_PAUSE_MS = 100;

interface Services {
  speeches: TextToSpeechService;
  stores: GateStores;
  keys: ApiKeyHook;
  tokens: SingleUseTokenHook;
  traffic: TrafficRecorder;
}

/** One of the places that there are for sockets: of its network until its client is known. */
export interface SocketPlace {
  /** Takes one of the account instead. @throws DomainError */
  admit(accountId: string): void;
  release(): void;
}

/** The client of a socket: who it is, and each of its texts as its own request. */
export class SpeechSession implements SocketSession {
  private charged = 0;
  /** Texts behind the first of a context are the rest of one recording, in the middle of which no tag belongs. */
  private readonly begun = new WeakSet<SpeechContext>();
  private isOver = false;

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly options: SpeechSocketOptions,
    private readonly services: Services,
    private readonly place: SocketPlace,
  ) {}

  get requestId(): string {
    return this.request.id;
  }

  get isAdmitted(): boolean {
    return this.request.caller !== undefined;
  }

  /**
   * Admits the client by what its handshake carries; without anything, its first message has to.
   *
   * @throws DomainError, ValidationProblem for a wrong end user
   */
  async admitHandshake(): Promise<void> {
    const { credential } = this.options;
    takeEndUser(this.request);
    if (this.isAdmitted || credential) await this.admit(credential);
  }

  async admit(credential: SocketCredential | null): Promise<void> {
    const { request } = this;
    if (!request.caller) await this.admitLater(credential);
    if (!request.caller) throw new DomainError('missing_api_key');
    const { voiceId, input } = this.options;
    const caller = this.callerFor(new AbortController().signal);
    await this.services.speeches.requireSpeakable(caller, voiceId, input);
    if (this.isOver) throw new DomainError('client_gone');
    this.place.admit(request.caller.accountId);
  }

  /** @throws DomainError when its key is not admitted any more */
  async admitAgain(): Promise<void> {
    const { request, services } = this;
    if (!request.caller) return;
    await (request.singleUseToken ? services.tokens : services.keys).admitAgain(request);
  }

  async speak(
    { context, text }: Utterance,
    signal: AbortSignal,
    send: (line: string) => Promise<void>,
  ): Promise<void> {
    await this.admitAgain();
    const caller = this.callerFor(signal);
    const use: GenerationUse = { ...caller, generates: true, generation: null };
    try {
      await this.takeSlot(use, signal);
      await this.speakAs(caller, context, text, send);
    } catch (error) {
      if (error instanceof DomainError)
        this.services.traffic.recordText(this.request, error, caller.requestId);
      throw error;
    } finally {
      await this.services.stores.slots.freeAll(use.generation?.slots);
    }
  }

  end(): void {
    this.isOver = true;
    this.place.release();
  }

  private async speakAs(
    caller: Caller,
    context: SpeechContext,
    text: string,
    send: (line: string) => Promise<void>,
  ): Promise<void> {
    const { speeches } = this.services;
    const { voiceId, input } = this.options;
    const { settings } = context.chosen;
    const speech = await speeches.prepare(caller, voiceId, { ...input, text, settings });
    const stream = await speeches.startStream(caller, speech, {
      admit: () => this.admitAgain(),
      write: (part) => this.write(part, context),
    });
    try {
      for await (const lines of stream)
        for (const line of String(lines).trimEnd().split('\n')) await send(line);
    } finally {
      stream.destroy();
      await stream.settled;
    }
  }

  private write(part: SpokenPart, context: SpeechContext): Uint8Array {
    const { input, isMulti } = this.options;
    this.charged += part.piece.characters;
    const contextId = isMulti ? context.id : null;
    const { bytes } = part.spoken;
    const rest = this.begun.has(context) ? { bytes: bytes.subarray(id3Length(bytes)) } : null;
    this.begun.add(context);
    return toAudioLines(
      { ...part, spoken: { ...part.spoken, ...rest } },
      { format: input.format, contextId },
    );
  }

  /** Takes the request that opened the socket through what admits any other, with what its first message names. */
  private async admitLater(credential: SocketCredential | null): Promise<void> {
    const { request, reply } = this;
    if (credential && 'key' in credential) request.headers['xi-api-key'] = credential.key;
    if (credential && 'token' in credential) request.headers['xi-single-use-token'] = credential.token;
    const { admitLater } = request.routeOptions.config;
    const refusal = (await admitLater?.(request, reply)) ?? (await this.services.tokens.useUp(request));
    if (refusal) throw refusal;
  }

  private callerFor(signal: AbortSignal): Caller {
    const { caller: key, clientAddress, ownOrigin, singleUseToken, endUser } = this.request;
    if (!key) throw new DomainError('missing_api_key');
    const maxCredits = singleUseToken?.maxCredits ?? null;
    return {
      key,
      address: clientAddress ? formatIpAddress(clientAddress) : null,
      // Each text is charged, and stands in the history, separately.
      requestId: newRequestId(),
      origin: ownOrigin,
      maxCredits: maxCredits === null ? null : Math.max(0, maxCredits - this.charged),
      endUser: endUser ?? null,
      signal,
    };
  }

  /** A text waits a while for others of its account: a conversation would otherwise end because two of them met. */
  private async takeSlot(use: GenerationUse, signal: AbortSignal): Promise<void> {
    const untilMs = performance.now() + SLOT_WAIT_MS;
    for (;;) {
      const refusal = await pass(OPERATION.generating, use, this.services.stores);
      if (!refusal) return;
      use.generation = null;
      if (performance.now() > untilMs) throw toError(refusal);
      await wait(SLOT_PAUSE_MS, undefined, { signal });
    }
  }
}
