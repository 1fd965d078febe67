import { SavedViewRepository } from '@app/database/staff/saved-view.repository';
import type { SavedView } from '@app/database/staff/saved-view.entity';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';

/** Views of one screen that a person can save. */
const MAX_VIEWS = 30;

/** The lists that a member of staff has saved. Only they see them, and no customer's data changes: they are not audited. */
@Injectable()
export class SavedViewsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly views: SavedViewRepository,
  ) {}

  async list(staffId: string, screen?: string): Promise<SavedView[]> {
    return this.views.list(staffId, screen);
  }

  /** Saves a view, in the place of the one with the same name. */
  async save(staffId: string, input: Pick<SavedView, 'screen' | 'name' | 'query'>): Promise<SavedView> {
    const view = { ...input, name: input.name.trim(), id: randomUUID(), staffId, createdAt: new Date() };
    return this.dataSource.transaction(async (em) => {
      if ((await this.views.countOthers(view, em)) >= MAX_VIEWS)
        throw new DomainError('saved_view_limit_reached', { limit: MAX_VIEWS });
      return this.views.save(view, em);
    });
  }

  async delete(staffId: string, id: string): Promise<void> {
    if (isUuid(id) && (await this.views.delete(staffId, id))) return;
    throw new DomainError('saved_view_not_found', { viewId: id.slice(0, 100) });
  }
}
