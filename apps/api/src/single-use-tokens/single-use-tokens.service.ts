import { SingleUseTokenRepository } from '@app/database/repositories/single-use-token.repository';
import { digestSecret, generateSecret } from '@app/domain/api-key-secret';
import { DomainError } from '@app/domain/errors';
import { formatIpAddress, parseIpAddress } from '@app/domain/ip-address';
import { hasPermission } from '@app/domain/permissions';
import { TOKEN_TYPES, type TokenType } from '@app/domain/single-use-token';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { Caller } from '../http/caller';
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
    const token = generateSecret('single_use_token', randomBytes);
    await this.tokens.insert({
      digest: digestSecret(token),
      keyId: key.keyId,
      type,
      address: canonicalAddress(body.address ?? null),
      maxCredits: body.max_credits ?? null,
      pinnedId: pinnedIdOf(type, body),
    });
    return token;
  }
}

function canonicalAddress(given: string | null): string | null {
  const address = given === null ? null : parseIpAddress(given);
  return address && formatIpAddress(address);
}
