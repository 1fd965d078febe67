import { AllowListRepository } from '@app/database/keys/allow-list.repository';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import { ApiKeyChangesService } from '../keys/api-key-changes.service';
import type { IssuedApiKey, NewApiKey } from '../keys/api-keys.service';
import { whatIsUnusual } from './allow-list-confirmation';
import { requireAccepted, type Draft } from './allow-list-draft';
import type { InputList } from '@app/domain/allow-lists/input-list';
import { AllowListDryRunsService } from './allow-list-dry-runs.service';

/** A list that a new key begins with, in either form. */
interface FirstList extends InputList {
  /** The field of the request in which it stands. */
  field: string;
  /** Whether what is unusual about it has been confirmed. */
  confirmed: boolean;
}

/** Creates keys that have an allow-list from their first request on: the only way in which staff and the command line do. */
@Injectable()
export class ListedKeysService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly keys: ApiKeyChangesService,
    private readonly lists: AllowListRepository,
    private readonly dryRuns: AllowListDryRunsService,
  ) {}

  /**
   * Issues a key with its list, the notes included, in one transaction.
   *
   * @param list null for a key without one
   * @throws InvalidInput naming every entry that is not accepted
   * @throws DomainError `confirmation_required` when the list is very wide and that was not confirmed;
   *   `feature_not_available` when the account may not place a list
   */
  async create(
    actor: AuditActor,
    input: Omit<NewApiKey, 'allowedIps'>,
    list: FirstList | null,
    reason: string,
  ): Promise<IssuedApiKey> {
    const draft = list && this.dryRuns.read(list);
    if (!draft) return this.keys.create(actor, input, reason);
    requireUsual(draft, list);
    const entries = draft.entries.map(({ cidr, note, endsAt }) => ({ cidr, note, endsAt }));
    const listed = { ...input, allowedIps: entries.map(({ cidr }) => cidr) };
    const { result } = await this.changes.make(async (em) => {
      const created = await this.keys.creating(actor, listed, reason)(em);
      const { id, createdAt } = created.result.key;
      const added = { addedBy: actor.name, addedAt: createdAt };
      await this.lists.replaceEntries(
        id,
        entries.map((entry) => ({ ...entry, ...added })),
        em,
      );
      return created;
    });
    return result;
  }
}

function requireUsual(draft: Draft, { field, confirmed }: FirstList): void {
  requireAccepted(draft, field);
  const reasons = whatIsUnusual(draft.parsed);
  if (reasons.length === 0 || confirmed) return;
  throw new DomainError('confirmation_required', { reasons: reasons.join(' ') }, { param: 'confirm' });
}
