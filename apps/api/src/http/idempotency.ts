import { IdempotencyRepository } from '@app/database/common/idempotency.repository';
import { SlotsByOwner, WaitedTooLongError } from '@app/domain/common/slots';
import { DomainError } from '@app/domain/errors';
import { createParamDecorator, Injectable, Logger, type ExecutionContext } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '@app/domain/keys/caller';

/** Visible ASCII: a UUID, or the same in quotation marks, as the header's draft wants it. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * How many of an account's transactions run at a time in a process: those that change the same account wait for each
 * other, and each holds a connection while it waits. A burst of one account leaves the rest of the pool to the others.
 */
const AT_A_TIME = 2;

/** Longer than a burst takes, and below what a client waits. */
const TURN_MS = 3_000;

/**
 * Returns the first response to a repeated request (draft-ietf-httpapi-idempotency-key-header): it is stored for a day,
 * in the transaction of its effect. Keys belong to an account. Refusals are not stored: nothing has happened.
 */
@Injectable()
export class IdempotentRequests {
  private readonly logger = new Logger(IdempotentRequests.name);
  private readonly turns = new SlotsByOwner(AT_A_TIME, TURN_MS);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly requests: IdempotencyRepository,
  ) {}

  /**
   * Performs a request, or returns the response that it got the first time.
   *
   * @param key without one, the request is just performed
   * @throws DomainError `idempotency_key_reused` when the key was used for something else; `service_unavailable` when its
   *   turn among the account's requests did not come
   */
  async perform<T extends object>(
    caller: Caller,
    key: string | null,
    request: object,
    perform: (em: EntityManager) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.turns.run(caller.key.accountId, () =>
        this.dataSource.transaction((em) => this.performIn(em, caller, key, request, () => perform(em))),
      );
    } catch (cause) {
      if (!(cause instanceof WaitedTooLongError)) throw cause;
      throw new DomainError('service_unavailable', {}, { cause });
    }
  }

  /** The same within a transaction that does more. */
  async performIn<T extends object>(
    em: EntityManager,
    { key: { accountId } }: Caller,
    key: string | null,
    request: object,
    perform: () => Promise<T>,
  ): Promise<T> {
    if (key === null) return perform();
    const earlier = await this.claim(accountId, key, request, em);
    if (earlier?.response) return earlier.response as T;
    const response = await perform();
    await this.requests.remember(accountId, key, response, em);
    return response;
  }

  /**
   * Begins a request that takes longer than a transaction should. The key is claimed before it, and its response stored after
   * it: one whose process died between the two is not repeated.
   *
   * @returns the response that it got the first time; null when it is to be performed now, and then `store` or `release`
   * @throws DomainError `idempotency_key_reused`, `idempotency_key_claimed` while the first one is running
   */
  async begin<T extends object>(
    { key: { accountId } }: Caller,
    key: string,
    request: object,
  ): Promise<T | null> {
    const earlier = await this.claim(accountId, key, request);
    if (!earlier) return null;
    if (earlier.response) return earlier.response as T;
    throw new DomainError('idempotency_key_claimed', { key, since: earlier.createdAt.toISOString() });
  }

  /** A response that cannot be stored is sent all the same: its key stays claimed. */
  async store({ key: { accountId } }: Caller, key: string, response: object): Promise<void> {
    await this.requests.remember(accountId, key, response).catch((error: unknown) => {
      this.logger.error(`A response is not stored for its Idempotency-Key: ${String(error)}`);
    });
  }

  /** After a refusal: nothing has happened, and the same request may be sent again. */
  async release({ key: { accountId } }: Caller, key: string): Promise<void> {
    await this.requests.release(accountId, key);
  }

  private async claim(accountId: string, key: string, request: object, em?: EntityManager) {
    const fingerprint = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    const earlier = await this.requests.claim(accountId, key, fingerprint, em);
    if (earlier && earlier.fingerprint !== fingerprint)
      throw new DomainError('idempotency_key_reused', { key });
    return earlier;
  }
}

/** The `Idempotency-Key` of a request; null without one. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext): string | null => {
  return readIdempotencyKey(context.switchToHttp().getRequest<FastifyRequest>());
});

/** @throws DomainError `bad_request` for one that is malformed */
export function readIdempotencyKey({ headers }: FastifyRequest): string | null {
  const input = headers['idempotency-key'];
  if (input === undefined) return null;
  if (typeof input === 'string' && KEY.test(input)) return input;
  const reason =
    'The header Idempotency-Key should be 1 to 255 visible ASCII characters, for example a UUID.';
  throw new DomainError('bad_request', { reason }, { param: 'Idempotency-Key' });
}
