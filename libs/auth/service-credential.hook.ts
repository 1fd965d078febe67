import { AppConfig } from '@app/config/app-config';
import {
  ServiceCredentialRepository,
  type KnownService,
  type ServiceUse,
} from '@app/database/keys/service-credential.repository';
import { digestSecret, secretKind } from '@app/domain/keys/api-key-secret';
import { DomainError } from '@app/domain/errors';
import { formatIpAddress } from '@app/domain/addresses/ip-address';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CredentialReader } from './credential-reader';
import { clientOf } from './client-of';
import { FailedCredentials } from './failed-credentials';
import { hookRoutes, type Admission } from './route-hooks';

declare module 'fastify' {
  interface FastifyRequest {
    /** The service of the platform that calls; set on routes for services. */
    service?: KnownService;
  }
  interface FastifyContextConfig {
    /** Of a route for services: the header that has the credential, where `Authorization` may be the customer's. */
    credentialHeader?: string;
  }
}

const BEARER = /^Bearer +([^ ]+) *$/i;
const FLUSH_EVERY_MS = 1_000;

/** Admits the platform's own services to the routes that are for them, before the body is read. */
@Injectable()
export class ServiceCredentialHook {
  /** Revoked within the same bound as keys: the listener evicts from both on every change. */
  readonly credentials: CredentialReader<KnownService>;
  private readonly logger = new Logger(ServiceCredentialHook.name);
  private uses = new Map<string, ServiceUse>();

  constructor(
    private readonly repository: ServiceCredentialRepository,
    private readonly config: AppConfig,
    private readonly failures: FailedCredentials,
  ) {
    this.credentials = new CredentialReader({
      read: (digest) => repository.findByDigest(digest),
      idsOf: ({ id }) => [id],
      nowMs: Date.now,
      monotonicMs: () => performance.now(),
      maxEntries: 1_000,
    });
  }

  /** Must run before routes are registered. */
  protect(fastify: FastifyInstance): void {
    hookRoutes(fastify, ({ config }) =>
      config?.access === 'service'
        ? { admit: (request) => this.admit(request, config.credentialHeader) }
        : undefined,
    );
    const timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
    // After the last request and before the connections to the database are closed.
    fastify.addHook('onClose', async () => {
      clearInterval(timer);
      await this.flush();
    });
  }

  private admit(request: FastifyRequest, header: string | undefined): ReturnType<Admission> {
    const { authorization } = request.headers;
    const sent = header === undefined ? authorization : request.headers[header];
    if (!sent) return new DomainError('missing_service_credential');
    const secret = header === undefined ? (BEARER.exec(String(sent))?.[1] ?? '') : String(sent);
    if (secretKind(secret) !== 'service_credential') return new DomainError('invalid_service_credential');
    const digest = digestSecret(secret);
    const known = this.credentials.cached(digest);
    if (known !== undefined) return this.settle(request, known);
    const address = clientOf(request, this.config);
    const refusal = this.failures.refusal(address);
    if (refusal && !this.credentials.hasFound(digest)) return refusal;
    return this.credentials.read(digest).then((service) => {
      if (!service) this.failures.note(address);
      return this.settle(request, service);
    });
  }

  private settle(request: FastifyRequest, service: KnownService | null): DomainError | undefined {
    if (!service || service.disabled) return new DomainError('invalid_service_credential');
    request.service = service;
    this.noteUse(service.id, request);
    return undefined;
  }

  private noteUse(id: string, request: FastifyRequest): void {
    if (this.uses.has(id)) return;
    const address = clientOf(request, this.config);
    this.uses.set(id, { id, at: new Date(), address: address && formatIpAddress(address) });
  }

  /** Stores when and from where credentials were used: the first use of each second. What cannot be stored is dropped. */
  private async flush(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = [...this.uses.values()];
    this.uses = new Map();
    try {
      await this.repository.markUsed(uses);
    } catch (error) {
      this.logger.warn(`The last uses of services are not stored: ${(error as Error).message}`);
    }
  }
}
