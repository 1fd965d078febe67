import { AppConfig } from '@app/config/app-config';
import { SingleUseTokenRepository } from '@app/database/keys/single-use-token.repository';
import { digestSecret, generateSecret } from '@app/domain/keys/api-key-secret';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { DomainError } from '@app/domain/errors';
import { toError } from '@app/gates/gate';
import { formatIpAddress, type IpAddress } from '@app/domain/addresses/ip-address';
import { ARRIVAL, pass } from '@app/gates/gates';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import { MAX_LIVE_TOKENS } from '@app/domain/keys/key-grants';
import { hasPermission } from '@app/domain/keys/permissions';
import { TOKEN_TYPES, type TokenPin, type TokenType } from '@app/domain/keys/single-use-token';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { Caller } from '@app/domain/keys/caller';

/** What a token is bound to, beyond its operation; null for nothing. */
export interface NewToken {
  /** The only address of a client that may use it. */
  address: IpAddress | null;
  /** The most that its request may cost. */
  maxCredits: number | null;
  /** The only preview or voice that its request may work on. */
  pins: Record<TokenPin, string | null>;
}

/** Makes tokens with which a page can call one operation once, without the key. */
@Injectable()
export class SingleUseTokensService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly tokens: SingleUseTokenRepository,
    private readonly config: AppConfig,
  ) {}

  /** A new token. Shown once: only its digest is stored. */
  async create({ key }: Caller, type: TokenType, requested: NewToken): Promise<string> {
    const { permission } = TOKEN_TYPES[type];
    if (!hasPermission(key.permissions, permission))
      throw new DomainError('insufficient_permissions', { permission });
    const { address } = requested;
    if (address) requireListed(key, address);
    const token = generateSecret('single_use_token', randomBytes, this.config.cell);
    const stored = {
      digest: digestSecret(token),
      keyId: key.keyId,
      secretNumber: key.secretNumber,
      type,
      address: address && formatIpAddress(address),
      maxCredits: requested.maxCredits,
      pinnedId: pinnedIdOf(type, requested.pins),
    };
    const used = await this.dataSource.transaction((em) => this.tokens.insert(stored, MAX_LIVE_TOKENS, em));
    if (used >= MAX_LIVE_TOKENS)
      throw new DomainError('single_use_token_limit_reached', { used, limit: MAX_LIVE_TOKENS });
    return token;
  }
}

/** @throws InvalidInput when a token is to be bound to what its operation does not name */
function pinnedIdOf(type: TokenType, pins: NewToken['pins']): string | null {
  const { pin } = TOKEN_TYPES[type];
  const useless = (['generated_voice_id', 'voice_id'] as const).filter(
    (field) => field !== pin && pins[field] !== null,
  );
  if (useless.length === 0) return pin && pins[pin];
  throw new InvalidInput(
    useless.map((field) => ({
      type: 'value_error',
      path: [field],
      msg: `Value error, the operation of a token ${type} names no ${field}`,
      input: pins[field],
    })),
  );
}

/** @throws DomainError `ip_not_allowed` for an address from which the key, and so its token, could never be used */
function requireListed(key: VerifiableKey, address: IpAddress): void {
  const refusal = pass(ARRIVAL.key, { key, address, permission: null, nowMs: Date.now() });
  if (refusal) throw toError({ ...refusal, options: { param: 'address' } });
}
