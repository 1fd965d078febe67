import { KeyFileRepository } from '@app/database/keys/key-file.repository';
import type { ListOwner } from '@app/database/keys/allow-list.repository';
import { Injectable } from '@nestjs/common';
import { whatIsUnusual, whyConfirm } from '../allow-lists/allow-list-confirmation';
import { AllowListDryRunsService, RECENT_DAYS } from '../allow-lists/allow-list-dry-runs.service';
import { AllowListsService } from '../allow-lists/allow-lists.service';
import type { ChangeWork } from '../audit/audited-changes';
import type { ChangeRequest } from '../audit/locked-change';
import {
  exportedList,
  requestedList,
  requireEntitled,
  storedList,
  toEntries,
  type ComparableList,
} from './file-list-entries';
import { planPart } from './file-part';
import type { FileAccount } from './key-file';
import { making, type FilePlan, type FileScope } from './key-file-plan';

/** Allow-lists in files of keys: that of an account, which all of its keys are held to, and those of keys. */
@Injectable()
export class FileListsService {
  constructor(
    private readonly files: KeyFileRepository,
    private readonly lists: AllowListsService,
    private readonly dryRuns: AllowListDryRunsService,
  ) {}

  async plan({ account, input, at }: FileScope): Promise<FilePlan> {
    const { id, version } = account;
    const stored = storedList(await this.files.findAccountList(id));
    const owner = { kind: 'account', id } as const;
    const list = input?.allowed_ips;
    return planPart({
      kind: 'account',
      entries: list === undefined ? [] : [{ input: list, path: [...at, 'allowed_ips'] }],
      stored: [account],
      about: () => account,
      settingsOf: () => ({ allowed_ips: stored }),
      isRemoved: () => false,
      remove: () => async () => [],
      read: (requested) => ({
        present: account,
        name: account.name,
        settings: { allowed_ips: requestedList(requested) },
        check: (after) => requireEntitled(after.allowed_ips, stored, account, at),
        warn: (after) => this.warnings(owner, after.allowed_ips, stored !== null),
        make: (after) =>
          making(({ request }) =>
            this.replacing({ ...request, expected: [version] }, owner, after.allowed_ips!),
          ),
      }),
    });
  }

  async export(accountId: string): Promise<Pick<FileAccount, 'allowed_ips'>> {
    const list = storedList(await this.files.findAccountList(accountId));
    return list === null ? {} : { allowed_ips: exportedList(list) };
  }

  replacing(request: ChangeRequest, owner: ListOwner, list: ComparableList): ChangeWork {
    return this.lists.replacing({ ...request, owner }, { entries: toEntries(list) });
  }

  /**
   * What has to be confirmed about a list.
   *
   * @param owner null for a new key, which has no traffic yet
   */
  async warnings(
    owner: ListOwner | null,
    list: ComparableList | undefined,
    hasList: boolean,
  ): Promise<string[]> {
    if (list === undefined) return [];
    const draft = this.dryRuns.read({ entries: toEntries(list) });
    if (owner === null) return draft ? whatIsUnusual(draft.parsed) : [];
    const dryRun = await this.dryRuns.run(owner, draft, RECENT_DAYS);
    return whyConfirm(draft?.parsed ?? null, dryRun, hasList);
  }
}
