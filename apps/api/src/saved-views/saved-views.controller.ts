import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CurrentStaff, RequireSession } from '../http/staff-access';
import { SavedViewsQuery, SaveViewBody, toSavedViewResponse, type SavedViewResponse } from './saved-view.dto';
import { SavedViewsService } from './saved-views.service';

/** The lists that the member of staff has saved. */
@Controller('admin/saved-views')
export class SavedViewsController {
  constructor(private readonly views: SavedViewsService) {}

  @Get() // List your saved views
  @RequireSession()
  async list(
    @CurrentStaff() staff: Staff,
    @Query() { screen }: SavedViewsQuery,
  ): Promise<{ items: SavedViewResponse[] }> {
    return { items: (await this.views.list(staff.id, screen)).map(toSavedViewResponse) };
  }

  /** Saves a view, in the place of the one with the same name. */
  @Post() // Save a view of a list
  @HttpCode(200)
  @RequireSession()
  async save(@CurrentStaff() staff: Staff, @Body() body: SaveViewBody): Promise<SavedViewResponse> {
    return toSavedViewResponse(await this.views.save(staff.id, body));
  }

  @Delete(':view_id') // Delete a saved view
  @RequireSession()
  async delete(@CurrentStaff() staff: Staff, @Param('view_id') id: string): Promise<{ id: string }> {
    await this.views.delete(staff.id, id);
    return { id };
  }
}
