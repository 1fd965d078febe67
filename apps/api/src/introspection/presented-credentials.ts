import { AppConfig } from '@app/config/app-config';
import { Arrivals } from '@app/auth/arrivals';
import { MovedCredentials } from '@app/auth/moved-credentials';
import { otherCell } from '@app/auth/other-cell';
import { KeyVerifier, noKey, type Decision } from '@app/auth/key-verifier';
import type { SingleUseToken } from '@app/database/keys/single-use-token.entity';
import type { DomainError } from '@app/domain/errors';
import type { IpAddress } from '@app/domain/addresses/ip-address';
import type { Permission } from '@app/domain/keys/permissions';
import { cellOfSecret, kindOfPrefix } from '@app/domain/keys/api-key-secret';
import { Injectable } from '@nestjs/common';
import { SingleUseTokenVerifier } from '../single-use-tokens/single-use-token.verifier';

/** What another service wants to know about a credential. */
interface PresentedUse {
  /** Empty when only the digest of the secret of a key is known. */
  credential: string;
  digest: string | null;
  /** Null when unknown. */
  address: IpAddress | null;
  /** Method and path of the operation, with placeholders. */
  route: string;
  permission: Permission | null;
}

export interface Evaluated {
  decision: Decision;
  /** What stands for the key, when it is not its secret. */
  token: SingleUseToken | null;
}

/** Evaluates what customers send to the platform's other services: secrets of keys, and single-use tokens. */
@Injectable()
export class PresentedCredentials {
  constructor(
    private readonly keys: KeyVerifier,
    private readonly tokens: SingleUseTokenVerifier,
    private readonly config: AppConfig,
    private readonly arrivals: Arrivals,
    private readonly moved: MovedCredentials,
  ) {}

  /**
   * At once when the key is known, which is nearly always. Uses nothing up.
   *
   * @throws DomainError `other_cell`
   */
  evaluate(use: PresentedUse): Evaluated | Promise<Evaluated> {
    // A digest says nothing about its cell.
    if (use.digest !== null) return this.evaluateKey(use);
    const misdirected = otherCell('credential', cellOfSecret(use.credential), this.config.cell);
    if (misdirected) return this.evaluateArrived(use, misdirected);
    return this.evaluateOurs(use);
  }

  /** What another cell has issued is ours when its account has come from there. */
  private async evaluateArrived(use: PresentedUse, misdirected: DomainError): Promise<Evaluated> {
    if (!(await this.arrivals.any())) throw misdirected;
    return this.evaluateOurs(use);
  }

  private evaluateOurs(use: PresentedUse): Evaluated | Promise<Evaluated> {
    if (isToken(use.credential)) return this.evaluateToken(use);
    const decision = this.keys.verifyCached(use);
    if (decision && !isUnknown(decision)) return { decision, token: null };
    return this.readKey(use, decision);
  }

  private evaluateKey(use: PresentedUse): Evaluated | Promise<Evaluated> {
    const decision = this.keys.verifyCached(use);
    if (decision) return { decision, token: null };
    return this.keys.verify(use).then((read) => ({ decision: read, token: null }));
  }

  /** Uses a token up for a request that names these resources in its path. False when it cannot be used for it any more. */
  async use(token: SingleUseToken, named: Record<string, string>): Promise<boolean> {
    return this.tokens.use(token, named);
  }

  /** Gives a token back whose request has had no effect. */
  async release(token: SingleUseToken): Promise<void> {
    await this.tokens.release(token);
  }

  private async readKey(use: PresentedUse, known: Decision | undefined): Promise<Evaluated> {
    const decision = known ?? (await this.keys.verify(use));
    if (isUnknown(decision)) await this.requireHere(use.credential);
    return { decision, token: null };
  }

  /** @throws DomainError `other_cell` for a credential whose account has left */
  private async requireHere(credential: string): Promise<void> {
    const elsewhere = await this.moved.refusal('credential', credential);
    if (elsewhere) throw elsewhere;
  }

  private async evaluateToken({ credential, route, address }: PresentedUse): Promise<Evaluated> {
    const verified = await this.tokens.verify(credential, route, address);
    if (!verified) await this.requireHere(credential);
    return verified ?? { decision: noKey('unknown'), token: null };
  }
}

const isUnknown = (decision: Decision) => !decision.allowed && decision.reason === 'unknown';

/** Whether a credential is meant to be a single-use token, valid or not. */
export function isToken(credential: string): boolean {
  return kindOfPrefix(credential) === 'single_use_token';
}
