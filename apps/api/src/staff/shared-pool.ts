import { AsyncLocalStorage } from 'node:async_hooks';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { DataSource, EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { AsyncStorages } from './async-storages';

/**
 * Our connections for the sign-in library: no separate pool, and, inside `within`, our transaction, so that what the
 * library changes is committed together with its audit event or not at all.
 */
export class SharedPool implements PostgresPool {
  private readonly transaction = new AsyncLocalStorage<EntityManager>();
  /** What the library runs in. */
  readonly storages = new AsyncStorages(this.transaction);

  constructor(private readonly dataSource: DataSource) {}

  /** Runs something of the library in a transaction of ours. */
  async within<T>(em: EntityManager, run: () => Promise<T>): Promise<T> {
    return this.storages.using(() => this.transaction.run(em, run));
  }

  async connect(): Promise<PostgresPoolClient> {
    const em = this.transaction.getStore();
    const [client, release] = em
      ? [(await em.queryRunner!.connect()) as PostgresPoolClient, () => undefined]
      : ((await (this.dataSource.driver as PostgresDriver).obtainMasterConnection()) as [
          PostgresPoolClient,
          () => void,
        ]);
    return { query: client.query.bind(client), release };
  }

  /** The pool is not the library's to close. */
  async end(): Promise<void> {}
}
