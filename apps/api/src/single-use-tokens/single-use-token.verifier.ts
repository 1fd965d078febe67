import type { Decision } from '@app/auth/key-verifier';
import type { SingleUseToken } from '@app/database/keys/single-use-token.entity';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { SingleUseTokenRepository } from '@app/database/keys/single-use-token.repository';
import { compileAllowList } from '@app/domain/allow-lists/allow-list';
import { digestSecret, secretKind } from '@app/domain/keys/api-key-secret';
import type { IpAddress } from '@app/domain/addresses/ip-address';
import type { KeyUse } from '@app/gates/gate';
import { ARRIVAL, pass } from '@app/gates/gates';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import { TOKEN_TYPES } from '@app/domain/keys/single-use-token';
import { Injectable, Logger } from '@nestjs/common';

/** A token that can be used for an operation, with what was decided about its key. */
interface VerifiedToken {
  token: SingleUseToken;
  decision: Decision;
}

/** Says whether a single-use token opens a request, and uses it up. */
@Injectable()
export class SingleUseTokenVerifier {
  private readonly logger = new Logger(SingleUseTokenVerifier.name);

  constructor(
    private readonly tokens: SingleUseTokenRepository,
    private readonly keys: ApiKeyRepository,
  ) {}

  /**
   * The token, if it can still be used for this operation, and the decision about its key. Uses nothing up.
   *
   * @param operation method and path with placeholders, as in `TOKEN_TYPES`
   */
  async verify(
    credential: string,
    operation: string,
    address: IpAddress | null,
  ): Promise<VerifiedToken | null> {
    if (secretKind(credential) !== 'single_use_token') return null;
    const token = await this.tokens.findUsable(digestSecret(credential));
    if (!token || !TOKEN_TYPES[token.type].routes.includes(operation)) return null;
    const decision = await this.decide(token, address);
    return decision && { token, decision };
  }

  /** The decision about the key of a token, used up or not; null when there is no such key any more. */
  async decide(token: SingleUseToken, address: IpAddress | null): Promise<Decision | null> {
    const key = await this.keys.findVerifiable(token.keyId, token.secretNumber);
    return key && evaluate(token, key, address);
  }

  /**
   * Uses a token up for a request that names these resources. False when it is for another one, or was used meanwhile.
   *
   * @param isPart whether the request is for a part of a recording
   */
  async use(
    { type, pinnedId, digest }: SingleUseToken,
    named: Record<string, unknown>,
    isPart = false,
  ): Promise<boolean> {
    const { pin } = TOKEN_TYPES[type];
    if (pinnedId !== null && pinnedId !== (pin && named[pin])) return false;
    if (type === 'preview_stream') return this.tokens.play(digest, isPart);
    return this.tokens.use(digest);
  }

  /** Gives a token back whose request was refused or has failed: it has had no effect. */
  async release({ digest }: SingleUseToken): Promise<void> {
    try {
      await this.tokens.release(digest);
    } catch (error) {
      this.logger.warn(`A token stays used although its request was refused: ${(error as Error).message}`);
    }
  }
}

/** The decision about a request with the token's key, from where the token may be used if it says so. */
function evaluate(token: SingleUseToken, key: VerifiableKey, address: IpAddress | null): Decision {
  const use = { key, address, permission: TOKEN_TYPES[token.type].permission, nowMs: Date.now() };
  const refusal =
    pass(ARRIVAL.key, use) ?? (token.address === null ? null : pass(ARRIVAL.key, from(token.address, use)));
  return refusal ? { ...refusal, key } : { allowed: true, key };
}

/** The same use, as if this address were the only one that the key may be used from. */
function from(address: string, use: KeyUse): KeyUse {
  return { ...use, key: { ...use.key, allowList: compileAllowList([address]) } };
}
