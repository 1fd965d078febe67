import { CreditBalances } from '@app/credits/credit-balances';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { ApiKeyRepository, type NewImportedKey } from '@app/database/keys/api-key.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { newKeyId } from '@app/domain/common/cell';
import { inTurns } from '@app/domain/common/in-turns';
import { DomainError } from '@app/domain/errors';
import {
  readingKeyImport,
  type ImportedKey,
  type ImportProblem,
  type KeyImportFile,
} from '@app/domain/keys/key-import';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges, type Change } from '../audit/audited-changes';
import { toBatchEvents } from '../audit/batch-events';
import { PolicyRulesService } from './policy-rules.service';

/** Keys in one statement. */
const BATCH = 2_000;
/** Secrets that work at once, although a process may know that no key had them; others within seconds. */
const MAX_ANNOUNCED = 1_000;
/** Problems that are named; of the others, only the number. */
const MAX_PROBLEMS = 100;

export interface KeyImport {
  accountId: string;
  /** CSV, see `readingKeyImport`. */
  csv: string;
  dryRun: boolean;
}

/** What an import did, or in a dry run would do. */
export interface ImportOutcome {
  keys: number;
  problems: ImportProblem[];
  /** Of how many lines; more than are named. */
  problemLines: number;
}

/** Takes over keys of another system with the secrets that customers have: all of a file, or none. */
@Injectable()
export class KeyImportService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly accounts: AccountRepository,
    private readonly keys: ApiKeyRepository,
    private readonly credits: CreditBalances,
    private readonly rules: PolicyRulesService,
  ) {}

  /** @throws InvalidInput naming the lines that are not accepted, unless it is a dry run */
  async import(actor: AuditActor, request: KeyImport, reason: string): Promise<ImportOutcome> {
    const file = await inTurns(readingKeyImport(request.csv));
    const { result } = await this.changes.make((em) => this.importing(actor, request, file, reason, em));
    return result;
  }

  private async importing(
    actor: AuditActor,
    { accountId, dryRun }: KeyImport,
    read: KeyImportFile,
    reason: string,
    em: EntityManager,
  ): Promise<Change<ImportOutcome>> {
    const account = await this.accounts.lock(accountId, em);
    if (account.status === 'closed') throw new DomainError('account_closed');
    const taken = await this.keys.listTaken(accountId, read.keys, em);
    const problems = [...read.problems, ...collisions(read.keys, taken)].sort((a, b) => a.line - b.line);
    const outcome = {
      keys: read.keys.length - (problems.length - read.problems.length),
      problems: problems.slice(0, MAX_PROBLEMS),
      problemLines: problems.length,
    };
    if (dryRun) return { result: outcome, events: [] };
    if (problems.length > 0) throw refused(outcome);
    const now = new Date();
    const expiresAt = await this.rules.firstExpiry(account, now, em);
    const added = read.keys.map((key): NewImportedKey => ({
      ...key,
      id: newKeyId(accountId, randomUUID()),
      accountId,
    }));
    for (let start = 0; start < added.length; start += BATCH) {
      const batch = added.slice(start, start + BATCH);
      await this.keys.insertImported(batch, { createdAt: now, expiresAt }, em);
      await this.credits.openKeys(accountId, batch, em);
    }
    const entry = {
      actor,
      action: 'keys.imported' as const,
      target: { type: 'api_keys', accountId },
      after: { keys: added.length, expires_at: expiresAt },
      reason,
    };
    const ids = added.map(({ id }) => id);
    const digests = added.slice(0, MAX_ANNOUNCED).map(({ digest }) => digest);
    return { result: outcome, events: toBatchEvents(ids, entry, 'key_ids'), announce: { digests } };
  }
}

function collisions(
  keys: readonly ImportedKey[],
  { digests, externalIds }: { digests: Set<string>; externalIds: Set<string> },
): ImportProblem[] {
  return keys.flatMap(({ line, digest, externalId }) => {
    if (digests.has(digest)) return [{ line, problem: 'A key here has this secret already.' }];
    if (externalId !== null && externalIds.has(externalId))
      return [{ line, problem: 'A key of the account has this external_id already.' }];
    return [];
  });
}

function refused({ problems, problemLines }: ImportOutcome): InvalidInput {
  const more = problemLines > problems.length ? ` (${problemLines} lines are not accepted)` : '';
  return new InvalidInput(
    problems.map(({ line, problem }) => ({
      type: 'key_import',
      path: ['csv', line],
      msg: `Line ${line}: ${problem}${more}`,
      input: null,
    })),
  );
}
