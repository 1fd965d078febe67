import { AppConfig } from '@app/config/app-config';
import { DomainError } from '@app/domain/errors';
import { toError } from '@app/gates/gate';
import type { IpAddress } from '@app/domain/addresses/ip-address';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import type { Permission } from '@app/domain/keys/permissions';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { clientOf } from './client-of';
import { FailedCredentials } from './failed-credentials';
import { KeyVerifier, type Decision } from './key-verifier';
import { MovedCredentials } from './moved-credentials';
import { hookRoutes, isForKeys, type Admission } from './route-hooks';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key that called; set on routes that need a permission, once it has been verified. */
    caller?: VerifiableKey;
    /** What was decided about the credential; set on routes that need a permission, once there is a credential. */
    decision?: Decision;
    /** Where such a request comes from; null when unknown. */
    clientAddress?: IpAddress | null;
  }
}

/**
 * Verifies the credential of a request before its body is read. What a route needs stands in its `access`, and a route
 * without one does not start.
 */
@Injectable()
export class ApiKeyHook {
  constructor(
    private readonly verifier: KeyVerifier,
    private readonly config: AppConfig,
    private readonly failures: FailedCredentials,
    private readonly moved: MovedCredentials,
  ) {}

  /** Must run before routes are registered. */
  protect(fastify: FastifyInstance): void {
    hookRoutes(fastify, (route) => {
      const access = route.config?.access;
      // Routes for staff and for services have their own hooks.
      if (!isForKeys(access)) return undefined;
      const permission = access === 'any_key' ? null : access;
      return {
        // A single-use token stands for the key.
        admit: (request) => (request.caller ? undefined : this.admit(request, permission)),
        ...(hasBody(route) && {
          preHandler: (request, _, done) => void this.admitAgain(request).then(() => done(), done),
        }),
      };
    });
  }

  /**
   * Verifies the credential again once the body has been read: a client that holds its body back would otherwise use a key for
   * as long as a request may take after it was disabled.
   *
   * @throws DomainError when the key is not admitted any more
   */
  async admitAgain(request: FastifyRequest): Promise<void> {
    const { access } = request.routeOptions.config;
    const credential = request.headers['xi-api-key'];
    // Of a single-use token nothing is left to verify.
    if (!isForKeys(access) || !request.decision || credential === undefined) return;
    const query = {
      credential: String(credential),
      address: request.clientAddress ?? null,
      permission: access === 'any_key' ? null : access,
    };
    const refusal = settle(request, await this.verifier.verifyAgain(query));
    if (refusal) throw refusal;
  }

  private admit(request: FastifyRequest, permission: Permission | null): ReturnType<Admission> {
    const { authorization, 'xi-api-key': credential } = request.headers;
    if (credential === undefined) return refuseWithoutKey(authorization);
    const address = clientOf(request, this.config);
    request.clientAddress = address;
    const query = { credential: String(credential), address, permission };
    const known = this.verifier.verifyCached(query);
    if (known) return this.settleOrRedirect(request, known);
    const refusal = this.failures.refusal(address);
    if (refusal && !this.verifier.hasFound(query.credential)) return refusal;
    return this.verifier.verify(query).then(async (decision) => {
      const refused = await this.settleOrRedirect(request, decision);
      if (refused?.code === 'invalid_api_key' && isUnnamed(decision)) this.failures.note(address);
      return refused;
    });
  }

  /** An unknown key may be one of another cell. */
  private settleOrRedirect(request: FastifyRequest, decision: Decision) {
    const refusal = settle(request, decision);
    if (!refusal || !isUnnamed(decision)) return refusal;
    const elsewhere = this.moved.refusal('API key', String(request.headers['xi-api-key']));
    return elsewhere instanceof Promise
      ? elsewhere.then((found) => found ?? refusal)
      : (elsewhere ?? refusal);
  }
}

const isUnnamed = (decision: Decision) => !decision.allowed && decision.gate === 'credential';

/** Fastify reads no body of other requests. */
function hasBody({ method }: RouteOptions): boolean {
  return [method].flat().some((each) => each !== 'GET' && each !== 'HEAD');
}

function refuseWithoutKey(authorization: string | undefined): DomainError {
  if (authorization) return new DomainError('invalid_authorization_header');
  return new DomainError('missing_api_key');
}

function settle(request: FastifyRequest, decision: Decision): DomainError | undefined {
  request.decision = decision;
  if (!decision.allowed) return toError(decision);
  request.caller = decision.key;
  return undefined;
}
