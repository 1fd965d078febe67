import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { ReviewsModule } from '../reviews/reviews.module';
import { AgreementService } from './agreement.service';
import { DeskDecisions } from './desk-decisions.service';
import { ReviewDeskService } from './review-desk.service';
import { StaffAgreementController } from './staff-agreement.controller';
import { StaffReviewDeskController } from './staff-review-desk.controller';

/** The voices that wait for the ear of a person. */
@Module({
  imports: [AdministrationModule, DatabaseModule, ReviewsModule],
  controllers: [StaffAgreementController, StaffReviewDeskController],
  providers: [AgreementService, DeskDecisions, ReviewDeskService],
})
export class ReviewDeskModule {}
