import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key of a change of many keys. */
@Entity('bulk_key_change_item')
export class BulkKeyChangeItem {
  @PrimaryColumn('uuid')
  changeId: string;

  @PrimaryColumn('uuid')
  keyId: string;

  /** The version that the change gave the key; null while it waits. */
  @Column('int', { nullable: true })
  version: number | null;

  /** What the change replaced, where undoing it needs that. */
  @Column('jsonb', { nullable: true })
  before: unknown;
}
