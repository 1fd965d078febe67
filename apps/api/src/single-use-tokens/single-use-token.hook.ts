import { clientOf } from '@app/auth/client-of';
import { FailedCredentials } from '@app/auth/failed-credentials';
import { hookRoutes, isForKeys, type Admission, type RouteHooks } from '@app/auth/route-hooks';
import { MovedCredentials } from '@app/auth/moved-credentials';
import { AppConfig } from '@app/config/app-config';
import type { SingleUseToken } from '@app/database/keys/single-use-token.entity';
import { DomainError } from '@app/domain/errors';
import { toError } from '@app/gates/gate';
import { TOKEN_TYPES } from '@app/domain/keys/single-use-token';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { SingleUseTokenVerifier } from './single-use-token.verifier';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request came with instead of a key, once it has been verified. */
    singleUseToken?: SingleUseToken;
    /** Whether that is used up by this request. */
    tokenUsed?: boolean;
  }
}

/** What is not found, expired, used, for something else, or of a key that is not in use: the response does not say which. */
const notValid = () => new DomainError('invalid_single_use_token');

/**
 * Admits requests that come with a single-use token instead of a key.
 *
 * A token is used up after every gate and before the operation, by one statement: of several requests at once, one gets
 * it. It is returned when that request is refused or fails, because then it has had no effect.
 */
@Injectable()
export class SingleUseTokenHook {
  constructor(
    private readonly verifier: SingleUseTokenVerifier,
    private readonly config: AppConfig,
    private readonly failures: FailedCredentials,
    private readonly moved: MovedCredentials,
  ) {}

  /** Must run before the hook of keys and before routes are registered. */
  protect(fastify: FastifyInstance): void {
    hookRoutes(fastify, (route) => {
      if (!isForKeys(route.config?.access)) return undefined;
      const admit: Admission = (request) => {
        if (request.headers['xi-api-key'] !== undefined) return undefined;
        const input = presentedTokens(request);
        return input.length === 0 ? undefined : this.admit(request, input);
      };
      return takesTokens(route) ? { admit, ...this.usingUp() } : { admit };
    });
  }

  /**
   * Verifies the key of a used token again, for what continues after its request began.
   *
   * @throws DomainError when the key is not admitted any more
   */
  async admitAgain({ singleUseToken: token, clientAddress = null }: FastifyRequest): Promise<void> {
    const decision = token && (await this.verifier.decide(token, clientAddress));
    if (decision && !decision.allowed) throw notValid();
  }

  /** What runs around the operations that take tokens. */
  private usingUp(): RouteHooks {
    return {
      preHandler: (request, _reply, done) => {
        if (!request.singleUseToken) return done();
        this.useUp(request).then((refusal) => done(refusal), done);
      },
      onSend: (request, reply, _payload, done) => {
        const { tokenUsed, singleUseToken: token } = request;
        if (!token || !tokenUsed || reply.statusCode < 400) return done();
        void this.verifier.release(token).finally(done);
      },
    };
  }

  private async admit(request: FastifyRequest, input: unknown[]): Promise<DomainError | undefined> {
    const [credential] = input;
    if (typeof credential !== 'string' || input.some((other) => other !== credential)) return notValid();
    const address = clientOf(request, this.config);
    const refusal = this.failures.refusal(address);
    if (refusal) return refusal;
    const verified = await this.verifier.verify(credential, operationOf(request), address);
    if (!verified) {
      const elsewhere = await this.moved.refusal('single-use token', credential);
      if (elsewhere) return elsewhere;
      this.failures.note(address);
      return notValid();
    }
    const { token, decision } = verified;
    request.clientAddress = address;
    request.decision = decision;
    if (!decision.allowed) {
      const isSafe = decision.gate === 'scope' || decision.code === 'service_unavailable';
      return isSafe ? toError(decision) : notValid();
    }
    request.caller = decision.key;
    request.singleUseToken = token;
    return undefined;
  }

  /** Uses the token of an admitted request up, if it came with one. */
  async useUp(request: FastifyRequest): Promise<DomainError | undefined> {
    const { params, body, singleUseToken: token } = request;
    if (!token) return undefined;
    const named = { ...(body as object | null), ...(params as object) };
    if (!(await this.verifier.use(token, named, request.headers.range !== undefined))) return notValid();
    request.tokenUsed = true;
    return undefined;
  }
}

/** Whether there are tokens for an operation; where there are none, `admit` lets no token in. */
function takesTokens({ method, url }: RouteOptions): boolean {
  const operations = [method].flat().map((name) => `${name} ${url}`);
  return Object.values(TOKEN_TYPES).some(({ routes }) => routes.some((route) => operations.includes(route)));
}

/** Every token that a request carries, wherever it does. */
export function presentedTokens({ query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): unknown[] {
  const { single_use_token: byLongName, token } = query as Record<string, unknown>;
  return [byLongName, token, headers['xi-single-use-token']].filter((input) => input !== undefined);
}

function operationOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${routeOptions.url}`;
}
