import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { SearchService } from './search.service';
import { StaffSearchController } from './staff-search.controller';

/** One search over everything that staff may read. */
@Module({
  imports: [DatabaseModule],
  controllers: [StaffSearchController],
  providers: [SearchService],
})
export class SearchModule {}
