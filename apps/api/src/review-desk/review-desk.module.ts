import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { ReviewsModule } from '../reviews/reviews.module';
import { ReviewDeskService } from './review-desk.service';
import { StaffReviewDeskController } from './staff-review-desk.controller';

/** The voices that wait for the ear of a person. */
@Module({
  imports: [AdministrationModule, DatabaseModule, ReviewsModule],
  controllers: [StaffReviewDeskController],
  providers: [ReviewDeskService],
})
export class ReviewDeskModule {}
