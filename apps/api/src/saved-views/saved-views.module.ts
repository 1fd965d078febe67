import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { SavedViewsController } from './saved-views.controller';
import { SavedViewsService } from './saved-views.service';

/** Lists that members of staff have saved, each for themselves. */
@Module({
  imports: [DatabaseModule],
  controllers: [SavedViewsController],
  providers: [SavedViewsService],
})
export class SavedViewsModule {}
