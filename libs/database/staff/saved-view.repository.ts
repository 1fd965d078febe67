import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { SavedView } from './saved-view.entity';
import { StaffMember } from './staff-member.entity';

/** The lists that members of staff have saved, each for themselves. */
@Injectable()
export class SavedViewRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The views of a member, by name. */
  async list(staffId: string, screen?: string): Promise<SavedView[]> {
    const where = { staffId, ...(screen !== undefined && { screen }) };
    return this.dataSource.manager.find(SavedView, { where, order: { name: 'ASC' } });
  }

  /** Locks a member's views against others that are saved meanwhile, and counts those on a screen but one. */
  async countOthers({ staffId, screen, name }: SavedView, em: EntityManager): Promise<number> {
    await em.findOne(StaffMember, { where: { id: staffId }, lock: { mode: 'pessimistic_write' } });
    const views = await em.findBy(SavedView, { staffId, screen });
    return views.filter((view) => view.name !== name).length;
  }

  /** Stores a view in the place of the one with its name; returns what is stored. */
  async save(view: SavedView, em: EntityManager): Promise<SavedView> {
    const [row] = await em.query<[{ id: string; createdAt: Date }]>(
      `INSERT INTO saved_view (id, staff_id, screen, name, query) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (staff_id, screen, name) DO UPDATE SET query = EXCLUDED.query
       RETURNING id, created_at AS "createdAt"`,
      [view.id, view.staffId, view.screen, view.name, view.query],
    );
    return { ...view, ...row };
  }

  /** Whether the member had this view. */
  async delete(staffId: string, id: string): Promise<boolean> {
    const { affected } = await this.dataSource.manager.delete(SavedView, { staffId, id });
    return affected === 1;
  }
}
