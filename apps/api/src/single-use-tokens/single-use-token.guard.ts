import { clientOf } from '@app/auth/client-of';
import type { Decision } from '@app/auth/key-verifier';
import { AppConfig } from '@app/config/app-config';
import type { SingleUseToken } from '@app/database/entities/single-use-token.entity';
import { ApiKeyRepository } from '@app/database/repositories/api-key.repository';
import { SingleUseTokenRepository } from '@app/database/repositories/single-use-token.repository';
import { compileAllowList } from '@app/domain/allow-list';
import { digestSecret, secretKind } from '@app/domain/api-key-secret';
import { DomainError } from '@app/domain/errors';
import { decide, type VerifiableKey } from '@app/domain/key-decision';
import { TOKEN_TYPES } from '@app/domain/single-use-token';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request came with instead of a key, once it has been verified. */
    singleUseToken?: SingleUseToken;
    /** Whether that is used up by this request. */
    tokenUsed?: boolean;
  }
}

/** What is not found, expired, used, for something else, or of a key that is not in use: the answer does not say which. */
const notValid = () => new DomainError('invalid_single_use_token');

/**
 * Verifies single-use tokens, for the requests that come without a key.
 *
 * A token is used up after every gate and before the operation, by one statement: of several requests at once, one gets
 * it. It is given back when that request is refused or fails, because then it has had no effect.
 */
@Injectable()
export class SingleUseTokenGuard {
  private readonly logger = new Logger(SingleUseTokenGuard.name);

  constructor(
    private readonly tokens: SingleUseTokenRepository,
    private readonly keys: ApiKeyRepository,
    private readonly config: AppConfig,
  ) {}

  /** Must run before the guard of keys and before routes are registered. */
  protect(fastify: FastifyInstance): void {
    fastify.decorateRequest('singleUseToken', undefined);
    fastify.decorateRequest('tokenUsed', undefined);
    fastify.addHook('onRequest', (request, _reply, done) => {
      const { access } = request.routeOptions.config;
      if (typeof access !== 'string' || access === 'public' || access === 'service') return done();
      if (request.headers['xi-api-key'] !== undefined) return done();
      const given = givenTokens(request);
      if (given.length === 0) return done();
      this.admit(request, given).then((refusal) => done(refusal), done);
    });
    fastify.addHook('preHandler', (request, _reply, done) => {
      const { singleUseToken: token } = request;
      if (!token) return done();
      this.use(token, request).then((refusal) => done(refusal), done);
    });
    fastify.addHook('onSend', (request, reply, _payload, done) => {
      const { tokenUsed, singleUseToken: token } = request;
      if (!token || !tokenUsed || reply.statusCode < 400) return done();
      void this.giveBack(token).finally(done);
    });
  }

  private async admit(request: FastifyRequest, given: unknown[]): Promise<DomainError | undefined> {
    const [credential] = given;
    const isOne = given.every((other) => other === credential) && typeof credential === 'string';
    if (!isOne || secretKind(credential) !== 'single_use_token') return notValid();
    const token = await this.tokens.findUsable(digestSecret(credential));
    if (!token || TOKEN_TYPES[token.type].route !== operationOf(request)) return notValid();
    const key = await this.keys.findVerifiable(token.keyId);
    if (!key) return notValid();
    request.clientAddress = clientOf(request, this.config);
    request.decision = judge(token, key, request);
    if (!request.decision.allowed) {
      const { gate, code, params } = request.decision;
      return gate === 'scope' ? new DomainError(code, params) : notValid();
    }
    request.caller = key;
    request.singleUseToken = token;
    return undefined;
  }

  private async use(token: SingleUseToken, request: FastifyRequest): Promise<DomainError | undefined> {
    if (token.pinnedId !== null && token.pinnedId !== namedId(token, request)) return notValid();
    if (!(await this.tokens.use(token.digest))) return notValid();
    request.tokenUsed = true;
    return undefined;
  }

  private async giveBack({ digest }: SingleUseToken): Promise<void> {
    try {
      await this.tokens.giveBack(digest);
    } catch (error) {
      this.logger.warn(`A token stays used although its request was refused: ${(error as Error).message}`);
    }
  }
}

/** Every token that a request carries, wherever it does. */
function givenTokens({ query, headers }: FastifyRequest): unknown[] {
  const { single_use_token: byLongName, token } = query as Record<string, unknown>;
  return [byLongName, token, headers['xi-single-use-token']].filter((given) => given !== undefined);
}

function operationOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${routeOptions.url}`;
}

/** The decision about the token's key, whose own allow-list was asked when the token was made. */
function judge(
  { type, address }: SingleUseToken,
  key: VerifiableKey,
  { clientAddress = null }: FastifyRequest,
): Decision {
  const allowList = address === null ? null : compileAllowList([address]);
  const use = { address: clientAddress, permission: TOKEN_TYPES[type].permission, nowMs: Date.now() };
  const decision = decide({ ...key, allowList }, use);
  return decision.allowed ? { allowed: true, key } : { ...decision, key };
}

/** What a request works on, by the name that the token's operation has for it. */
function namedId({ type }: SingleUseToken, { params, body }: FastifyRequest): unknown {
  const { pin } = TOKEN_TYPES[type];
  const named = { ...(body as object | null), ...(params as object) } as Record<string, unknown>;
  return pin && named[pin];
}
