import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { StoredPreset } from './allow-list-preset.entity';

/** Presets of allow-lists as their files were read last. */
@Injectable()
export class AllowListPresetRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async list(em: EntityManager = this.dataSource.manager): Promise<StoredPreset[]> {
    return em.find(StoredPreset);
  }

  /** The same, while no other process writes any of them until the transaction ends. */
  async lockAll(em: EntityManager): Promise<StoredPreset[]> {
    await em.query('LOCK TABLE allow_list_preset IN SHARE ROW EXCLUSIVE MODE');
    return this.list(em);
  }

  async save(presets: readonly StoredPreset[], em: EntityManager): Promise<void> {
    await em.upsert(StoredPreset, [...presets], ['name']);
  }
}
