import { AppConfig } from '@app/config/app-config';
import { AccountMoveRepository, type LeftAccount } from '@app/database/cells/account-move.repository';
import type { DomainError } from '@app/domain/errors';
import { cellOfSecret, digestSecret, kindOfPrefix } from '@app/domain/keys/api-key-secret';
import { Injectable } from '@nestjs/common';
import { CredentialReader } from './credential-reader';
import { otherCell } from './other-cell';

type Refusal = DomainError | undefined;

/** Says of credentials that are unknown here in which cell they are: where their account has moved to, or what their form says. */
@Injectable()
export class MovedCredentials {
  /** Follows changes, so that an account that comes back is admitted at once. */
  readonly left: CredentialReader<LeftAccount>;

  constructor(
    moves: AccountMoveRepository,
    private readonly config: AppConfig,
  ) {
    this.left = new CredentialReader<LeftAccount>({
      read: (digest) => moves.findLeftBySecret(digest),
      idsOf: ({ accountId }) => [accountId],
      nowMs: Date.now,
      monotonicMs: () => performance.now(),
    });
  }

  /** The 421 of an unknown credential; undefined for one of no cell, or of this one. At once when it was met before. */
  refusal(what: string, credential: string): Refusal | Promise<Refusal> {
    const digest = digestSecret(credential);
    const known = this.left.cached(digest);
    if (known !== undefined) return this.toRefusal(what, credential, known);
    return this.left.read(digest).then((found) => this.toRefusal(what, credential, found));
  }

  private toRefusal(what: string, credential: string, found: LeftAccount | null): Refusal {
    return otherCell(what, found?.cell ?? cellOfUnknown(credential), this.config.cell);
  }
}

/** Of a token that is not accepted, its form does not say that it is unknown: it may be for another operation. */
function cellOfUnknown(credential: string): string | null {
  return kindOfPrefix(credential) === 'single_use_token' ? null : cellOfSecret(credential);
}
