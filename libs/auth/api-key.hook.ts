import { AppConfig } from '@app/config/app-config';
import { DomainError } from '@app/domain/errors';
import type { IpAddress } from '@app/domain/addresses/ip-address';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import type { Permission } from '@app/domain/keys/permissions';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientOf } from './client-of';
import { FailedCredentials } from './failed-credentials';
import { KeyVerifier, type Decision } from './key-verifier';
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
  ) {}

  /** Must run before routes are registered. */
  protect(fastify: FastifyInstance): void {
    hookRoutes(fastify, ({ config }) => {
      const access = config?.access;
      // Routes for staff and for services have hooks of their own.
      if (!isForKeys(access)) return undefined;
      const permission = access === 'any_key' ? null : access;
      return {
        // A single-use token stands for the key.
        admit: (request) => (request.caller ? undefined : this.admit(request, permission)),
      };
    });
  }

  private admit(request: FastifyRequest, permission: Permission | null): ReturnType<Admission> {
    const { authorization, 'xi-api-key': credential } = request.headers;
    if (credential === undefined) return refuseWithoutKey(authorization);
    const address = clientOf(request, this.config);
    request.clientAddress = address;
    const question = { credential: String(credential), address, permission };
    const known = this.verifier.verifyCached(question);
    if (known) return settle(request, known);
    const refusal = this.failures.refusal(address);
    if (refusal && !this.verifier.hasFound(question.credential)) return refusal;
    return this.verifier.verify(question).then((decision) => {
      if (!decision.allowed && decision.gate === 'credential') this.failures.note(address);
      return settle(request, decision);
    });
  }
}

function refuseWithoutKey(authorization: string | undefined): DomainError {
  if (authorization) return new DomainError('invalid_authorization_header');
  return new DomainError('missing_api_key');
}

function settle(request: FastifyRequest, decision: Decision): DomainError | undefined {
  request.decision = decision;
  if (!decision.allowed) return new DomainError(decision.code, decision.params);
  request.caller = decision.key;
  return undefined;
}
