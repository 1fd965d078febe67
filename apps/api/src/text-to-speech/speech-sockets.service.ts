import { ApiKeyHook } from '@app/auth/api-key.hook';
import { HeldShares } from '@app/domain/common/held-shares';
import { DomainError } from '@app/domain/errors';
import { GateStores } from '@app/gates/gate-stores';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as wait } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { maxCharactersOf } from '../models/speech-models';
import { TrafficRecorder } from '../observed-traffic/traffic-recorder';
import { SingleUseTokenHook } from '../single-use-tokens/single-use-token.hook';
import type { SpeechSocketOptions } from './speech-message';
import { SpeechSession, type SocketPlace } from './speech-session';
import { SpeechSocket } from './speech-socket';
import { TextToSpeechService } from './text-to-speech.service';

/** How often it is looked whether a socket has waited for too long, or its key was changed. */
const CHECK_EVERY_MS = 500;
/** How long sockets may speak when the process has to stop. */
const SHUTDOWN_MS = 5_000;
const SHARE_OF_ACCOUNTS = { perOwner: 200, inAll: 2_000 };
const NOTHING = () => undefined;

interface OpenSocket {
  webSocket: WebSocket;
  socket: SpeechSocket;
  session: SpeechSession;
}

/** The speech sockets of this process: how many there are, and until when. */
@Injectable()
export class SpeechSocketsService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(SpeechSocketsService.name);
  private readonly sockets = new Set<OpenSocket>();
  private readonly ofAccounts = new HeldShares(SHARE_OF_ACCOUNTS);
  private timer: NodeJS.Timeout | undefined;
  private isStopping = false;

  constructor(
    private readonly speeches: TextToSpeechService,
    private readonly stores: GateStores,
    private readonly keys: ApiKeyHook,
    private readonly tokens: SingleUseTokenHook,
    private readonly traffic: TrafficRecorder,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.check(), CHECK_EVERY_MS).unref();
  }

  /** What is being spoken is finished, if that does not take long. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    for (const { socket } of this.sockets) socket.endForRestart();
    const endsAtMs = performance.now() + SHUTDOWN_MS;
    while (this.sockets.size > 0 && performance.now() < endsAtMs) await wait(20);
    for (const { webSocket } of this.sockets) webSocket.terminate();
  }

  /**
   * Accepts a socket, in place of a response. Its client is admitted already, or by its first message.
   *
   * @throws DomainError
   */
  async open(request: FastifyRequest, reply: FastifyReply, options: SpeechSocketOptions): Promise<void> {
    const { acceptWebSocket } = request.raw;
    if (!acceptWebSocket) throw new DomainError('web_socket_required');
    if (this.isStopping) throw new DomainError('service_unavailable');
    const { speeches, stores, keys, tokens, traffic } = this;
    const services = { speeches, stores, keys, tokens, traffic };
    const session = new SpeechSession(request, reply, options, services, this.placeFor(request));
    try {
      await session.admitHandshake();
      const webSocket = await acceptWebSocket();
      reply.hijack();
      this.serve(request, webSocket, session, options);
    } catch (error) {
      session.end();
      throw error;
    }
  }

  private serve(
    request: FastifyRequest,
    webSocket: WebSocket,
    session: SpeechSession,
    options: SpeechSocketOptions,
  ): void {
    const share = request.server.socketBudgets.watch(request, webSocket, (refusal) => socket.fail(refusal));
    const socket = new SpeechSocket(webSocket, session, share, {
      ...options,
      maxCharacters: maxCharactersOf(options.input.modelId),
      scripts: this.speeches.scripts,
      onFailure: (refusal) => this.log(refusal, session),
    });
    const open = { webSocket, socket, session };
    this.sockets.add(open);
    webSocket.once('close', () => {
      this.sockets.delete(open);
      session.end();
    });
  }

  /** Until its client is known, a socket has a place of its network: see `StrangerSockets`. */
  private placeFor(request: FastifyRequest): SocketPlace {
    let release: () => void = NOTHING;
    return {
      admit: (accountId) => {
        release = this.takePlace(accountId);
        request.raw.leaveNetwork?.();
      },
      release: () => {
        release();
        release = NOTHING;
      },
    };
  }

  private takePlace(accountId: string): () => void {
    const shares = this.ofAccounts;
    const full = shares.take(accountId, 1);
    if (full === 'all') throw new DomainError('system_busy');
    if (full === 'owner')
      throw new DomainError('too_many_sockets', { owner: accountId, limit: shares.bounds.perOwner });
    return () => shares.release(accountId, 1);
  }

  private async check(): Promise<void> {
    const nowMs = performance.now();
    for (const { socket } of this.sockets) socket.check(nowMs);
    for (const { socket, session } of this.sockets) {
      // What the database does not say now is decided before the next text is spoken.
      await session.admitAgain().catch((error: unknown) => {
        if (error instanceof DomainError) socket.fail(error);
      });
    }
  }

  private log(refusal: DomainError, { requestId }: SpeechSession): void {
    const { code, message, options } = refusal;
    const cause = options.cause instanceof Error ? options.cause : undefined;
    const level = code === 'internal_error' ? 'error' : 'log';
    this.logger[level](`A speech socket ends: ${cause?.message ?? message}`, {
      requestId,
      code,
      ...(code === 'internal_error' && { stack: cause?.stack }),
    });
  }
}
