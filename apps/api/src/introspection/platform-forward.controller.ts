import { clientOf, isFromTrustedProxy } from '@app/auth/client-of';
import { AppConfig } from '@app/config/app-config';
import { DomainError } from '@app/domain/errors';
import { findForwardRule } from '@app/domain/keys/forward-rules';
import { readForwardedRequest } from '@app/domain/traffic/forwarded-request';
import { toError } from '@app/gates/gate';
import { All, Controller, HttpCode, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequireServiceCredential } from '../http/route-access';
import { IntrospectionService, type IntrospectionQuery } from './introspection.service';

const ROUTE = '/introspect/forward';
const CREDENTIAL = { credentialHeader: 'x-greenroom-service' };
const BEARER = /^Bearer +([^ ]+) *$/i;

/** The same as in the headers. */
export interface ForwardResponse {
  account_id: string;
  key_id: string;
  /** Null when nothing limits them. */
  credits_left: number | null;
}

/** For reverse proxies: whether a customer's request may pass, by its status alone. */
@Controller('introspect')
export class PlatformForwardController {
  constructor(
    private readonly introspection: IntrospectionService,
    private readonly config: AppConfig,
  ) {}

  /**
   * The customer's request is read from `x-forwarded-method`, `-uri`, `-host` and `-for` (or `x-original-method` and `-uri`), its
   * key from `xi-api-key` or `Authorization: Bearer`. What it needs and costs says the service's rule for it. Any method does.
   * 200 passes the request; any other status is the customer's.
   */
  @All('forward') // Check a request that a reverse proxy forwards, and charge for it
  @HttpCode(200)
  @RequireServiceCredential(CREDENTIAL)
  async forward(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ForwardResponse> {
    const found = await this.introspection.introspect(this.toQuery(request), request.service!.name);
    if (!found.active) throw toError({ ...found, options: { retryAfterSecs: found.retryAfterSecs } });
    const { key, creditsRemaining } = found;
    reply.header('x-greenroom-account', key.accountId);
    reply.header('x-greenroom-key', key.keyId);
    reply.header('x-greenroom-credits-left', creditsRemaining ?? 'unlimited');
    return { account_id: key.accountId, key_id: key.keyId, credits_left: creditsRemaining };
  }

  /** The same for Envoy, which appends the customer's path. */
  @All('forward/*')
  @HttpCode(200)
  @RequireServiceCredential(CREDENTIAL)
  async forwardAppended(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ForwardResponse> {
    return this.forward(request, reply);
  }

  /** @throws DomainError for what lets no request pass */
  private toQuery(request: FastifyRequest): IntrospectionQuery {
    const { headers, method, url, id, service } = request;
    if (!isFromTrustedProxy(request, this.config))
      throw new DomainError('proxy_not_trusted', { address: request.socket.remoteAddress ?? 'unknown' });
    const read = readForwardedRequest({ method, headers, suffix: url.slice(ROUTE.length) });
    if (!read.ok) throw new DomainError('bad_request', { reason: read.reason });
    const rule = findForwardRule(service!.forwardRules, read.value);
    if (!rule) throw notListed(read.value);
    return {
      token: keyOf(request),
      digest: null,
      // Without the header, the address would be that of the proxy.
      address: headers['x-forwarded-for'] === undefined ? null : clientOf(request, this.config),
      target: rule.scope,
      cost: rule.cost,
      operation: rule.scope ?? 'forwarded',
      requestId: id,
      holdSecs: undefined,
      endUser: null,
      // It is in the body, which a proxy does not send.
      modelId: null,
    };
  }
}

/** @throws DomainError when there is no key */
function keyOf({ headers }: FastifyRequest): string {
  const { authorization, 'xi-api-key': key = BEARER.exec(authorization ?? '')?.[1] } = headers;
  if (key !== undefined) return String(key);
  throw new DomainError(authorization === undefined ? 'missing_api_key' : 'invalid_api_key');
}

function notListed({ method, path }: { method: string; path: string }): DomainError {
  return new DomainError('forwarded_request_not_listed', { method, path: path.slice(0, 200) });
}
