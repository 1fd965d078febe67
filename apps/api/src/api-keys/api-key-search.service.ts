import { ListReader } from '@app/database/list-reader';
import type { ApiKeySecret } from '@app/database/keys/api-key-secret.entity';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { API_KEY_ORDERS, type ApiKeyFilter } from '@app/database/keys/api-key-filter';
import type { ApiKeyPage } from '@app/database/keys/api-key-page';
import { ApiKeySearchRepository, type PlacedApiKey } from '@app/database/keys/api-key-search.repository';
import type { ApiKeyView } from '@app/database/keys/api-key-view';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import type { KeyUndo } from '@app/database/keys/key-undo.entity';
import { KeyUndoRepository } from '@app/database/keys/key-undo.repository';
import { ObservedTrafficRepository } from '@app/database/traffic/observed-traffic.repository';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import { readSortedPage } from '../http/sorted-list';
import { keyNotFound } from '@app/domain/keys/key-not-found';
import { isUuid } from '@app/domain/common/uuid';

const BATCH_ROWS = 1_000;

/** `daysInUse` null: of a key of another cell. */
export type ListedApiKey = ApiKeyView & { daysInUse: boolean[] | null };

interface ApiKeyDetail {
  key: ApiKeyView;
  secrets: ApiKeySecret[];
  undos: KeyUndo[];
}

@Injectable()
export class ApiKeySearchService {
  constructor(
    private readonly views: ApiKeySearchRepository,
    private readonly keys: ApiKeyRepository,
    private readonly accounts: AccountRepository,
    private readonly reader: ListReader,
    private readonly undos: KeyUndoRepository,
    private readonly traffic: ObservedTrafficRepository,
  ) {}

  async list(
    filter: ApiKeyFilter,
    query: PageQuery & { sort: string },
  ): Promise<Page<ListedApiKey> & { estimated: boolean }> {
    const list: ListIdentity = { name: 'api-keys', filter: { ...filter }, sort: query.sort };
    const page = readSortedPage(API_KEY_ORDERS, query.sort, query, list);
    const { rows, total, estimated } = await this.read(filter, (em) =>
      this.views.search(filter, { ...page, limit: page.limit + 1 }, em),
    );
    const found = toPage(rows, page.limit, list, total, ({ position, id }) => [position, id]);
    const ids = found.items.map(({ id }) => id);
    const uses = await this.reader.readOfCell((em) => this.traffic.listDaysInUse(ids, em));
    const byId = new Map(uses.map(({ keyId, days }) => [keyId, days]));
    const items = found.items.map((key) => ({ ...key, daysInUse: byId.get(key.id) ?? null }));
    return { ...found, items, estimated };
  }

  /** A key with every secret it has had. */
  async get(id: string): Promise<ApiKeyDetail> {
    if (!isUuid(id)) throw keyNotFound(id);
    const [key, secrets, undos] = await Promise.all([
      this.views.find(id, undefined, { deleted: true }),
      this.keys.listSecrets(id),
      this.undos.list(id),
    ]);
    if (!key) throw keyNotFound(id);
    return { key, secrets, undos };
  }

  /** @throws DomainError `account_not_found` */
  async requireAccount(id: string): Promise<void> {
    await this.accounts.get(id);
  }

  /** Every key that matches, oldest first, read in batches. */
  async *stream(filter: ApiKeyFilter): AsyncGenerator<ApiKeyView> {
    const page: ApiKeyPage = { order: 'created_at', descending: false, after: null, limit: BATCH_ROWS };
    for (;;) {
      const rows: PlacedApiKey[] = await this.read(filter, (em) => this.views.list(filter, page, em));
      yield* rows;
      const last = rows.at(-1);
      if (!last || rows.length < BATCH_ROWS) return;
      page.after = { value: last.position, id: last.id };
    }
  }

  /** Only the cell of a key has what was refused, and only the primary knows the bounds of a credential as they are now. */
  private async read<T>(
    { refusedBy, refusedSince, listRefusedSince, withinCredential }: ApiKeyFilter,
    list: (em?: EntityManager) => Promise<T>,
  ): Promise<T> {
    if (withinCredential !== undefined) return list();
    const isOfCell = refusedBy ?? refusedSince ?? listRefusedSince;
    return isOfCell ? this.reader.readOfCell(list) : this.reader.read(list);
  }
}
