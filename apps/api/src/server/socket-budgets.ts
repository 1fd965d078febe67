import { mainThreadMs } from '@app/domain/common/processor-time';
import { SpentShares } from '@app/domain/common/spent-shares';
import { DomainError } from '@app/domain/errors';
import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { FrameHeads } from './frame-heads';
import { HeldBody, type BodyOwner } from './held-body';
import { isTooSlow, type UnfinishedBody } from './slow-bodies';

declare module 'fastify' {
  interface FastifyInstance {
    socketBudgets: SocketBudgets;
  }
}

const WINDOW_MS = 10_000;
/** The tokens of a language model, for as many conversations as a large account has at once. */
const MAX_FRAMES = 20_000;
/** A fifth of the event loop. */
const MAX_LOOP_MS = 2_000;
/** Enough to say who the client is. */
const MAX_STRANGER_BYTES = 64 * 1024;

/** What the clients of WebSockets make a process do: the shares of accounts, and of networks without a credential. */
export class SocketBudgets {
  readonly frames = new SpentShares({ perOwner: MAX_FRAMES, windowMs: WINDOW_MS });
  readonly loopMs = new SpentShares({ perOwner: MAX_LOOP_MS, windowMs: WINDOW_MS });

  /** @param ownerOf who has a share of the memory for bodies */
  constructor(readonly ownerOf: (request: FastifyRequest) => BodyOwner) {}

  /**
   * Counts all that arrives on an accepted connection. Where its client has no more share, nothing more is read of it.
   *
   * @param refuse ends the socket with the refusal
   */
  watch(request: FastifyRequest, webSocket: WebSocket, refuse: (refusal: DomainError) => void): SocketBudget {
    return new SocketBudget(this, request, webSocket, refuse);
  }
}

/** What one WebSocket takes of its owner's share. */
export class SocketBudget implements UnfinishedBody {
  since: UnfinishedBody['since'];
  private readonly heads = new FrameHeads();
  private owner: BodyOwner;
  private held: HeldBody;
  /** Bytes of messages that were read, and are still needed. */
  private needed = 0;
  private isRefused = false;

  constructor(
    private readonly budgets: SocketBudgets,
    private readonly request: FastifyRequest,
    private readonly webSocket: WebSocket,
    private readonly refuse: (refusal: DomainError) => void,
  ) {
    this.owner = budgets.ownerOf(request);
    this.held = new HeldBody(this.owner);
    this.since = { ms: performance.now(), bytes: this.bytesRead };
    // Before `ws` reads it.
    request.raw.socket.prependListener('data', (chunk: Buffer) => this.read(chunk));
    webSocket.once('close', () => this.held.endAll());
  }

  get bytesRead(): number {
    return this.request.raw.socket.bytesRead;
  }

  get isWaitingForUs(): boolean {
    return this.webSocket.isPaused;
  }

  /** From now on, what it takes is its account's. */
  admit(): void {
    this.held.endAll();
    this.owner = this.budgets.ownerOf(this.request);
    this.held = new HeldBody(this.owner);
    this.hold(this.needed);
  }

  /** Says how many bytes of what was read are still needed. */
  hold(bytes: number): void {
    this.needed = bytes;
    this.within(() => this.held.hold(this.heads.unfinished + bytes));
  }

  /** Counts what work on a message takes of the event loop, by the processor: that a machine is busy is not the client's. */
  time(work: () => void): void {
    const before = mainThreadMs();
    try {
      work();
    } finally {
      this.within(() => this.spend('loopMs', mainThreadMs() - before, 'messages_too_costly'));
    }
  }

  /** Ends it when a message takes too long to arrive. To be called now and then. */
  check(nowMs: number): void {
    if (this.heads.unfinished === 0) this.since = { ms: nowMs, bytes: this.bytesRead };
    else if (isTooSlow(this, nowMs)) this.end(new DomainError('request_timeout'));
  }

  private read(chunk: Buffer): void {
    if (this.isRefused) {
      this.webSocket.pause();
      return;
    }
    const { heads } = this;
    const { frames, messages } = heads;
    heads.read(chunk);
    if (heads.messages > messages) this.since = { ms: performance.now(), bytes: this.bytesRead };
    this.within(() => {
      this.spend('frames', heads.frames - frames, 'too_many_messages');
      if (!this.request.caller && heads.unfinished > MAX_STRANGER_BYTES)
        throw new DomainError('first_message_too_large', { limit: MAX_STRANGER_BYTES });
      this.held.hold(heads.unfinished + this.needed);
    });
  }

  private spend(
    of: 'frames' | 'loopMs',
    amount: number,
    code: 'too_many_messages' | 'messages_too_costly',
  ): void {
    const { id, whose } = this.owner;
    const { perOwner: limit, windowMs } = this.budgets[of].bounds;
    if (this.budgets[of].spend(id, amount, performance.now())) return;
    throw new DomainError(code, { whose, limit, secs: windowMs / 1_000 });
  }

  private within(count: () => void): void {
    try {
      count();
    } catch (error) {
      this.end(error as DomainError);
    }
  }

  /** Its client may still read why; what it sends is no longer taken from the machine. */
  private end(refusal: DomainError): void {
    this.isRefused = true;
    this.webSocket.pause();
    this.refuse(refusal);
  }
}
