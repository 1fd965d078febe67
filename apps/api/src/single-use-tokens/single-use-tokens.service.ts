import { SingleUseTokenRepository } from '@app/database/keys/single-use-token.repository';
import { digestSecret, generateSecret } from '@app/domain/keys/api-key-secret';
import { DomainError } from '@app/domain/errors';
import { formatIpAddress, parseIpAddress, type IpAddress } from '@app/domain/addresses/ip-address';
import { ARRIVAL, pass } from '@app/gates/gates';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import { MAX_LIVE_TOKENS } from '@app/domain/keys/key-freedom';
import { hasPermission } from '@app/domain/keys/permissions';
import { TOKEN_TYPES, type TokenType } from '@app/domain/keys/single-use-token';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { Caller } from '@app/domain/keys/caller';
import { pinnedIdOf, type CreateTokenBody } from './single-use-token.dto';

/** Makes tokens with which a page can call one operation once, without the key. */
@Injectable()
export class SingleUseTokensService {
  constructor(private readonly tokens: SingleUseTokenRepository) {}

  /** A new token. Shown once: only its digest is kept. */
  async create({ key }: Caller, type: TokenType, body: CreateTokenBody): Promise<string> {
    const { permission } = TOKEN_TYPES[type];
    if (!hasPermission(key.permissions, permission))
      throw new DomainError('insufficient_permissions', { permission });
    const address = body.address == null ? null : parseIpAddress(body.address);
    if (address) requireListed(key, address);
    const token = generateSecret('single_use_token', randomBytes);
    const stored = {
      digest: digestSecret(token),
      keyId: key.keyId,
      secretNumber: key.secretNumber,
      type,
      address: address && formatIpAddress(address),
      maxCredits: body.max_credits ?? null,
      pinnedId: pinnedIdOf(type, body),
    };
    const used = await this.tokens.insert(stored, MAX_LIVE_TOKENS);
    if (used >= MAX_LIVE_TOKENS)
      throw new DomainError('single_use_token_limit_reached', { used, limit: MAX_LIVE_TOKENS });
    return token;
  }
}

/** @throws DomainError `ip_not_allowed` for an address from which the key, and so its token, could never be used */
function requireListed(key: VerifiableKey, address: IpAddress): void {
  const refusal = pass(ARRIVAL.key, { key, address, permission: null, nowMs: Date.now() });
  if (refusal) throw new DomainError(refusal.code, refusal.params, { param: 'address' });
}
